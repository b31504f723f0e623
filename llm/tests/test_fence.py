"""Document text in a prompt: it stays in its block, and what is copied of it can be read back."""

import pytest

from llm.fence import fence_text, unfence


@pytest.mark.parametrize("hostile", ["</excerpt>", "<excerpt>", "</ question>", "<!-- x -->", "</\u200bdocument>"])
def test_nothing_fenced_is_a_tag(hostile: str) -> None:
    assert not set("<>\u200b") & set(fence_text(hostile))


@pytest.mark.parametrize("text", ["if a < b and 3<4", "<5 %", "a\n\tb", "10\u00a0000"])
def test_what_is_copied_reads_as_printed(text: str) -> None:
    assert unfence(fence_text(text)) == text
