"""`manage.py ingest PATH… --base NAME`: take files or folders into a base and read them here, without a broker.

With `--watch` it goes on and takes what arrives there.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator
from getpass import getpass
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, OutputWrapper
from django.db import close_old_connections

from accounts.models import User
from accounts.people import find_person
from documents.access import BaseNotFound, SeveralBases, create_base, find_base
from documents.base_settings import FIXED, BaseSettings, ChosenCutting, SettingsError
from documents.ingestion.conductor import finish, ingest_path
from documents.ingestion.reporting import Watch
from documents.ingestion.unlocking import unlock
from documents.management.folder_watch import FolderWatch, end_on_signal, files_below, find_known
from documents.models import Document, IngestJob, KnowledgeBase, Parse
from documents.storage.passwords import PasswordRefused, awaits_password
from documents.storage.uploads import UploadRefused
from ledger.management.refusals import explain_error

PASSWORDS_ASKED = 3
EVERY_S, EVERY_MIN_S, EVERY_MAX_S = 10.0, 0.2, 86_400.0  # between two looks at a watched folder
CUTTING = ("chunking", *FIXED)
NO_FILES = "No PDF, Markdown or text file is there."
NO_MEMBERS = "Nobody is a member of {name}: {who}."
FIRST_OWNER, ADMINISTRATOR = "the first owner is to be", "an administrator takes it over under “Bases”"


class Command(BaseCommand):
    help = "Ingest PDF, Markdown and text files or folders into a base, which is made if it does not exist."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--base", required=True, metavar="NAME")
        parser.add_argument("--user", metavar="EMAIL", help="who owns a new base and is named as the uploader")
        parser.add_argument(
            "--password-fd", type=int, metavar="N", help="read the password of locked PDFs from this file descriptor"
        )
        parser.add_argument("--watch", action="store_true", help="go on and take files that arrive, until it is ended")
        parser.add_argument("--every", type=float, default=EVERY_S, metavar="S", help="seconds between two looks")
        how = "how these files are cut for search, if not as the base says"
        parser.add_argument("--chunking", choices=BaseSettings.CHOICES["chunking"], help=how)
        parser.add_argument("--chunk-size", type=int, metavar="CHARACTERS", help="of passages of fixed length")
        shared = "that two passages of fixed length share"
        parser.add_argument("--chunk-overlap", type=int, metavar="CHARACTERS", help=shared)

    def handle(self, *args: Any, **options: Any) -> None:
        self.find_password = password_source(options["password_fd"], is_watching=options["watch"])
        user = find_user(options["user"])
        base = base_to_fill(options["base"], user)
        if not base.membership_set.exists():
            has_owner = User.objects.filter(is_superuser=True).exists()
            self.stdout.write(NO_MEMBERS.format(name=base.name, who=ADMINISTRATOR if has_owner else FIRST_OWNER))
        with explain_error(SettingsError):
            cutting = BaseSettings.from_json(base.settings).cutting({name: options[name] for name in CUTTING})
        paths = list(files_in(options["paths"]))
        if options["watch"]:
            if not EVERY_MIN_S <= options["every"] <= EVERY_MAX_S:
                raise CommandError(f"--every takes {EVERY_MIN_S} to {EVERY_MAX_S} seconds.")
            return self.watch(options["paths"], options["every"], base, user, cutting)
        failed = sum(not self.take(path, base, user, cutting) for path in paths)
        self.stdout.write(f"{len(paths) - failed} of {len(paths)} files are in {base.name}.")
        if not paths:
            self.stdout.write(NO_FILES)
        if failed:
            raise CommandError(f"{failed} of {len(paths)} files could not be ingested.")

    def watch(
        self, paths: list[Path], every: float, base: KnowledgeBase, user: User | None, cutting: ChosenCutting
    ) -> None:
        """Take what arrives, a file once its size and time are the same in two looks, until a signal ends it."""
        arriving = FolderWatch(lambda: files_in(path for path in paths if path.exists()))
        counts = {"taken": 0, "failed": 0, "known": 0}
        self.stdout.write(f"Watching for files for {base.name} every {every:g} s; Ctrl-C ends it.")
        with end_on_signal() as wish:
            while not wish.is_set():
                close_old_connections()  # the database may have been restarted since the last look
                for path in arriving.look():
                    if wish.is_set():
                        break
                    counts[self.take_arrived(path, base, user, cutting)] += 1
                self.stdout.flush()  # a log is read before the command ends
                wish.wait(every)
        self.stdout.write("Ended: {taken} taken, {known} known already, {failed} failed.".format(**counts))

    def take_arrived(self, path: Path, base: KnowledgeBase, user: User | None, cutting: ChosenCutting) -> str:
        """Take a file unless the base has had its bytes before, also where somebody has trashed or replaced them."""
        try:
            known = find_known(base, path)
        except OSError as error:
            self.stderr.write(f"{path.name}: cannot be opened ({error.strerror}).")
            return "failed"
        if known is None:
            return "taken" if self.take(path, base, user, cutting) else "failed"
        place = "is in the trash of the base" if known.trashed_at else "was in the base already"
        self.stdout.write(f"{path.name}: {place}, as {known.title!r}")
        return "known"

    def take(self, path: Path, base: KnowledgeBase, user: User | None, cutting: ChosenCutting) -> bool:
        """Ingest one file and print the outcome; return whether the document can be asked."""
        was_there = set(base.documents.living().values_list("pk", flat=True))
        try:
            progress = watch_of(self.stdout, path.name)
            document = self.unlock(ingest_path(path, base, user, progress, cutting), user, progress)
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

    def unlock(self, document: Document, user: User | None, progress: Watch) -> Document:
        """Ask for the password of a locked file until one opens it, or none is given."""
        for attempt in range(PASSWORDS_ASKED):
            job = document.jobs.first()
            if not awaits_password(job) or not (password := self.find_password(document.file_name, attempt)):
                break
            try:
                document = finish(unlock(document, password, user), progress)
            except PasswordRefused as refusal:
                self.stderr.write(f"{document.file_name}: {refusal}")
                break
        return document


def password_source(descriptor: int | None, *, is_watching: bool) -> Callable[[str, int], str]:
    """Where passwords come from: a file descriptor, or a person, who is asked for no file that arrives in a folder."""
    if descriptor is not None:
        try:
            with open(descriptor, encoding="utf-8") as told:
                password = told.readline().rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"No password can be read from file descriptor {descriptor}.") from error
        return lambda name, attempt: "" if attempt else password
    if is_watching or not sys.stdin.isatty():
        return lambda name, attempt: ""
    return lambda name, attempt: getpass(f"Password of {name} (it is not kept; Return leaves the file out): ")


def watch_of(out: OutputWrapper, name: str) -> Watch:
    """Progress lines of a file: one per stage, and one per ten per cent."""
    shown = set[tuple[str, int]]()

    def watch(stage: str, done: int, total: int) -> None:
        step = (stage, 10 * done // total if total else 0)
        if step not in shown:
            shown.add(step)
            words = IngestJob.Stage(stage).label
            out.write(f"{name}: {words}" + (f" {done} of {total}" if total else ""))

    return watch


def find_user(email: str | None) -> User | None:
    return None if email is None else find_person(email)


def base_to_fill(name: str, user: User | None) -> KnowledgeBase:
    """The base of that name or id; a new one belongs to the user, if one is given."""
    try:
        return find_base(name)
    except SeveralBases:
        raise
    except BaseNotFound:
        return create_base(user, name) if user else KnowledgeBase.objects.create(name=name)


def files_in(paths: Iterable[Path]) -> Iterator[Path]:
    """The named files, and the readable-looking ones in the named folders, sorted by name."""
    for path in paths:
        if path.is_dir():
            yield from files_below(path)
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
    return f"{words}: {parse.page_count} pages, {parse.line_count} lines, {document.title!r}; {vectors_in_words(parse)}"


def vectors_in_words(parse: Parse) -> str:
    """How a parse got its vectors, or why it has none."""
    if not parse.embedding_model:
        return str(parse.report.get("embeddings", ""))
    words, made = f"embedded with {parse.embedding_model}", parse.report.get("vectors", {})
    if made.get("model") != parse.embedding_model:  # from before this was counted, or another model serves still
        return words
    return f"{words}, {made['copied']} of {made['computed'] + made['copied']} vectors from equal texts"
