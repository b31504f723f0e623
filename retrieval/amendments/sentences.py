"""Sentences of a document that change a clause of another one: which clause, what words, from when on.

"In clause 6.2 the words “thirty (30) days” are replaced by “forty-five (45) days” with effect from 1 March 2024." The
words are data (`amending.*.toml`). What may or would be changed is no change.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, groupby, pairwise
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
AND, UP_TO = r"(?:,|and|und|et|y|&)", r"(?:to|through|bis|à|al?|–)"
MORE = rf"(?:\s*(?:{AND}|{UP_TO})\s*{NUMBER})*"
FRAMES = {
    "sign": r"\A(?:{sign})",
    "clause": rf"(?<!\w)(?:{{clause}})\s*(?P<number>{NUMBER})(?P<inside>{INSIDE})(?P<more>{MORE})",
    "inside": r"(?:{inside})\s*\d",
    **{name: rf"(?<!\w)(?:{{{name}}})(?!\w)" for name in ("part", "division", "unplaced", "altered")},
    "placed": r"(?<!\w)(?:{part}|{division})(?!\w)",
    "definition": rf"(?<!\w)(?:{{definition}})\s*(?P<terms>{QUOTATION}(?:\s*(?:,|and|und|et|y|&)\s*{QUOTATION})*)",
    "of_part": rf"\A[\s,]*(?!{AND}\s)(?:\w++['’]?\s*+){{1,2}}(?:{{part}})(?!\w)",
    "within": r"(?<!\w)(?:{within})(?:{clause})?\s*\Z",
    "by_which": r"(?<!\w)(?:{by_which})\Z",
    **{name: rf"(?<!\w)(?:{{{name}}})(?!\w)" for name in (*CHANGES, "conditional", "effect", "partly")},
    "instead": r"\A[\s,]*(?:{instead})[\s,]*\Z",
    "for": r"\A[\s,]*(?:{for})[\s,]*\Z",
}
amending_words = read_once(__name__, "amending", FRAMES)
BLANKS_MAX, DATE_REACH = 2, 24  # characters from "with effect from" to the date
BEFORE_PART_MAX = 1  # word: "In Schedule 2", "The Schedule 2"
ARTICLE = r"(?:(?:the|die|der|das|la|las|le|les|el|los)\s+)?"
LISTED = re.compile(
    rf"[\s,]*(?P<and>(?:and|as\s+well\s+as|und|sowie|et|ainsi\s+que|y|así\s+como|&)\s+)?{ARTICLE}", re.IGNORECASE
)
RIGHT_BEHIND = re.compile(rf"\s+{ARTICLE}", re.IGNORECASE)
LED = re.compile(rf"[:,]\s+{ARTICLE}\Z", re.IGNORECASE)  # "By the second sentence of the deed, clause 4 …"
JOINT = re.compile(r"[;,]\s{1,3}(?:(?:and|und|et|y)\b[\s,]{1,3})?|\s(?:and|und|et|y)\b[\s,]{1,3}", re.IGNORECASE)
BRACKETED = re.compile(r"\([^()]*\)")
# A word before numbers of which a row may be named: "clauses 3 to 7".
PLURAL = re.compile(r"\w+s\b|§§|Ziffern|Klauseln|Nummern|Abschnitten?|Artikeln?", re.IGNORECASE)
BEHIND_VERB_MAX = 3  # words: "by deleting the second sentence"
ROW_MAX = 20  # numbers of "clauses 3 to 7"
KIND_CHARS = 3  # of "section", "paragraph"
REST = "·"  # stands for each character of a quotation, whose words are no words of the sentence


class Amendment(NamedTuple):
    """One change of one clause. `old` and `new` are the words quoted, "" where the sentence quotes none.

    `clause` is its number and what is named inside it: ("6.2",), ("6", "(2)"), or a part: ("schedule 2",), or a term
    that is defined: ("“Fee”",). What is changed in part is `added` to. `begins` is the day it takes effect, as an ISO
    date, "" if it is not said. `lines` hold the sentence and the new text.
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
        sentence = prose.text[start:end]
        for clauses, change, old, new, begins in read_changes(sentence):
            pieces = prose.pieces(start, end)
            own = LineRange(pieces[0].number, pieces[-1].number)
            if not new and change != "deleted" and sentence.rstrip().endswith(":"):
                new, own = announced_text(own, content)
                change = "added" if find_change(mask_quotations(new)) else change  # "as follows: in (a) the words …"
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


def read_changes(sentence: str) -> list[ReadChange]:
    """The changes a sentence makes, in its order; a day that it says before its first verb holds for each."""
    masked = mask_quotations(sentence)
    read = []
    for start, end in split_changes(masked):
        if change := read_change(sentence[start:end], masked[start:end]):
            read.append(change if change.begins else change._replace(begins=day_carried_to(start, end, masked)))
    return read


