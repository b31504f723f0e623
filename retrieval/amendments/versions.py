"""The versions of a clause among the documents that are read: as it was agreed, and what each amendment made of it.

Derived from the lines when a question is asked over several documents: nothing is stored.

The document amended is the one that the first page names by title and date, or as a contract of its date; where that
is not one alone nothing is linked. All versions of a clause that the best places stand in are judged (`asked`); then
those in force, or at the date in the question, come first, and what they replaced supports (`in_force`).
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.rows import LineRow
from retrieval.amendments.naming import dates_named, is_named_by_date, is_naming, titles_of
from retrieval.amendments.sentences import Amendment, amending_words, amendments_in, cover_dates, own_date
from retrieval.candidates.units import units_of
from retrieval.types import ClauseState, LineRange
from retrieval.words.lexicon import lexicon_of
from retrieval.words.tokens import is_generic, is_stop_word, normalise_words, pattern_of

# A number that begins a clause: what goes on with a small letter after one is a line that happens to begin so.
NUMBERED = re.compile(
    r"\A\s*(?P<number>\d{1,3}(?:\.\d{1,3}){1,4}[a-z]?(?=[.):\s])|\d{1,3}[a-z]?(?=[.):]))[.):]?\s*(?![a-z\d,;.])"
)
HEADED = re.compile(r"\A\s*(?P<number>\d{1,3}[a-z]?)\s+(?=[A-ZÀ-ÖØ-Þ])")  # a heading "3 Rent"
TERM_BEGINS = r'\W*(?:\(?[\w.]{1,8}[.)]?\s)?"\W*'  # in match form


class Version(NamedTuple):
    """A clause as one document has it: the lines, what became of it, and when that document was made."""

    document_id: str
    lines: LineRange
    in_force: ClauseState
    made: str
    amends: bool = True  # it is a sentence that changes the clause, not the clause itself
    is_conditional: bool = False  # nobody can say whether, or how far, it changes the clause


class Versions(NamedTuple):
    """What the documents say of one clause, the newest first."""

    clause: str  # "6.2"
    each: tuple[Version, ...]

    @property
    def is_dated(self) -> bool:
        """Whether each amendment says from when it holds."""
        return all(version.in_force.begins for version in self.each if version.amends)

    @property
    def is_conditional(self) -> bool:
        """Whether all that is changed may be so only, which nobody here can say."""
        return all(version.is_conditional for version in self.each if version.amends)

    def at(self, document_id: str, lines: LineRange) -> Version | None:
        """The version that lines of a document belong to."""
        return next((one for one in self.each if one.document_id == document_id and one.lines.overlaps(lines)), None)


class Link(NamedTuple):
    """An amendment, the document that makes it, and that document's date."""

    amendment: Amendment
    document_id: str
    made: str

    @property
    def order(self) -> tuple[str, str]:
        return (self.amendment.begins or self.made, self.made)


def find_versions(contents: Sequence[DocumentContent]) -> tuple[Versions, ...]:
    """The versions of each clause that a document among them changes in another one.

    An amendment belongs to the one document that it names and that has such a clause; where it may be of several it is
    of none: that something was replaced is said only where it is known, not of a clause "of the Security Agreement".
    """
    links: dict[tuple[str, tuple[str, ...]], list[Link]] = {}
    amending = {content.document_id: found for content in contents if (found := amendments_in(content))}
    for content in contents:
        found = amending.get(content.document_id, ())
        others = amended_documents(content, contents) if found else []
        if len(others) != 1:
            continue
        target = others[0]
        for each in found:
            if other := next((name for name in each.contracts if not is_naming(f"{name} agreement dated", target)), ""):
                each = each._replace(change="added", condition=each.condition or other)
            key = (target.document_id, each.clause)
            links.setdefault(key, []).append(Link(each, content.document_id, date_made(content, target)))
    content_of = {content.document_id: content for content in contents}
    found_versions = (versions_of(content_of[key], clause, own) for (key, clause), own in links.items())
    return tuple(each for each in found_versions if each)


def amended_documents(amending: DocumentContent, contents: Sequence[DocumentContent]) -> list[DocumentContent]:
    """The documents that an amendment may be about: those it names by their titles, else by their dates.

    Another amendment is not what is amended, though it may be named.
    """
    others = [each for each in contents if each is not amending and not amendments_in(each)]
    by_title = [each for each in others if names_document(amending, each)]
    return by_title or [each for each in others if is_named_by_date(amending, each)]


def names_document(amending: DocumentContent, other: DocumentContent) -> bool:
    """Whether a document says on its first page that it amends the other: by its title, and by its date if it has one.

    With one date alone, which is not that of the document it names, it says none but its own.
    """
    dates, own = cover_dates(amending), own_date(other)
    is_dated = not own or own in dates or (len(set(dates)) < 2 and not dates_named(amending, other))
    cover = " ".join(normalise_words(" ".join(line.match for line in amending.cover)))
    return is_dated and any(f" {title} " in f" {cover} " for title in title_forms(other))


def title_forms(content: DocumentContent) -> set[str]:
    """The titles of a document that tell it from others."""
    return {" ".join(words) for words in titles_of(content) if is_telling_title(words, content.language)}


def is_telling_title(words: Sequence[str], language: str) -> bool:
    """Whether a title tells a document from others: "Agreement" alone does not."""
    telling = [word for word in words if not is_stop_word(word, language)]
    return len(telling) > 1 or any(not is_generic(word, language) for word in telling)


def date_made(amending: DocumentContent, amended: DocumentContent) -> str:
    """The first date of an amendment's first page that is not that of what it amends; "" without one."""
    return next((date for date in cover_dates(amending) if date != own_date(amended)), "")


