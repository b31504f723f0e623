"""`manage.py reason_on_toc "QUESTION" --document PATH_OR_ID`: see what a model makes of a table of contents."""

import uuid
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from documents.models import Document
from documents.storage.content import DocumentContent, content_of, load_content
from llm.errors import LLMError
from llm.models import LLMCall
from reading.plain_text import read_markdown, read_plain_text
from reading.processes.sandbox import read_in_child
from reading.reasons import ReadingError
from reading.rows import Reading
from retrieval.arbiter.toc import TocReasoning, reason_on_toc


class Command(BaseCommand):
    help = "Ask the model which sections of one document a question belongs to, by the table of contents alone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("question")
        parser.add_argument("--document", metavar="PATH_OR_ID", required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        content = find_content(options["document"])
        if not content.has_usable_toc:
            raise CommandError(f"{content.title} has no table of contents to reason on.")
        try:
            reasoning = reason_on_toc(options["question"], content)
        except LLMError as error:
            LLMCall.objects.record(error.exchange)
            raise CommandError(str(error)) from error
        LLMCall.objects.record(reasoning.exchange)
        self.stdout.write(as_text(reasoning))


def find_content(given: str) -> DocumentContent:
    """The content of a file, parsed here and not stored, or of a stored document by id."""
    path = Path(given)
    if path.is_file():
        try:
            return content_of(read_file(path), (), file_name=path.name, media_type="", sha256="0" * 64)
        except (ReadingError, UnicodeDecodeError, OSError) as error:
            raise CommandError(f"{path.name} cannot be read: {error}") from error
    try:
        document = Document.objects.select_related("current_parse").filter(pk=uuid.UUID(given)).first()
    except ValueError:
        document = None
    if document is None or document.current_parse is None:
        raise CommandError(f"{given} is neither a file nor the id of a document that has been read.")
    return load_content(document.current_parse)


def read_file(path: Path) -> Reading:
    if path.suffix.lower() == ".pdf":
        return read_in_child(path)
    read = read_markdown if path.suffix.lower() == ".md" else read_plain_text
    return read(path.read_text("utf-8"))


def as_text(reasoning: TocReasoning) -> str:
    """The sections in the model's order, then its reason, then the ids it made up."""
    lines = [f"{entry.index:>5}  {entry.title}  (p. {entry.first_page})" for entry in reasoning.entries]
    lines = lines or ["The model names no section."]
    if reasoning.unknown_ids:
        lines.append(f"Not in the table of contents: {', '.join(reasoning.unknown_ids)}")
    return "\n".join([*lines, reasoning.reason])
