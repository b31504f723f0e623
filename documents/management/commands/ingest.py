"""`manage.py ingest PATH… --base NAME`: take files or folders into a base and read them here, without a broker."""

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from documents.access import BaseNotFound, SeveralBases, create_base, find_base
from documents.ingestion.conductor import ingest_path
from documents.models import Document, IngestJob, KnowledgeBase
from documents.storage.uploads import UploadRefused, has_readable_suffix


class Command(BaseCommand):
    help = "Ingest PDF, Markdown and text files or folders into a base, which is made if it does not exist."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--base", required=True, metavar="NAME")
        parser.add_argument("--user", metavar="EMAIL", help="who owns a new base and is named as the uploader")

    def handle(self, *args: Any, **options: Any) -> None:
        user = find_user(options["user"])
        base = base_to_fill(options["base"], user)
        paths = list(files_in(options["paths"]))
        failed = sum(not self.take(path, base, user) for path in paths)
        self.stdout.write(f"{len(paths) - failed} of {len(paths)} files are in {base.name}.")
        if failed:
            raise CommandError(f"{failed} of {len(paths)} files could not be ingested.")

    def take(self, path: Path, base: KnowledgeBase, user: User | None) -> bool:
        """Ingest one file and print the outcome; return whether the document can be asked."""
        was_there = set(base.documents.living().values_list("pk", flat=True))
        try:
            document = ingest_path(path, base, user, self.watch_of(path))
        except UploadRefused as refusal:
            self.stderr.write(f"{path.name}: {refusal.message}")
            return False
        except OSError as error:
            self.stderr.write(f"{path.name}: cannot be opened ({error.strerror}).")
            return False
        if document.state == Document.State.FAILED:
            self.stderr.write(f"{path.name}: {last_reason(document)}")
            return False
        self.stdout.write(f"{path.name}: {summary(document, is_known=document.pk in was_there)}")
        return True

    def watch_of(self, path: Path) -> Any:
        """Progress lines of a file: one per stage, and one per ten per cent."""
        shown = set[tuple[str, int]]()

        def watch(stage: str, done: int, total: int) -> None:
            step = (stage, 10 * done // total if total else 0)
            if step not in shown:
                shown.add(step)
                words = IngestJob.Stage(stage).label
                self.stdout.write(f"{path.name}: {words}" + (f" {done} of {total}" if total else ""))

        return watch


def find_user(email: str | None) -> User | None:
    if email is None:
        return None
    user = User.objects.filter(email=email.lower()).first()
    if user is None:
        raise CommandError(f"There is no user {email}.")
    return user


def base_to_fill(name: str, user: User | None) -> KnowledgeBase:
    """The base of that name or id; a new one belongs to the user, if one is given."""
    try:
        return find_base(name)
    except SeveralBases as error:
        raise CommandError(str(error)) from error
    except BaseNotFound:
        return create_base(user, name) if user else KnowledgeBase.objects.create(name=name)


def files_in(paths: Iterable[Path]) -> Iterator[Path]:
    """The named files, and the readable-looking ones in the named folders, sorted by name."""
    for path in paths:
        if path.is_dir():
            yield from sorted(inner for inner in path.rglob("*") if inner.is_file() and has_readable_suffix(inner.name))
        elif path.exists():
            yield path
        else:
            raise CommandError(f"{path} does not exist.")


def last_reason(document: Document) -> str:
    job = document.jobs.first()
    return (job.error_for_people if job else "") or "The reading was stopped."


def summary(document: Document, *, is_known: bool) -> str:
    parse = document.current_parse
    words = "was in the base already" if is_known else "is ready"
    if parse is None:
        return words
    vectors = f"embedded with {parse.embedding_model}" if parse.embedding_model else parse.report.get("embeddings", "")
    return f"{words}: {parse.page_count} pages, {parse.line_count} lines, {document.title!r}; {vectors}"
