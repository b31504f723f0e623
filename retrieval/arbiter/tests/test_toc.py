"""The debugging command that reasons on a table of contents alone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from llm.models import LLMCall
from retrieval.arbiter.toc import reason_on_toc
from retrieval.tests.builders import content_of_lines
from tests.scripted_llm import ScriptedLLM

Serve = Callable[..., ScriptedLLM]
POLICY = Path(__file__).resolve().parents[3] / "samples" / "information-security-policy.md"


def test_it_asks_for_bare_ids_with_the_whole_table_of_contents(serve: Serve) -> None:
    """R35."""
    server = serve("good")
    content = content_of_lines(["# Parties", "a", "# Termination </toc>", "b", "# Fees", "c"])
    reasoning = reason_on_toc("How does termination work?", content)
    assert [entry.title for entry in reasoning.entries] == ["Termination </toc>"]
    prompt = server.requests[0].body["input"]
    assert "[2] Termination ‹/toc› (p. 1)" in prompt and prompt.count("</toc>") == 1
    assert "bare ids" in server.requests[0].body["instructions"]
    assert (reasoning.exchange.prompt_name, reasoning.unknown_ids) == ("toc", ())


@pytest.mark.django_db
def test_the_command_prints_the_sections_and_keeps_the_call(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    serve("good")
    call_command("reason_on_toc", "How are passwords stored?", document=str(POLICY))
    printed = capsys.readouterr().out
    assert "assword" in printed
    assert [call.purpose for call in LLMCall.objects.all()] == ["toc"]


@pytest.mark.django_db
@pytest.mark.parametrize(("behaviour", "said"), [("error-500", "status 500"), ("prose", "no JSON object")])
def test_the_command_says_what_went_wrong(serve: Serve, behaviour: str, said: str) -> None:
    serve(behaviour)
    with pytest.raises(CommandError, match=said):
        call_command("reason_on_toc", "How are passwords stored?", document=str(POLICY))
    assert LLMCall.objects.count() == 1


@pytest.mark.django_db
def test_the_command_wants_a_document_that_exists() -> None:
    with pytest.raises(CommandError, match="neither a file nor"):
        call_command("reason_on_toc", "Where?", document="nowhere.pdf")
