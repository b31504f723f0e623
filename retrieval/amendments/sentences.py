"""Sentences of a document that change a clause of another one: which clause, what words, from when on.

"In clause 6.2 the words “thirty (30) days” are replaced by “forty-five (45) days” with effect from 1 March 2024." The
words are data (`amending.*.toml`). What may or would be changed is no change.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from typing import Literal, NamedTuple

from documents.storage.content import DocumentContent, kept_with_content
from reading.matching import match_form
from reading.values.sentences import SENTENCE, split_at
from reading.wording import read_once
from retrieval.candidates.units import prose_of, units_of
from retrieval.types import LineRange
from retrieval.words.lexicon import lexicon_of
from retrieval.words.printed import dates_in

Change = Literal["replaced", "deleted", "added"]
CHANGES: tuple[Change, ...] = ("replaced", "deleted", "added")  # "deleted and replaced" is replaced

QUOTATION = r"(?:„[^„“”]*[“”]|“[^“”]*”|«[^«»]*»|\"[^\"]*\")"
QUOTED = re.compile(QUOTATION)
NUMBER = r"\d{1,3}(?:\.\d{1,3}){0,4}[a-z]?(?!\w|\.\d)"
INSIDE = r"(?:\s*\((?:[a-z]|[ivx]{1,4}|\d{1,2})\)|,?\s*(?:{inside})\s*\(?\d{1,2}\)?)*"
MORE = rf"(?:\s*(?:,|and|und|et|y|&)\s*{NUMBER})*"
FRAMES = {
    "sign": r"\A(?:{sign})",
    "clause": rf"(?<!\w)(?:{{clause}})\s*(?P<number>{NUMBER})(?P<inside>{INSIDE})(?P<more>{MORE})",
    "inside": r"(?:{inside})\s*\d",
    **{name: rf"(?<!\w)(?:{{{name}}})(?!\w)" for name in ("part", "division", "unplaced", "altered")},
    "placed": r"(?<!\w)(?:{part}|{division})(?!\w)",
    "definition": rf"(?<!\w)(?:{{definition}})\s*(?P<terms>{QUOTATION}(?:\s*(?:,|and|und|et|y|&)\s*{QUOTATION})*)",
    "of_part": r"\A[\s,]*(?:\w++['’]?\s*+){1,2}(?:{part})(?!\w)",
    "within": r"(?<!\w)(?:{within})(?:{clause})?\s*\Z",
    "of": r"\A\s*(?>(?:{of})(?!\w))(?!\s*(?:{own})(?!\w))",
    "own": r"(?<!\w)(?:{own})(?!\w)",
    "by_which": r"(?<!\w)(?:{by_which})\Z",
    **{name: rf"(?<!\w)(?:{{{name}}})(?!\w)" for name in (*CHANGES, "conditional", "effect")},
    "instead": r"\A[\s,]*(?:{instead})[\s,]*\Z",
    "for": r"\A[\s,]*(?:{for})[\s,]*\Z",
}
amending_words = read_once(__name__, "amending", FRAMES)
BLANKS_MAX, DATE_REACH = 2, 24  # characters from "with effect from" to the date
BEFORE_PART_MAX = 1  # word: "In Schedule 2", "The Schedule 2"
JOINED = re.compile(
    r"[\s,]{0,3}(?:and|und|et|y|&)\s{1,3}(?:(?:the|die|der|la|las|le|les|el|los)\s{1,3})?", re.IGNORECASE
)
REST = "·"  # stands for each character of a quotation, whose words are no words of the sentence


class Amendment(NamedTuple):
    """One change of one clause. `old` and `new` are the words quoted, "" where the sentence quotes none.

    `clause` is its number and what is named inside it: ("6.2",), ("6", "(2)"), or a part: ("schedule 2",), or a term
    that is defined: ("“Fee”",). `begins` is the day it takes effect, as an ISO date, "" if it is not said. `lines` hold
    the sentence and the new text.
    """

    clause: tuple[str, ...]
    change: Change
    old: str
    new: str
    begins: str
    lines: LineRange

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the clause as it stood is left."""
        return self.change != "added" and not self.old


@kept_with_content
def amendments_in(content: DocumentContent) -> tuple[Amendment, ...]:
    """The changes a document makes, in its order."""
    return tuple(find_amendments(content))


def has_changes(content: DocumentContent) -> bool:
    """Whether a document changes a clause or a schedule, or what is not placed here: a definition."""
    return bool(amendments_in(content)) or any(
        find_change(sentence) and any(amending_words()[name].search(sentence) for name in ("unplaced", "division"))
        for lines in units_with_signs(content)
        for sentence in masked_sentences(lines, content)
    )


def masked_sentences(lines: LineRange, content: DocumentContent) -> Iterator[str]:
    """The sentences of a unit without what they quote."""
    masked = mask_quotations(prose_of(lines, content, in_force=True).text)
    return (masked[start:end] for start, end in split_at(masked, SENTENCE))