def versions_of(content: DocumentContent, clause: tuple[str, ...], links: Sequence[Link]) -> Versions | None:
    """The clause as it was agreed and as each amendment has it; None where the document has no such clause."""
    lines = lines_of_clause(content, clause)
    if lines is None:
        return None
    ordered = sorted(links, key=lambda link: link.order)
    texts = [match_form(content.text_between(*lines)), *(match_form(each.amendment.new) for each in ordered)]
    first = Version(content.document_id, lines, state_of(texts[0], "", ordered), own_date(content), amends=False)
    later = [
        Version(
            link.document_id,
            link.amendment.lines,
            state_of(texts[at], link.amendment.begins, ordered[at:], link.amendment.condition),
            link.made,
            is_conditional=bool(link.amendment.condition),
        )
        for at, link in enumerate(ordered, 1)
    ]
    return Versions("".join(clause), (*reversed(later), first))


def name_clause(clause: str) -> str:
    """What a clause is called: "clause 6.2", but "schedule 2" and "“Fee”"."""
    return f"clause {clause}" if clause[:1].isdigit() else clause


def state_of(text: str, begins: str, after: Sequence[Link], condition: str = "") -> ClauseState:
    """What became of a text by the amendments after it: the first that takes it away, else the first that adds, before
    that one of which nobody can say whether, or how far, it does; else the `condition` of its own.
    """
    own = [link.amendment for link in after if not link.amendment.old or match_form(link.amendment.old) in text]
    found = min(own, key=lambda each: (each.change == "added", not each.condition), default=None)
    if found is None:
        return ClauseState(begins, condition=condition)
    change = "replaced" if found.old and found.change == "deleted" else found.change  # words of it
    return ClauseState(begins, found.begins, change, found.condition)


# ---- where a clause stands


def lines_of_clause(content: DocumentContent, clause: tuple[str, ...]) -> LineRange | None:
    """The lines from the number of a clause, and the mark inside it, to the next one; None if there is none."""
    is_term = clause[0].startswith("“")
    lines = lines_of_definition(content, clause[0][1:-1]) if is_term else numbered_lines(content, clause[0])
    for mark in clause[1:]:
        lines = lines_of_mark(content, lines, mark) if lines else None
    return lines


def lines_of_definition(content: DocumentContent, term: str) -> LineRange | None:
    """The one line that begins with a term in quotation marks, to the end of its unit or the next term; else None."""
    words, units = normalise_words(term), units_of(content)
    begun = re.compile(rf'{TERM_BEGINS}{pattern_of(words)}\W*"')
    near = map(int, lexicon_of(content).lines_with(" ".join(words)) if words else ())
    own = [number for number in near if begun.match(match_form(content.lines[number - 1].text_in_force))]
    if len(own) != 1:
        return None
    after = content.lines_between(own[0] + 1, units.around(own[0]).last)
    next_term = next((line.number for line in after if re.match(TERM_BEGINS, line.match)), 0)
    return LineRange(own[0], (next_term or units.around(own[0]).last + 1) - 1)


def numbered_lines(content: DocumentContent, number: str) -> LineRange | None:
    rows = [line for line in content.lines if line.kind != "contents"]
    begins = [at for at, line in enumerate(rows) if number_of(line) == number]
    is_division = amending_words()["division"].match(number) is not None
    if not begins or (is_division and len(begins) > 1):
        return None
    last = begin = begins[0]
    for at in range(begin + 1, len(rows)):
        other = number_of(rows[at])
        is_headed = rows[at].kind == "heading" and not other.startswith(f"{number}.")
        if is_beyond(other, number) or (is_headed and number[:1].isdigit()):
            break
        if rows[at].kind != "furniture":
            last = at
    lines = LineRange(rows[begin].number, rows[last].number)
    entry = content.toc_by_index.get(rows[begin].toc_index)
    if number[:1].isdigit() or entry is None or entry.first_line != lines.first:
        return lines
    is_section = is_division and entry.last_line > lines.first
    return LineRange(lines.first, entry.last_line if is_section else max(lines.last, entry.last_line))


def number_of(line: LineRow) -> str:
    """The number of the clause that begins on a line: "6.2 The …", or a heading "§ 6 Payment"; "schedule 2" of one."""
    text = line.text_in_force
    is_labelled = line.kind == "heading" or text.startswith("§")
    if line.kind == "heading" and (part := amending_words()["placed"].match(text.strip())):
        return match_form(part[0])
    labelled = amending_words()["clause"].match(text.strip()) if is_labelled else None
    found = labelled or NUMBERED.match(text) or (HEADED.match(text) if line.kind == "heading" else None)
    return found["number"] if found else ""


def is_beyond(other: str, number: str) -> bool:
    """Whether a number begins another clause: no deeper one, and none that goes on counting elsewhere.

    A schedule, which counts its own clauses, ends with the next one.
    """
    if not number[:1].isdigit():
        return bool(other) and other != number and not other[:1].isdigit()
    return (
        bool(other) and other != number and not other.startswith(f"{number}.") and other.count(".") <= number.count(".")
    )


def lines_of_mark(content: DocumentContent, within: LineRange, mark: str) -> LineRange | None:
    """The lines of "(b)" inside a clause."""
    marked = re.compile(r"\s*(?:[\d.]+\s+)?(\(\w{1,4}\))")
    begins: list[tuple[str, int]] = []
    for line in content.lines_between(*within):
        if found := marked.match(line.text):
            begins.append((found[1], line.number))
    at = next((at for at, (found, _) in enumerate(begins) if found == mark), None)
    if at is None:
        return None
    end = begins[at + 1][1] - 1 if at + 1 < len(begins) else within.last
    return LineRange(begins[at][1], max(begins[at][1], end))