def day_carried_to(start: int, end: int, masked: str) -> str:
    """The day on which a part of a sentence takes effect that does not say it: not that of a change before it."""
    first = min(verb.start() for name in CHANGES for verb in amending_words()[name].finditer(masked))
    is_own = start > 0 and any(True for _ in dates_in(masked[start:end]))
    return "" if is_own else date_of_effect(f"{masked[:first]} {masked[max(start, first) :]}")


def split_changes(masked: str) -> list[tuple[int, int]]:
    """A sentence cut before each further change of something that it names: "Clause 2 is deleted and clause 3 is …".

    What a colon announces, or is called otherwise than what stands before it, is inside of that: "paragraph 3".
    """
    verbs = [found for name in CHANGES for found in amending_words()[name].finditer(masked)]
    parts: list[tuple[int, int]] = []
    start = 0
    for joint in JOINT.finditer(masked) if len(verbs) > 1 or ";" in masked else ():
        before, after = masked[start : joint.start()], masked[joint.end() :]
        done, further = find_change(before), find_change(after)
        is_apart = ";" in joint[0] and not any(start <= verb.start() < joint.start() for verb in verbs)
        if not further or not (done or is_apart) or (done and ":" in before[done[1][0] :]):
            continue
        named = things_named(after[: further[1][0]])
        if named and len(kinds_of([*things_named(before), *named])) <= 1:
            parts.append((start, joint.start()))
            start = joint.end()
    return [*parts, (start, len(masked))]


def read_change(sentence: str, masked: str) -> ReadChange | None:
    """The change that a sentence or a part of one makes; None if it makes none."""
    found = find_change(masked)
    if found is None:
        return None
    change, verb = found
    announced = masked[verb[1] - 1 :].partition(":")[2]
    begin = len(masked) - len(announced)
    if change == "replaced" and find_change(announced) and not things_named(masked[:begin]):
        return read_change(sentence[begin:], announced)  # "The Agreement is amended as follows: …"
    clauses = things_changed(sentence, masked, verb)
    if not clauses:
        return None
    start, end = defined.span("terms") if (defined := amending_words()["definition"].search(masked)) else (0, 0)
    sentence = f"{sentence[:start]}{REST * (end - start)}{sentence[end:]}"
    old, new = words_changed(sentence, masked, change, verb)
    if not old and (is_partly(masked, verb) or find_change(announced)):
        change = "added"
    return ReadChange(clauses, change, old, new, date_of_effect(masked))


def things_changed(sentence: str, masked: str, verb: tuple[int, int]) -> tuple[tuple[str, ...], ...]:
    """Each thing of a list that a sentence changes, else the clause it is about; nothing where it is open what is."""
    named = things_named(masked)
    behind = next((each for each in named if each.start() >= verb[1]), None)
    is_announced = masked[verb[1] - 1] == ":" and behind and "terms" not in behind.re.groupindex
    if behind and not is_announced and RIGHT_BEHIND.fullmatch(masked, verb[1], behind.start()):
        return clauses_at(behind, sentence, masked)
    begin = masked.rfind(";", 0, verb[0]) + 1
    named = [each for each in named if begin <= each.start() and each.end() <= verb[0]]
    things = [each for each in named if not is_place(each, masked)]
    defined = next((each for each in things if "terms" in each.re.groupindex), None)
    if defined:
        things = [each for each in things if ":" not in masked[each.end() : defined.start()]]
    elif len(things) < 2 or len(kinds_of(named)) > 1:
        return clauses_named(masked)
    gaps = [BRACKETED.sub("", masked[one.end() : other.start()]) for one, other in pairwise(things)]
    listed = [LISTED.fullmatch(gap) for gap in gaps]
    if all(listed) and (not gaps or any(found and found["and"] for found in listed)):
        clauses = [clauses_at(each, sentence, masked) for each in things]
        return tuple(chain(*clauses)) if all(clauses) else ()
    is_open = defined and (all(listed) or any(things_named(gap) for gap in gaps))
    return () if is_open else clauses_named(masked)


def things_named(masked: str) -> list[re.Match[str]]:
    """The clauses, the parts beside them and the definitions that a text does not only mention, in its order."""
    found = (each for name in ("clause", "placed", "definition") for each in amending_words()[name].finditer(masked))
    named = (each for each in found if not is_aside(masked[: each.start()]))
    return sorted(named, key=lambda each: each.start())


def kinds_of(things: Iterable[re.Match[str]]) -> set[str]:
    """What clauses are called before their numbers, as far as it tells "section" from "paragraph"."""
    numbered = (each for each in things if "number" in each.re.groupindex)
    names = (each.string[each.start() : each.start("number")].strip().replace("§§", "§") for each in numbered)
    return {name[:KIND_CHARS].casefold() for name in names}