def units_with_signs(content: DocumentContent) -> Iterable[LineRange]:
    """The units in which stands a word of a change."""
    lexicon, sign = lexicon_of(content), amending_words()["sign"]
    near = lexicon.lines_with_any([word for word in lexicon.lines if sign.match(word)])
    units = units_of(content)
    return dict.fromkeys(units.around(int(number)) for number in near)


def find_amendments(content: DocumentContent) -> Iterator[Amendment]:
    found = [each for lines in units_with_signs(content) for each in amendments_of_unit(lines, content)]
    begins = date_of_all(content, {each.begins for each in found}) if found else ""
    yield from (each if each.begins else each._replace(begins=begins) for each in found)


def amendments_of_unit(lines: LineRange, content: DocumentContent) -> Iterator[Amendment]:
    """The changes that the sentences of a unit make."""
    prose = prose_of(lines, content, in_force=True)
    masked = mask_quotations(prose.text)
    for start, end in split_at(masked, SENTENCE):
        if read := read_change(prose.text[start:end]):
            clauses, change, old, new, begins = read
            pieces = prose.pieces(start, end)
            own = LineRange(pieces[0].number, pieces[-1].number)
            if not new and change != "deleted" and prose.text[start:end].rstrip().endswith(":"):
                new, own = announced_text(own, content)
            yield from (Amendment(clause, change, old, new, begins, own) for clause in clauses)


def announced_text(lines: LineRange, content: DocumentContent) -> tuple[str, LineRange]:
    """The unit that a sentence announces with a colon, and the lines of both."""
    units = units_of(content)
    position = units.position(lines.last) + 1
    if position >= len(units.starts):
        return "", lines
    announced = units.at(position)
    return prose_of(announced, content, in_force=True).text.strip(), lines.union(announced)


class ReadChange(NamedTuple):
    """What a sentence changes, before its place is known."""

    clauses: tuple[tuple[str, ...], ...]
    change: Change
    old: str
    new: str
    begins: str


def read_change(sentence: str) -> ReadChange | None:
    """The change a sentence makes; None if it makes none."""
    masked = mask_quotations(sentence)
    found = find_change(masked)
    if found is None:
        return None
    change, verb = found
    defined = amending_words()["definition"].search(masked)
    start, end = defined.span("terms") if defined else (0, 0)
    terms = tuple((f"“{each[0][1:-1].strip()}”",) for each in QUOTED.finditer(sentence[start:end]))
    clauses = things_defined(defined, terms, masked, verb) if defined else clauses_named(masked)
    if not clauses:
        return None
    sentence = f"{sentence[:start]}{REST * (end - start)}{sentence[end:]}"
    old, new = words_changed(sentence, masked, change, verb)
    return ReadChange(clauses, change, old, new, date_of_effect(masked))


def things_defined(
    defined: re.Match[str], terms: tuple[tuple[str, ...], ...], masked: str, verb: tuple[int, int]
) -> tuple[tuple[str, ...], ...]:
    """The terms whose definition a sentence changes with the clauses joined to it; the clauses alone where it is only
    mentioned; nothing where each is changed by a verb of its own, or it is open what is.
    """
    before = masked[: defined.start()]
    if is_aside(before) or len(before[verb[1] :].split()) > BEFORE_PART_MAX or ";" in masked[defined.end() : verb[0]]:
        return clauses_named(masked)
    if defined.start() >= verb[1]:
        return terms
    joined: list[tuple[str, ...]] = []
    for found in places_named(masked[: verb[0]]):
        is_before = found.end() <= defined.start()
        between = masked[found.end() : defined.start()] if is_before else masked[defined.end() : found.start()]
        if JOINED.fullmatch(between):
            named = (clauses_named if "number" in found.re.groupindex else schedules_named)(masked[found.start() :])
            if not named:  # of another part or document
                return ()
            joined += named
        elif not is_place(found, masked) and not (is_before and ":" in between):
            return () if find_change(between) or any(places_named(between)) else clauses_named(masked)
    return (*terms, *joined)


def places_named(masked: str) -> Iterator[re.Match[str]]:
    """The clauses and the parts beside them that a text names."""
    for name in ("clause", "placed"):
        yield from amending_words()[name].finditer(masked)


def is_aside(before: str) -> bool:
    """Whether what is behind this text is only mentioned: "after …", "except for …", "clause 4 (which uses …"."""
    return before.count("(") > before.count(")") or bool(amending_words()["by_which"].search(before))


def is_place(found: re.Match[str], masked: str) -> bool:
    """Whether a clause or a part is where something stands, or only mentioned."""
    start = found.start("number") if "number" in found.re.groupindex else found.start()
    return is_aside(masked[: found.start()]) or bool(amending_words()["within"].search(masked[:start]))


