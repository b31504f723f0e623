"""Rules over several values of an answer (R82): a start comes before its end, rows add up to their total.

What fails is said as a problem of the answer or the sentence. It may be a slip of the document as well as of the
writer, so nothing is corrected. Shares that do not add up to their printed 100 % are only noted for auditors.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chat.checks import AnswerCheck, AskedItem, MarkedValue, TypedValue, ValueNote, literal_check
from chat.drafts import AnswerDraft, Quoted
from chat.figures.shares import find_shares_off
from chat.figures.totals import Mismatch, find_mismatches
from chat.writing.writer import NUMBER
from documents.storage.content import DocumentContent
from reading.tables import Table
from retrieval.types import LineRange
from retrieval.words.periods import NamedDate, find_reversed, find_reversed_pairs
from retrieval.words.printed import number_form

START_AFTER_END, TOTAL_DIFFERS = "start_after_end", "total_differs"
SHARES_DIFFER = "shares_differ"  # a note, no reason: it weakens nothing
REASONS = {
    START_AFTER_END: "a start is later than its end",
    TOTAL_DIFFERS: "the rows of the table do not add up to its total",
}
Contents = Mapping[Any, DocumentContent]


@dataclass(frozen=True)
class Conflict:
    """What does not agree, in words, and the markers of the citations it stands in."""

    problem: str
    words: str
    markers: tuple[int, ...]

    @property
    def check(self) -> AnswerCheck:
        """In the format of sentence checks."""
        return literal_check(self.words, [*self.markers], problems=(self.problem,))


# ---- an answer made of quotes


def conflicts_in_quotes(
    quoted: Sequence[Quoted], contents: Contents, checks: Iterable[AnswerCheck]
) -> Iterator[Conflict]:
    """What does not agree in the quotes of an answer, and in the table it gives as its value."""
    for each in quoted:
        for dates in find_reversed(each.quote):
            yield Conflict(START_AFTER_END, f"{dates.start} – {dates.end}", (each.marker,))
    given = {check["markers"][0]: table_lines(check["typed"]) for check in checks if is_table(check)}
    seen: set[Mismatch] = set()
    for each in quoted:
        places = [lines_cited(each), *([given[each.marker]] if each.marker in given else [])]
        for found in mismatches_at(each, places, contents):
            if found not in seen:
                seen.add(found)
                yield Conflict(TOTAL_DIFFERS, words_over(found), (each.marker,))


def is_table(check: AnswerCheck) -> bool:
    return bool(check.get("markers")) and check.get("typed", {}).get("type") == "table"


def table_lines(typed: TypedValue) -> LineRange:
    return LineRange(typed["rows"][0]["lines"][0], typed["rows"][-1]["lines"][1])


def lines_cited(quoted: Quoted) -> LineRange:
    if quoted.place:
        return LineRange(quoted.place.first_line, quoted.place.last_line)
    return LineRange(quoted.candidate.anchor_first_line, quoted.candidate.anchor_last_line)


def mismatches_at(quoted: Quoted, places: Sequence[LineRange], contents: Contents) -> Iterator[Mismatch]:
    """The totals of which the places have a row."""
    for table in tables_at(quoted, places, contents):
        yield from (each for each in find_mismatches(table) if is_at(each, places))


def tables_at(quoted: Quoted, places: Sequence[LineRange], contents: Contents) -> Iterator[Table]:
    content = contents.get(quoted.candidate.parse_id)
    if content is None:
        return
    pages = sorted({line.page_number for place in places for line in content.lines_between(*place)})
    for page in pages:
        yield from content.tables_on_page(page)


def is_at(found: Mismatch, places: Sequence[LineRange]) -> bool:
    return any(place.overlaps(LineRange(found.first_line, found.last_line)) for place in places)


def words_over(found: Mismatch) -> str:
    """ "Total assets, 2023: 4,200, added up 4,020"."""
    named = ", ".join(filter(None, (found.label, found.heading)))
    return f"{named}: {found.printed}, added up {found.added:,}"


# ---- what is only noted


def notes_on_shares(quoted: Sequence[Quoted], contents: Contents) -> list[AnswerCheck]:
    """A note for each column of shares that is cited and does not add up to its 100 %; none has a problem."""
    found: dict[Mismatch, AnswerCheck] = {}
    for each in quoted:
        places = [lines_cited(each)]
        for table in tables_at(each, places, contents):
            for off in find_shares_off(table):
                if off not in found and is_at(off, places):
                    found[off] = check_of_shares(off, each.marker)
    return [*found.values()]


def check_of_shares(off: Mismatch, marker: int) -> AnswerCheck:
    """ "Total, Share: the printed shares add up to 99.2 %, the total says 100 %"."""
    named = ", ".join(filter(None, (off.label, off.heading)))
    printed = off.printed if "%" in off.printed else f"{off.printed} %"
    check = literal_check(f"{named}: the printed shares add up to {off.added} %, the total says {printed}", [marker])
    check["note"] = ValueNote(
        code=SHARES_DIFFER,
        label=off.label,
        column=off.heading,
        added=str(off.added),
        printed=off.printed,
        lines=[off.first_line, off.last_line],
    )
    return check


# ---- an answer that a model wrote


def conflicts_in_sentences(
    checks: Sequence[AnswerCheck], quotes: Sequence[Quoted], contents: Contents
) -> dict[int, Conflict]:
    """What does not agree in each sentence, by its number from 1: its dates, or a total it gives."""
    by_marker = {each.marker: each for each in quotes}
    wrong = {each.marker: [*mismatches_at(each, [lines_cited(each)], contents)] for each in quotes}
    found: dict[int, Conflict] = {}
    for number, check in enumerate(checks, 1):
        markers = tuple(marker for marker in check["markers"] if marker in by_marker)
        said = {number_form(each) for each in NUMBER.findall(check["sentence"])}
        totals = [each for marker in markers for each in wrong[marker] if said & numbers_of_cell(each)]
        if dates := find_reversed(check["sentence"]):
            found[number] = Conflict(START_AFTER_END, f"{dates[0].start} – {dates[0].end}", markers)
        elif totals:
            found[number] = Conflict(TOTAL_DIFFERS, words_over(totals[0]), markers)
    return found


def numbers_of_cell(found: Mismatch) -> set[str]:
    return {number_form(each) for each in NUMBER.findall(found.printed)}


def with_conflicts(checks: Sequence[AnswerCheck], found: Mapping[int, Conflict]) -> list[AnswerCheck]:
    """The checks of the sentences, those that do not agree flagged."""
    return [
        check | {"problems": [*check["problems"], found[number].problem]} if number in found else check
        for number, check in enumerate(checks, 1)
    ]


# ---- the things that were asked


def conflicts_in_items(items: Sequence[AskedItem], quoted: Sequence[Quoted]) -> Iterator[Conflict]:
    """A start and an end that were asked for in one question, each with one date."""
    dates = filter(None, (date_of(item["asked"], item["values"], quoted) for item in items))
    for start, end in find_reversed_pairs([*dates]):
        yield Conflict(START_AFTER_END, words_of_pair(start, end), (*start.markers, *end.markers))


def conflicts_in_fields(named: Sequence[tuple[str, AnswerDraft]]) -> dict[str, list[Conflict]]:
    """By the name of the field, the starts and ends that were asked for as fields of the same documents."""
    dates = [
        date_of(name, [value for item in draft.items for value in item["values"]], draft.quoted)
        for name, draft in named
    ]
    found: dict[str, list[Conflict]] = {}
    for start, end in find_reversed_pairs([*filter(None, dates)]):
        for date in (start, end):
            conflict = Conflict(START_AFTER_END, words_of_pair(start, end), date.markers)
            found.setdefault(date.asked, []).append(conflict)
    return found


def date_of(asked: str, values: Sequence[MarkedValue], quoted: Sequence[Quoted]) -> NamedDate | None:
    """The date that was found for what was asked; None for none and for several, of which any may be meant."""
    dates = [value for value in values if value["type"] == "date"]
    if len({date["value"] for date in dates}) != 1:
        return None
    markers = tuple(dict.fromkeys(date["marker"] for date in dates))
    documents = frozenset(str(each.candidate.document_id) for each in quoted if each.marker in markers)
    return NamedDate(asked, dates[0]["value"], dates[0]["printed"], documents, markers)


def words_of_pair(start: NamedDate, end: NamedDate) -> str:
    return f"{start.asked}: {start.printed}; {end.asked}: {end.printed}"


def with_doubts(draft: AnswerDraft, conflicts: Iterable[Conflict]) -> AnswerDraft:
    """The draft with these conflicts among its checks; what was asked and stands in one is no longer plainly found."""
    checks = [*draft.checks, *(each.check for each in conflicts)]
    doubtful = [check for check in checks if not check.get("left_out")]
    return replace(draft, checks=checks, items=[with_weakness(item, doubtful) for item in draft.items])


def with_weakness(item: AskedItem, checks: Iterable[AnswerCheck]) -> AskedItem:
    """The item, not clearly found if its values do not agree with each other."""
    markers = {value["marker"] for value in item["values"]} or set(item["markers"])
    for check in checks:
        problem = next((each for each in check["problems"] if each in REASONS), "")
        if problem and item["outcome"] == "found" and not markers.isdisjoint(check["markers"]):
            return item | {"outcome": "weak", "code": problem, "reason": REASONS[problem]}
    return item
