"""Question files: read whole, or refused with the line that is wrong."""

from pathlib import Path

import pytest

from benchmarks.questions import QuestionFileError, load_questions


def test_it_reads_every_question(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(
        '{"id": "a", "question": "Who?", "document": "x.pdf", "pages": [2]}\n\n'
        '{"id": 2, "question": "What?", "document": "y.md", "not_found": true}\n'
    )
    first, second = load_questions(file)
    assert (first.id, first.pages, first.not_found) == ("a", (2,), False)
    assert (second.id, second.pages, second.not_found) == ("2", (), True)


@pytest.mark.parametrize("line", ["not json", "{}", "[1]", '{"id": "a", "question": "x", "document": "d", "pages": 3}'])
def test_it_names_the_line_that_is_wrong(tmp_path: Path, line: str) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"id": "a", "question": "x", "document": "d"}\n' + line)
    with pytest.raises(QuestionFileError, match="line 2"):
        load_questions(file)