def clauses_at(thing: re.Match[str], sentence: str, masked: str) -> tuple[tuple[str, ...], ...]:
    """The clauses, the part or the terms that are named at a place; nothing of another part."""
    if "terms" in thing.re.groupindex:
        return tuple((f"“{each[0][1:-1].strip()}”",) for each in QUOTED.finditer(sentence, *thing.span("terms")))
    return (clauses_named if "number" in thing.re.groupindex else schedules_named)(masked[thing.start() :])


def is_aside(before: str) -> bool:
    """Whether what is behind this text is only mentioned: "after …", "except for …", "clause 4 (which uses …"."""
    return before.count("(") > before.count(")") or bool(amending_words()["by_which"].search(before))


def is_place(thing: re.Match[str], masked: str) -> bool:
    """Whether a thing is a clause or a part in which something else stands."""
    start = thing.start("number") if "number" in thing.re.groupindex else thing.start()
    return "terms" not in thing.re.groupindex and bool(amending_words()["within"].search(masked[:start]))


def is_partly(masked: str, verb: tuple[int, int]) -> bool:
    """Whether a part of what is named is deleted or replaced: "the last sentence of clause 4", "Satz 2"."""
    before = masked[: verb[0]]
    named = things_named(before)
    begin = named[0].start() if named and LED.search(before, 0, named[0].start()) else 0
    behind = " ".join(masked[verb[1] :].split()[:BEHIND_VERB_MAX])
    said = amending_words()["clause"].sub(" ", f"{before[begin:]}{masked[slice(*verb)]} {behind}")
    return len(kinds_of(named)) > 1 or amending_words()["partly"].search(said) is not None


def find_change(masked: str) -> tuple[Change, tuple[int, int]] | None:
    """What a sentence says is done to something, and where its verb stands; None where that is only possible.

    What stands in brackets is a name: "clause 14 (What may be deducted)".
    """
    words, bare = amending_words(), BRACKETED.sub(lambda found: " " * len(found[0]), masked)
    found = next(((name, verb.span()) for name in CHANGES if (verb := words[name].search(masked))), None)
    return None if found is None or words["conditional"].search(bare, 0, found[1][1]) else found


def clauses_named(masked: str) -> tuple[tuple[str, ...], ...]:
    """The clause a sentence is about, the first that is not only mentioned, and those named together with it."""
    words = amending_words()
    for found in words["clause"].finditer(masked):
        if words["by_which"].search(masked[: found.start()]):
            continue
        if words["of_part"].match(masked[found.end() :]):
            return ()
        inside = [f"({mark})" for mark in re.findall(r"\b\w++(?=\)|\Z|\s*[,(])", found["inside"]) if len(mark) <= 4]
        return ((found["number"], *inside), *((number,) for number in more_numbers(found, masked)))
    return schedules_named(masked)


def more_numbers(clause: re.Match[str], masked: str) -> list[str]:
    """The numbers behind the first: "clauses 3, 5 and 7 to 9"; "clause 3 to 9 days" has none."""
    numbers = [clause["number"]]
    for joint, number in re.findall(rf"({UP_TO}|{AND})\s*({NUMBER})", clause["more"], re.IGNORECASE):
        if re.fullmatch(AND, joint, re.IGNORECASE):
            numbers.append(number)
        elif PLURAL.match(masked, clause.start()):
            numbers += numbers_up_to(numbers[-1], number)
        else:
            break
    return numbers[1:]


def numbers_up_to(first: str, last: str) -> list[str]:
    """The numbers behind the first to the last one, of "4.2" to "4.5" as well; the last alone where it is no row."""
    stem, dot, begin = first.rpartition(".")
    other, _, end = last.rpartition(".")
    is_row = stem == other and begin.isdigit() and end.isdigit() and 0 < int(end) - int(begin) <= ROW_MAX
    return [f"{stem}{dot}{number}" for number in range(int(begin) + 1, int(end) + 1)] if is_row else [last]


def schedules_named(masked: str) -> tuple[tuple[str, ...], ...]:
    """The schedule or the division that a sentence begins with: "Item 3 of Schedule 2" is not all of it, and "Section
    B of Schedule 2" is none of the agreement.
    """
    words = amending_words()
    found = words["placed"].search(masked)
    is_first = found is not None and len(re.findall(r"[^\W\d_]+", masked[: found.start()])) <= BEFORE_PART_MAX
    is_whole = found is not None and is_first and not words["of_part"].match(masked[found.end() :])
    return ((match_form(found[0]),),) if found and is_whole else ()


def words_changed(sentence: str, masked: str, change: Change, verb: tuple[int, int]) -> tuple[str, str]:
    """The old words and the new ones that a sentence quotes."""
    quoted = [(found.start(), found.end(), found[0][1:-1].strip()) for found in QUOTED.finditer(sentence)]
    before = [each for each in quoted if each[1] <= verb[0]]
    after = [each for each in quoted if each[0] >= verb[1]]
    if change == "deleted":
        return (before[-1:] or after[:1] or [(0, 0, "")])[0][2], ""
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