def find_change(masked: str) -> tuple[Change, tuple[int, int]] | None:
    """What a sentence says is done to something, and where its verb stands; None where that is only possible."""
    words = amending_words()
    found = next(((name, verb.span()) for name in CHANGES if (verb := words[name].search(masked))), None)
    return None if found is None or words["conditional"].search(masked, 0, found[1][1]) else found


def clauses_named(masked: str) -> tuple[tuple[str, ...], ...]:
    """The clause a sentence is about, the first that is not only mentioned, and those named together with it."""
    words = amending_words()
    for found in words["clause"].finditer(masked):
        if words["by_which"].search(masked[: found.start()]):
            continue
        if words["of_part"].match(masked[found.end() :]):
            return ()
        inside = [f"({mark})" for mark in re.findall(r"\b\w++(?=\)|\Z|\s*[,(])", found["inside"]) if len(mark) <= 4]
        more = re.findall(NUMBER, found["more"])
        return ((found["number"], *inside), *((number,) for number in more))
    return schedules_named(masked)


def schedules_named(masked: str) -> tuple[tuple[str, ...], ...]:
    """The schedule or the division that a sentence begins with: "Item 3 of Schedule 2" is not all of it, and "Section
    B" of a schedule or of another agreement is none of this one.
    """
    words = amending_words()
    found = words["placed"].search(masked)
    if found is None or len(re.findall(r"[^\W\d_]+", masked[: found.start()])) > BEFORE_PART_MAX:
        return ()
    is_of_other = words["division"].match(found[0]) and words["of"].match(masked[found.end() :])
    return () if is_of_other else ((match_form(found[0]),),)


def words_changed(sentence: str, masked: str, change: Change, verb: tuple[int, int]) -> tuple[str, str]:
    """The old words and the new ones that a sentence quotes."""
    begin = masked.rfind(";", 0, verb[0]) + 1
    quoted = [(found.start(), found.end(), found[0][1:-1].strip()) for found in QUOTED.finditer(sentence, begin)]
    before = [each for each in quoted if each[1] <= verb[0]]
    after = [each for each in quoted if each[0] >= verb[1]]
    if change == "deleted":
        return (before or after or [(0, 0, "")])[-1][2], ""
    if change == "added":
        return "", quoted[-1][2] if quoted else ""
    if len(before) > 1 and not after:
        return before[-2][2], before[-1][2]
    if before:
        return before[-1][2], after[0][2] if after else ""
    if len(after) > 1:
        between = masked[after[0][1] : after[1][0]]
        if amending_words()["for"].match(between):
            return after[1][2], after[0][2]
        if amending_words()["instead"].match(between):
            return after[0][2], after[1][2]
    return "", after[0][2] if after else ""


def mask_quotations(text: str) -> str:
    """The text with each quotation between its marks made of dots, but for the sign that ends it."""
    return QUOTED.sub(lambda found: f"{found[0][0]}{REST * (len(found[0]) - 2)}{found[0][-1]}", text)


# ---- from when on


def date_of_effect(masked: str) -> str:
    """The day from which a text says that it holds; "" if it says none, or several."""
    days = days_of_effect(masked)
    return days.pop() if len(days) == 1 else ""


def days_of_effect(masked: str) -> set[str]:
    return {
        date.value
        for found in amending_words()["effect"].finditer(masked)
        for date in dates_in(masked[found.end() : found.end() + DATE_REACH])
        if date.start <= BLANKS_MAX
    }


def date_of_all(content: DocumentContent, said: Collection[str]) -> str:
    """The day on which a document says that it takes effect; "" if it says none, or several.

    `said` are the days of its sentences, which hold for these alone.
    """
    text = " ".join(line.text_in_force for line in content.searched_lines)
    days = days_of_effect(mask_quotations(text)).difference(said)
    return days.pop() if len(days) == 1 else ""


def own_date(content: DocumentContent) -> str:
    """The first date of a document's first page, which is its own; "" without one."""
    dates = cover_dates(content)
    return dates[0] if dates else ""


def cover_dates(content: DocumentContent) -> list[str]:
    """The dates of a document's first page, in reading order, as ISO dates."""
    return [date for _, date in dated_cover(content)]


def dated_cover(content: DocumentContent) -> list[tuple[str, str]]:
    """Each date of a document's first page as an ISO date, after the text between the date before and it.

    Between a title and what stands below it is a semicolon.
    """
    kinds = groupby((line for line in content.cover if line.page_number == 1), key=lambda line: line.kind)
    text = "; ".join(" ".join(line.text_in_force for line in lines) for _, lines in kinds)
    dates = sorted(dates_in(text), key=lambda date: date.start)
    begins = [0, *(date.end for date in dates)]
    return [(text[begin : date.start], date.value) for begin, date in zip(begins, dates, strict=False)]
