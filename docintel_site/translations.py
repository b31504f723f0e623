"""The interface's messages: extracted from code, templates and scripts, kept per language, compiled for use.

The catalogues in `locale/` are edited by hand. Compiled files are committed too, so that running needs no tool.
"""

import io
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
APPS = ("accounts", "audit", "chat", "docintel_site", "documents", "ledger", "llm", "reading", "retrieval")
LANGUAGES = ("fr", "de")  # besides English, the language of the messages
PAGES, SCRIPTS = "django", "djangojs"
CONTEXT_FIRST = ((1, "c"), 2)
MADE_AT = datetime(2026, 1, 1, tzinfo=UTC)  # the same messages must compile to the same bytes on any day
HEAD = """# The words of DocIntel's interface. `manage.py translations` brings it up to date and compiles it.
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: {plural_forms}\\n"

"""
KEYWORDS = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": CONTEXT_FIRST,
    "pgettext_lazy": CONTEXT_FIRST,
    "npgettext": ((1, "c"), 2, 3),
    "npgettext_lazy": ((1, "c"), 2, 3),
}

# The space before a sign and inside quotation marks, whichever a translator typed.
PERCENT = (re.compile(r"\s(?=%%)|(?<=\d)\s(?=%)"), "\u00a0")
SPACES = {
    "de": (PERCENT,),
    "fr": (PERCENT, (re.compile(r"\s(?=[:»])|(?<=«)\s"), "\u00a0"), (re.compile(r"\s(?=[;!?])"), "\u202f")),
}


def refresh(language: str) -> list[str]:
    """Update a language's catalogues from the code and compile them; return the messages still untranslated."""
    missing: list[str] = []
    for domain, found in found_messages().items():
        catalog = update_catalog(read_catalog(language, domain), found)
        for message in filter(is_done, catalog):
            set_spaces(message, language)
        po_path(language, domain).parent.mkdir(parents=True, exist_ok=True)
        po_path(language, domain).write_bytes(po_bytes(catalog))
        missing += [str(message.id) for message in catalog if not is_done(message)]
    for path, compiled in compiled_files(language).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(compiled)
    return missing


def set_spaces(message: Message, language: str) -> None:
    forms = [message.string] if isinstance(message.string, str) else list(message.string or [])
    for place, space in SPACES.get(language, ()):
        forms = [place.sub(space, form) for form in forms]
    message.string = forms[0] if isinstance(message.string, str) else tuple(forms)


def find_catalog_faults(language: str) -> list[str]:
    """One sentence per fault of a language: untranslated or obsolete messages, wrong placeholders, outdated files."""
    told: list[str] = []
    for domain, found in found_messages().items():
        kept = read_catalog(language, domain)
        told += [f"not in {domain}.po: {message.id!r}" for message in found if not same_in(kept, message)]
        told += [f"no longer in the code: {message.id!r}" for message in kept if not same_in(found, message)]
        told += [f"untranslated or fuzzy: {message.id!r}" for message in kept if not is_done(message)]
        told += [f"{message.id!r}: {error}" for message in kept if message.id for error in message.check(kept)]
    stale = [path for path, now in compiled_files(language).items() if not path.exists() or path.read_bytes() != now]
    return told + [f"not compiled anew: {path.relative_to(ROOT)}" for path in stale]


def found_messages() -> dict[str, Catalog]:
    pages, scripts = Catalog(), Catalog()
    for path in sources():
        method, words = ("javascript", scripts) if path.suffix == ".js" else ("python", pages)
        for _, message, comments, context in extract(method, source_of(path), KEYWORDS, ("Translators:",)):
            words.add(message, auto_comments=comments, context=context)
    return {PAGES: pages, SCRIPTS: scripts}


def sources() -> Iterator[Path]:
    """Every file that may contain a message, in a fixed order."""
    for app in APPS:
        yield from sorted(path for path in (ROOT / app).rglob("*.py") if not {"tests", "migrations"} & {*path.parts})
    yield from sorted((ROOT / "templates").rglob("*.html"))
    yield from sorted((ROOT / "templates").rglob("*.txt"))
    yield from sorted((ROOT / "static").glob("*.js"))


def source_of(path: Path) -> io.BytesIO:
    """A file for the extractor: templates become calls of gettext."""
    text = path.read_text(encoding="utf-8")
    if path.suffix in (".html", ".txt"):
        # Everything else becomes rows of X, whose indentation would be invalid Python.
        text = "\n".join(line.strip() for line in templatize(text).splitlines())
    return io.BytesIO(text.encode())


def update_catalog(kept: Catalog, found: Catalog) -> Catalog:
    """The code's messages with their existing translations; nothing is guessed."""
    for message in found:
        known = same_in(kept, message)
        if message.id and known is not None:
            message.string = known.string
            message.flags = message.flags | (known.flags & {"fuzzy"})
    found.locale = kept.locale
    return found


def same_in(catalog: Catalog, message: Message) -> Message | None:
    """The message with the same text, plural and context in another catalogue. The header (empty id) always exists."""
    if not message.id:
        return message
    other = catalog.get(message.id, message.context)
    return other if other is not None and other.id == message.id else None


def first_form(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def is_done(message: Message) -> bool:
    """Whether every form of a message has a reviewed translation."""
    forms = [message.string] if isinstance(message.string, str) else list(message.string or [""])
    return not message.id or (all(forms) and "fuzzy" not in message.flags)


def read_catalog(language: str, domain: str) -> Catalog:
    """A language's stored catalogue, empty at first."""
    path = po_path(language, domain)
    if not path.exists():
        return Catalog(locale=language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def po_path(language: str, domain: str) -> Path:
    return ROOT / "locale" / language / "LC_MESSAGES" / f"{domain}.po"


def po_bytes(catalog: Catalog) -> bytes:
    """A catalogue as text: sorted, without locations and dates, so that diffs show only real changes."""
    buffer = io.BytesIO()
    write_po(buffer, catalog, no_location=True, omit_header=True, sort_output=True, width=120)
    return HEAD.format(plural_forms=catalog.plural_forms).encode() + buffer.getvalue()


def compiled_files(language: str) -> dict[Path, bytes]:
    """What is compiled from a language's catalogues: Django's binary form, and a script for the browser."""
    pages = io.BytesIO()
    catalog = read_catalog(language, PAGES)
    catalog.creation_date = catalog.revision_date = MADE_AT
    write_mo(pages, catalog)
    done = [message for message in read_catalog(language, SCRIPTS) if message.id and is_done(message)]
    script = {first_form(message): message.string for message in done}
    words = json.dumps(script, ensure_ascii=False, indent=0, sort_keys=True)
    return {
        po_path(language, PAGES).with_suffix(".mo"): pages.getvalue(),
        ROOT / "static" / "texts" / f"{language}.js": f"globalThis.texts = {words};\n".encode(),
    }
