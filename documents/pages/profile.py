"""What kind of document and pages these are, and which pages were probably not read well, in words (R4, R10, R11)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _

from documents.models import Parse
from documents.pages.sentences import translate_sentence
from reading import heavier
from reading.pages.profile import DocumentProfile
from reading.pages.quality import DOUBTFUL
from reading.reasons import PAGE_FLAGS, PAGE_KINDS, number_ranges
from reading.rows import LineRow, PageRow

PROGRAM_CLASSES = {
    "scanner": _("a scanner"),
    "typesetting": _("a typesetting program"),
    "design": _("a design program"),
    "office": _("an office program"),
    "web": _("a converter of web pages"),
    "print": _("a print driver or converter"),
}
METHODS = {
    "ocr": _("text recognition"),
    "ocr_picture": _("text recognition of the picture"),
    "pdfplumber": _("the reader of tables"),
}


@dataclass(frozen=True)
class ReportLine:
    """One line of a report: ok or warn, its topic, its finding."""

    kind: str
    name: str
    words: str


def profile_findings(parse: Parse) -> Iterator[ReportLine]:
    """The document's profile; nothing for a parse that was made before there were profiles."""
    profile: DocumentProfile | None = parse.profile or None
    if profile is None:
        return
    yield ReportLine("ok", gettext("Pages"), kinds_words(profile["kinds"]))
    if profile["is_scanned"]:
        words = gettext("scanned: most pages are pictures")
        if profile["is_scan_undeclared"]:
            words += "; " + gettext("the file names another program, the pages count")
        yield ReportLine("warn", gettext("Document"), words)
    elif profile["is_text_of_scanner"]:
        words = gettext("the file names a scanner, but its pages have text of their own; the pages count")
        yield ReportLine("ok", gettext("Document"), words)
    if profile["is_table_heavy"]:
        count = profile["tables_at_front"]
        words = ngettext("%(count)s on the first pages", "%(count)s on the first pages", count) % {"count": count}
        yield ReportLine("ok", pgettext("of a document", "Tables"), words)
    if profile["program"]:
        made_by = PROGRAM_CLASSES.get(profile["program_class"])
        words = f"{profile['program']}, {made_by}" if made_by else profile["program"]
        yield ReportLine("ok", gettext("Made with"), words)


def kinds_words(kinds: Mapping[str, int]) -> str:
    """How many pages there are of each kind, the most frequent first."""
    ordered = sorted(kinds.items(), key=lambda item: -item[1])
    return ", ".join(" ".join((str(count), gettext(PAGE_KINDS[kind]))) for kind, count in ordered)


def quality_findings(parse: Parse) -> Iterator[ReportLine]:
    """Each reason why pages were probably not read well, with these pages and what would read them."""
    flagged: dict[str, list[int]] = {}
    for number, flags in parse.pages.exclude(flags=[]).values_list("number", "flags"):
        for flag in flags:
            if flag in DOUBTFUL:
                flagged.setdefault(flag, []).append(number)
    for flag, numbers in flagged.items():
        words = f"{number_ranges(numbers)}: {reason_words(flag)}"
        yield ReportLine("warn", gettext("To check"), words)


def contents_check_findings(parse: Parse) -> Iterator[ReportLine]:
    """What became of the contents when a model looked them over (R13); nothing if none did."""
    told = parse.report.get("contents")
    if not isinstance(told, dict):
        return
    words = gettext("looked over by a model in %(passes)s requests: %(added)s added, %(dropped)s left out") % told
    if told["failure"]:
        words += ". " + translate_sentence(told["failure"])
    yield ReportLine("warn" if told["failure"] else "ok", gettext("Contents"), words)


def page_findings(page: PageRow, lines: Sequence[LineRow]) -> Iterator[ReportLine]:
    """The kind of one page, what a heavier reader added to it, and why it was probably not read well."""
    if page.kind:
        yield ReportLine("ok", gettext("This page"), gettext(PAGE_KINDS[page.kind]))
    for method in dict.fromkeys(line.method for line in lines if line.method in METHODS):
        words = gettext("%(method)s added lines; compare them with the page") % {"method": METHODS[method]}
        yield ReportLine("ok", gettext("This page"), words)
    for flag in page.flags:
        if flag in DOUBTFUL:
            yield ReportLine("warn", gettext("This page"), reason_words(flag))


def reason_words(flag: str) -> str:
    """Why a page has a flag, and what reads it better."""
    return " ".join((translate_sentence(PAGE_FLAGS[flag]), remedy_words(flag))).strip()


def remedy_words(flag: str) -> str:
    """What reads a page with this flag better, and whether it is installed here."""
    method = heavier.METHOD_OF.get(flag)
    if method is None:
        return ""
    told = {"method": METHODS[method]}
    if heavier.library_of(method):
        return gettext("What may read it: %(method)s.") % told
    return gettext("What would read it is not installed here: %(method)s.") % told
