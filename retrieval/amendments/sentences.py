"""Sentences of a document that change a clause of another one: which clause, what words, from when on.

"In clause 6.2 the words “thirty (30) days” are replaced by “forty-five (45) days” with effect from 1 March 2024." The
words are data (`amending.*.toml`), of the document's language where there are some. What may or would be changed is no
change. One rule holds for all else: a clause is deleted or replaced only where all that is said is known words; what is
not known, a condition, an exception, a doubt, is told and takes nothing away.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, groupby, pairwise
from typing import Literal, NamedTuple

from documents.storage.content import DocumentContent, kept_with_content, stored_with_reading
from reading.matching import match_form
from reading.values.sentences import SENTENCE, split_at
from reading.wording import Wordings, read_once
from retrieval.candidates.units import prose_of, units_of
from retrieval.types import LineRange
from retrieval.words.lexicon import lexicon_of
from retrieval.words.printed import dates_in

Change = Literal["replaced", "deleted", "added"]
CHANGES: tuple[Change, ...] = ("replaced", "deleted", "added")  # "deleted and replaced" is replaced
Found = tuple[Change, tuple[int, int]]  # with the place of its verb

QUOTATION = r"(?:„[^„“”]*[“”]|“[^“”]*”|«[^«»]*»|\"[^\"]*\")"
QUOTED, OPENED = re.compile(QUOTATION), re.compile("[„“«]")
NUMBER = r"\d{1,3}(?:\.\d{1,3}){0,4}[a-z]?(?!\w|\.\d)"
AGAIN = r"(?:\s(?:bis|ter|quater)(?!\w|\s*(?:zu[mr]?\b|(?!(?:and|et|y)\b)\w+\s+)?[\d§]))?"  # "9 bis"
INSIDE = r"(?:\s*\((?:[a-z]|[ivx]{1,4}|\d{1,2})\)|,?\s*(?:{inside})\s*\(?\d{1,2}\)?)*"
AND, UP_TO = r"(?:,|and|und|et|y|&)", r"(?:to|through|bis|à|al?|[–-])"
MORE = rf"(?:\s*(?:{AND}|{UP_TO})\s*{NUMBER}{AGAIN})*"
FRAMES = {
    "sign": r"\A(?:{sign})",
    "clause": rf"(?<!\w)(?:{{clause}})\s*(?P<number>{NUMBER}{AGAIN})(?P<inside>{INSIDE})(?P<more>{MORE})",
    "inside": r"(?:{inside})\s*\d",
    **{name: rf"(?<!\w)(?:{{{name}}})(?!\w)" for name in ("part", "division", "unplaced", "altered")},
    "placed": r"(?<!\w)(?:{part}|{division})(?!\w)",
    "definition": rf"(?<!\w)(?:{{definition}})\s*(?P<terms>{QUOTATION}(?:\s*(?:,|and|und|et|y|&)\s*{QUOTATION})*)",
    "headed": rf"(?<!\w)(?:{{headed}})\s*(?P<terms>{QUOTATION})",
    "of_part": rf"[\s,]{{0,3}}(?P<of>(?!{AND}\s)\b(?:\w++['’]?\s*+){{1,2}})(?:(?P<part>{{part}})|{{division}})(?!\w)",
    "within": r"(?:\A|\W)(?:{within})(?:{clause})?\s*\Z",
    "by_which": r"(?<!\w)(?:{by_which})\Z",
    **{name: rf"(?<!\w)(?:{{{name}}})(?!\w)" for name in (*CHANGES, "possible", "condition", "exception", "agreed")},
    "limit": r"\W{0,3}(?:{limit})(?!\w)",
    "held": r"(?<!\w)(?:{condition}|{exception})(?!\w)",
    **{name: rf"(?<!\w)(?:{{{name}}})(?!\w)" for name in ("effect", "partly", "awaited", "contract", "concluded")},
    "unagreed": r"\A[\W\d]*(?:\w\.\s*)?(?:{unagreed})\W*\Z",
    "meaning": rf"{QUOTATION}\s+(?:{{meaning}})(?!\w)(?:[^.]|\.(?=\S))*\.?",
    "plain": r"\A(?:\b(?:{contract}|{plain})(?!\w)|\((?:[a-z]|[ivx]{1,4})\)|[^\w?\[\]„“«])*+\Z",
    "instead": r"\A[\s,]*(?:{instead})[\s,]*\Z",
    "by": r"(?<!\w)(?:{instead})[\s,]*\Z",
    "for": r"\A[\s,]*(?:{for})[\s,]*\Z",
    "day": r"(?<!\w)(?:{effect}|{day})\s*\Z",
}
amending_words = read_once(__name__, "amending", FRAMES)
BLANKS_MAX, DATE_REACH = 2, 24  # characters from "with effect from" to the date
ARTICLE = r"(?:(?:the|die|der|das|la|las|le|les|el|los)\s+)?"
LISTED = re.compile(
    rf"[\s,]*(?P<and>(?:and|as\s+well\s+as|und|sowie|et|ainsi\s+que|y|así\s+como|&)\s+)?{ARTICLE}", re.IGNORECASE
)
RIGHT_BEHIND = re.compile(rf"\s+{ARTICLE}", re.IGNORECASE)
LED = re.compile(rf"[:,]\s+{ARTICLE}\Z", re.IGNORECASE)  # "By the second sentence of the deed, clause 4 …"
JOINT = re.compile(r"[;,]\s{1,3}(?:(?:and|und|et|y)\b[\s,]{1,3})?|\s(?:and|und|et|y)\b[\s,]{1,3}", re.IGNORECASE)
BRACKETED, TITLE = re.compile(r"\([^()]*\)"), re.compile(r"\s{0,3}\([A-ZÀ-Ü][^()]*\)")
NUMBERING = re.compile(r"(?:\s{0,3}(?:\d[\d.]{0,12}\)?|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)]{1,2})(?=\s))*+")
# A word before numbers of which a row may be named: "clauses 3 to 7".
PLURAL = re.compile(r"\w+s\b|§§|Ziffern|Klauseln|Nummern|Abschnitten?|Artikeln?", re.IGNORECASE)
NEAR = 80  # characters: a verb, or what is said right before a clause
BEHIND_VERB_MAX = 3  # words: "by deleting the second sentence"
ONE_MORE = rf"({UP_TO}|{AND})\s*({NUMBER}(?:\s[a-z]++(?!\s*\d))?)"
ROW = re.compile(rf"\s{{1,3}}{UP_TO}\s{{1,3}}(?:\w+\s{{1,3}})?", re.IGNORECASE)  # "§ 4 bis einschließlich § 6"
PARTS = re.compile(rf"\(\w{{1,4}}\)|\s{{0,3}}{AND}\s{{1,3}}\(\w{{1,4}}\)", re.IGNORECASE)  # "3(a) and 3(c)"
ROW_MAX = 20  # numbers of "clauses 3 to 7"
KIND_CHARS = 3  # of "section", "paragraph"
UNQUOTED = re.compile(rf":(?!\s*{QUOTATION})")  # a colon that announces new text without marks
NESTED = re.compile(r':\s*"[^"]*"\w')  # of which nobody can say where the new text ends
TITLED = re.compile(r"(?:\s*\([^()]*\))?\s+")
FILLED, QUOTE = "\0", "\1"  # stand for what is known, and for what is quoted
GAP = re.compile("[^\0\1]+")  # what is told beside it
REST = "·"  # stands for each character of a quotation, whose words are no words of the sentence


class Sentence(NamedTuple):
    """A text as it is written, the same without what it quotes, and the words of its language."""

    text: str
    masked: str
    words: Wordings

    def part(self, start: int, end: int | None = None) -> "Sentence":
        return self._replace(text=self.text[start:end], masked=self.masked[start:end])

    def without(self, start: int, end: int) -> "Sentence":
        text, masked = (f"{each[:start]}{REST * (end - start)}{each[end:]}" for each in (self.text, self.masked))
        return self._replace(text=text, masked=masked)


class Amendment(NamedTuple):
    """One change of one clause. `old` and `new` are the words quoted, "" where the sentence quotes none.

    `clause` is its number and what is named inside it: ("6.2",), ("6", "(2)"), or a part: ("schedule 2",), or a term
    that is defined: ("“Fee”",). What is changed in part, or under a `condition` or but for an exception, is `added` to.
    `begins` is the day it takes effect, as an ISO date, "" if it is not said. `lines` hold the sentence and the new
    text; it names `contracts`: "of the Security Agreement".
    """

    clause: tuple[str, ...]
    change: Change
    old: str
    new: str
    begins: str
    lines: LineRange
    condition: str = ""
    contracts: tuple[str, ...] = ()


@stored_with_reading(
    "amendments",
    lambda found: [(*each[:5], tuple(each.lines), *each[6:]) for each in found],
    lambda plain, _: tuple(Amendment._make((*each[:5], LineRange(*each[5]), *each[6:])) for each in plain),
)
def amendments_in(content: DocumentContent) -> tuple[Amendment, ...]:
    """The changes a document makes, in its order."""
    return tuple(find_amendments(content))


def has_changes(content: DocumentContent) -> bool:
    """Whether a document changes a clause or a schedule, or what is not placed here: a definition."""
    return bool(amendments_in(content)) or any(
        find_change(said) and any(said.words[name].search(said.masked) for name in ("unplaced", "division"))
        for lines in units_with_signs(content)
        for _, said in sentences_said(prose_of(lines, content, in_force=True).text, content.language)
    )


def sentences_said(text: str, language: str) -> Iterator[tuple[int, Sentence]]:
    """The sentences of a text, each with where it begins."""
    whole = say_masked(text, language)
    return ((start, whole.part(start, end)) for start, end in split_at(whole.masked, SENTENCE))


def say_masked(text: str, language: str) -> Sentence:
    """The text, and with each quotation between its marks made of dots, but for the sign that ends it."""
    masked = QUOTED.sub(lambda found: f"{found[0][0]}{REST * (len(found[0]) - 2)}{found[0][-1]}", text)
    return Sentence(text, masked, amending_words().of_language(language))


def units_with_signs(content: DocumentContent) -> Iterable[LineRange]:
    """The units in which stands a word of a change."""
    lexicon, sign = lexicon_of(content), amending_words().in_language("sign", content.language)
    near = lexicon.lines_with_any([word for word in lexicon.lines if sign.match(word)])
    units = units_of(content)
    return dict.fromkeys(units.around(int(number)) for number in near)


def find_amendments(content: DocumentContent) -> Iterator[Amendment]:
    found = [each for lines in units_with_signs(content) for each in amendments_of_unit(lines, content)]
    if not found:
        return
    begins, held = date_of_all(content, {each.begins for each in found}), [*said_above(content, found)]
    for each in found:
        own = [(said, of) for lines, said, of in held if lines.first <= each.lines.first <= lines.last]
        told = "; ".join(filter(None, (*(said for said, _ in own), each.condition)))
        each = each._replace(begins=each.begins or begins, condition=told, change="added" if told else each.change)
        yield each._replace(contracts=tuple(chain(each.contracts, *(of for _, of in own))))


def said_above(content: DocumentContent, found: Sequence[Amendment]) -> Iterator[tuple[LineRange, str, Sequence[str]]]:
    """On what the whole of an amendment waits, and what stands below a line that does not only say that it is agreed,
    "If the bank agrees:", "Recitals", to the end of its section, but for a clause's new text; with contracts it names.
    """
    for each in content.toc[1:]:
        lines, title = LineRange(each.first_line, each.last_line), say_masked(each.title, content.language)
        is_open = title.words["unagreed"].match(title.text)
        is_agreed = is_open and title.words["concluded"].search(content.text_between(*lines))
        yield lines, title.text if is_open and not is_agreed else "", contracts_in(title)
    units = units_of(content)
    amending = [units.around(change.lines.first) for change in found]
    for lead in map(units.at, range(len(units.starts))):
        text = prose_of(lead, content, in_force=True).text.rstrip()
        for _, said in sentences_said(text, content.language):
            if said.words["awaited"].search(said.masked):
                yield LineRange(1, units.lines), said.text.strip(" ."), ()
        is_lead = text.endswith((":", "—", "–")) and not OPENED.search(QUOTED.sub("", text))
        begun, is_agreed = (said.words[name].search(said.masked) for name in ("held", "agreed"))  # in its last sentence
        if is_lead and (is_agreed or units.around(min(lead.last + 1, units.lines)) in amending):
            entry = content.toc_by_index.get(content.lines[lead.first - 1].toc_index)
            told = "" if is_agreed else said.text
            told = said.text[slice(begun.start(), said.masked.find(",", begun.end()))] if begun else told
            named = contracts_in(said) if first_verb(said) else ()
            yield LineRange(lead.last + 1, entry.last_line if entry else units.lines), told.strip(" :—–"), named


def amendments_of_unit(lines: LineRange, content: DocumentContent) -> Iterator[Amendment]:
    """The changes that the sentences of a unit make."""
    prose = prose_of(lines, content, in_force=True)
    sentences = [*sentences_said(prose.text, content.language)]
    for at, (start, said) in enumerate(sentences):
        after = [each for _, each in sentences[at + 1 : at + 2] if each.words["limit"].match(each.masked)]
        behind = "".join(each.text for each in after if first_verb(each) is None)
        for clauses, change, old, new, begins, condition in read_changes(said.text + behind, content.language):
            pieces = prose.pieces(start, start + len(said.text))
            own = LineRange(pieces[0].number, pieces[-1].number)
            if not new and change != "deleted" and said.text.rstrip().endswith(":"):
                new, own = announced_text(own, content)
                # "as follows: in (a) the words …"
                change = "added" if find_change(say_masked(new, content.language)) else change
            yield from (Amendment(one, change, old, new, begins, own, condition, contracts_in(said)) for one in clauses)


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
    condition: str = ""


def read_changes(sentence: str, language: str) -> list[ReadChange]:
    """The changes a sentence makes, in its order, each with all that the sentence tells beside what is known."""
    said = say_masked(sentence, language)
    if (verb := first_verb(said)) is None:
        return []
    found = said.words["meaning"].search(said.masked, verb.end())  # “Fee” means ten euros
    if found and not first_verb(said.part(found.start())):
        new = sentence[slice(*found.span())].translate({ord("«"): "“", ord("»"): "”"})
        said = say_masked(f"{sentence[: found.start()]}«{new}»{sentence[found.end() :]}", language)
    said, changes = with_each_verb(said, verb), []
    read = [(part, *read_change(said.part(*part))) for part in split_changes(said)]
    told = [words for *_, own in read for words in own]
    held = [words for words in told if said.words["held"].search(words)]
    for part, change, _ in read:
        if change:
            begins = date_of_effect(said.part(*part)) or ("" if told else change.begins)
            begins = begins or day_carried_to(*part, said, verb.start())
            own = "; ".join(dict.fromkeys(held if change.change == "added" else told))
            changes.append(change._replace(change="added" if own else change.change, begins=begins, condition=own))
    return changes


def first_verb(said: Sentence) -> re.Match[str] | None:
    """The first verb of a change in a text."""
    verbs = filter(None, (said.words[name].search(said.masked) for name in CHANGES))
    return min(verbs, key=lambda verb: verb.start(), default=None)


def with_each_verb(said: Sentence, verb: re.Match[str]) -> Sentence:
    """The sentence with what its verbs have in common said with each: "clause 2 is deleted and clause 3 replaced"."""
    if len(verb[0].split()) < 2:
        return said
    helping, things = verb[0].split()[0], things_named(said)
    for joint in [*JOINT.finditer(said.masked, verb.end())][::-1]:
        thing = next((each for each in things if each.start() >= joint.end()), None)
        if not thing or len(said.masked[joint.end() : thing.start()].split()) > 1:
            continue
        at = titled.end() if (titled := TITLED.match(said.masked, thing.end())) else thing.end()
        behind = f"{helping} {said.masked[at : at + NEAR]}"
        if any(said.words[name].match(behind) for name in (*CHANGES, "altered")):
            text, masked = (f"{each[:at]}{helping} {each[at:]}" for each in (said.text, said.masked))
            said = said._replace(text=text, masked=masked)
    return said


def day_carried_to(start: int, end: int, said: Sentence, first: int) -> str:
    """The day of a part that says none: not that of a change before it, but that before the first verb, or behind."""
    if start > 0 and any(dates_in(said.masked[start:end])):
        return ""
    return date_of_effect(said._replace(masked=f"{said.masked[:first]} {said.masked[max(start, first) :]}"))


def split_changes(said: Sentence) -> list[tuple[int, int]]:
    """A sentence cut before each further change of something that it names: "Clause 2 is deleted and clause 3 is …".

    What a colon announces, or is called otherwise than what stands before it, is inside of that: "paragraph 3".
    """
    verbs = [verb for name in (*CHANGES, "altered") for verb in said.words[name].finditer(said.masked)]
    parts: list[tuple[int, int]] = []
    start = 0
    for joint in JOINT.finditer(said.masked) if len({each.end() for each in verbs}) > 1 or ";" in said.masked else ():
        before, after = said.part(start, joint.start()), said.part(joint.end())
        before, after = before.without(*condition_before(before)), after.without(*condition_before(after))
        done, further = find_change(before), find_change(after)
        is_altered = any(start <= verb.start() < joint.start() for verb in verbs)
        is_done = done or said.words["altered"].search(before.masked) or (";" in joint[0] and not is_altered)
        if not further or not is_done or (done and UNQUOTED.search(before.masked, done[1][0])):
            continue
        named = things_of_verb(after, further[1])
        if named and len(kinds_of([*things_named(before), *named])) <= 1:
            parts.append((start, joint.start()))
            start = joint.end()
    return [*parts, (start, len(said.masked))]


def read_change(whole: Sentence) -> tuple[ReadChange | None, list[str]]:
    """The change that a sentence or a part of one makes, None if it makes none, and what it tells beside that."""
    lead = condition_before(whole)
    said = whole.without(*lead)
    found = find_change(said)
    places, day, last = places_beside(said, found)
    pieces = ((whole if each == lead else said).text[slice(*each)] for each in sorted((lead, *places)))
    told = [words.strip("()" if words[0] == "(" else "") for each in pieces if (words := each.strip(f" ,.;:{REST}"))]
    if found is None:
        return None, [whole.text.strip(" ,.;")] if told else []
    change, verb = found
    begin = said.masked.find(":", verb[1] - 1) + 1 or len(said.masked)
    announced = said.part(begin)
    if change == "replaced" and not things_named(said.part(0, begin)) and (inside := read_change(announced))[0]:
        return inside[0], told + inside[1]  # "The Agreement is amended as follows: …"
    clauses = things_changed(said, verb)
    if not clauses:
        return None, [whole.text.strip(" ,.;")]
    bare = said
    for named in filter(None, (said.words[name].search(said.masked) for name in ("definition", "headed"))):
        bare = bare.without(*named.span("terms"))
    quoted = [each for each in QUOTED.finditer(bare.text) if not is_bracketed(bare.masked, each.start())]
    own = [each for each in quoted if each.start() < last]
    old, new = words_changed(bare, change, verb, own)
    tail = next((begun for begun, _ in places if begun >= verb[1]), last)
    is_beyond = own and own[-1].start() >= tail and (change == "deleted" or len(own) > 1)
    is_of_text = len(quoted) > len(own) + 1 and UNQUOTED.match(said.masked, last)  # "as follows: for “a” read “b”"
    is_open = change != "added" and (is_beyond or is_of_text or len(own) > (2 if old and new else 1))
    old, new = ("", "") if is_open else (old, new)
    if is_open or (not old and (is_partly(said, verb) or find_change(announced))):
        change = "added"
    return ReadChange(clauses, change, old, new, day), told


def contracts_in(said: Sentence) -> tuple[str, ...]:
    """The contracts that a sentence or a heading names, which need not be the one amended."""
    return tuple(BRACKETED.sub("", each[0]).strip() for each in said.words["contract"].finditer(said.masked))


# ---- what else is said


def condition_before(said: Sentence) -> tuple[int, int]:
    """Where a condition that ends with a comma stands before the verb, which names clauses of its own; else (0, 0)."""
    verb = found.start() if (found := first_verb(said)) else 0
    begun = said.words["held"].search(said.masked, 0, verb)
    comma = said.masked.find(",", begun.end(), verb) if begun else -1
    named = [comma + each.start() for each in things_named(said.part(comma))]
    return (begun.start(), said.masked.rfind(",", 0, min((verb, *named)))) if begun and comma > 0 else (0, 0)


def places_beside(said: Sentence, found: Found | None) -> tuple[list[tuple[int, int]], str, int]:
    """Where a sentence tells what is neither a clause it changes nor a verb, a quotation, a day or a plain word: "upon
    payment", "The waiver of"; that day; and where text begins that it announces, which is not looked at.
    """
    start, end = found[1] if found else (len(said.masked),) * 2
    things, terms = things_named(said), said.words["definition"].finditer(said.masked, end)
    behind_verb = (each for each in things if RIGHT_BEHIND.fullmatch(said.masked, end, each.start()))
    near = [*(each for each in things if each.end() <= start), *behind_verb] or things
    titles = (each for thing in near if (each := TITLE.match(said.masked, thing.end())))
    verbs = [each.span() for name in CHANGES for each in said.words[name].finditer(said.masked)]
    quoted = [each.span() for each in QUOTED.finditer(said.masked)]
    bare = cover_places(said.masked, [*(each.span() for each in (*near, *terms, *titles)), *verbs])
    bare = cover_places(bare, quoted, QUOTE)
    if found and found[0] != "deleted":
        texts = (*(form.search(said.masked, end - 1) for form in (UNQUOTED, NESTED)), OPENED.search(bare, end))
        bare = bare[: min((each.start() for each in texts if each), default=len(bare))]
    days = [*days_led(bare, said.words)]
    undated, bare = bare, cover_places(bare, (each[:2] for each in days))
    gaps = [each.span() for each in GAP.finditer(bare, NUMBERING.match(bare).end())]  # type: ignore[union-attr]
    gaps = [each for each in gaps if not said.words["plain"].match(bare[each[0] : each[1] + 1])]  # the sign behind too
    first, ends = min(verbs, default=(0, len(bare)))[1], dict([*quoted, *(each[:2] for each in days)])
    told = [(begun, ends.get(last, last)) for begun, last in gaps if begun < first]
    if behind := [begun for begun, _ in gaps if begun >= first]:
        known = max(undated.rfind(sign, 0, behind[0]) for sign in (FILLED, QUOTE)) + 1  # "from 1 May to 31 May"
        told.append((behind[0] if said.words["condition"].match(bare, behind[0] + 1) else known, len(bare)))
    return told, next((value for *_, value in days if value), ""), len(bare)


def days_led(text: str, words: Wordings) -> Iterator[tuple[int, int, str]]:
    """The days in a text, each with what leads to it, but for the second of a period; no value where nothing does."""
    last = -1
    for day in dates_in(text):
        lead = words["day"].search(text, 0, day.start)
        begin = lead.start() if lead else day.start
        if not is_bracketed(text, begin) and (last < 0 or text[last:begin].strip(" –—-")):
            yield begin, day.end, day.value if lead else ""
        last = day.end


def cover_places(text: str, places: Iterable[tuple[int, int]], sign: str = FILLED) -> str:
    for start, end in places:
        text = f"{text[:start]}{sign * (end - start)}{text[end:]}"
    return text


# ---- what is changed


def things_changed(said: Sentence, verb: tuple[int, int]) -> tuple[tuple[str, ...], ...]:
    """Each thing of a list that a sentence changes, else the clause it is about; nothing where it is open what is."""
    named, masked = things_named(said), said.masked
    behind = next((each for each in named if each.start() >= verb[1]), None)
    near = (each for each in pairwise(named) if each[0] is behind or each[0].end() <= verb[0])
    if any(ROW.fullmatch(masked, one.end(), other.start()) for one, other in near):
        return ()
    is_announced = masked[verb[1] - 1] == ":" and behind and "terms" not in behind.re.groupindex
    if behind and not is_announced and RIGHT_BEHIND.fullmatch(masked, verb[1], behind.start()):
        return clauses_at(behind, said)
    begin = masked.rfind(";", 0, verb[0]) + 1
    named = [each for each in named if begin <= each.start() and each.end() <= verb[0]]
    things = [each for each in named if not is_place(each, said)]
    defined = next((each for each in things if "terms" in each.re.groupindex), None)
    if defined:
        things = [each for each in things if ":" not in masked[each.end() : defined.start()]]
    elif len(things) < 2 or len(kinds_of(named)) > 1:
        return clauses_named(said)
    gaps = [(one.end(), other.start()) for one, other in pairwise(things)]
    listed = [LISTED.fullmatch(BRACKETED.sub("", masked[slice(*gap)])) for gap in gaps]
    if all(listed) and (not gaps or any(found and found["and"] for found in listed)):
        clauses = [clauses_at(each, said) for each in things]
        return tuple(chain(*clauses)) if all(clauses) else ()
    is_open = defined and (all(listed) or any(things_named(said.part(*gap)) for gap in gaps))
    return () if is_open else clauses_named(said)


def things_of_verb(said: Sentence, verb: tuple[int, int]) -> list[re.Match[str]]:
    """The things named before a verb, else the one right behind it."""
    near = things_named(said.part(0, verb[1] + NEAR))
    behind = [each for each in near if RIGHT_BEHIND.fullmatch(said.masked, verb[1], each.start())]
    return [each for each in near if each.end() <= verb[0]] or behind


def things_named(said: Sentence) -> list[re.Match[str]]:
    """The clauses, the parts beside them and the definitions that a text does not only mention, in its order."""
    found = (each for name in ("clause", "placed", "definition") for each in said.words[name].finditer(said.masked))
    named = (each for each in found if not is_aside(said, each.start()))
    return sorted(named, key=lambda each: each.start())


def kinds_of(things: Iterable[re.Match[str]]) -> set[str]:
    """What clauses are called before their numbers, as far as it tells "section" from "paragraph"."""
    numbered = (each for each in things if "number" in each.re.groupindex)
    names = (each.string[each.start() : each.start("number")].strip().replace("§§", "§") for each in numbered)
    return {name[:KIND_CHARS].casefold() for name in names}


def clauses_at(thing: re.Match[str], said: Sentence) -> tuple[tuple[str, ...], ...]:
    """The clauses, the part or the terms that are named at a place; nothing of another part."""
    if "terms" in thing.re.groupindex:
        return tuple((f"“{each[0][1:-1].strip()}”",) for each in QUOTED.finditer(said.text, *thing.span("terms")))
    if is_of_part(thing, said):
        return ()
    return (clauses_named if "number" in thing.re.groupindex else schedules_named)(said.part(thing.start()))


def is_aside(said: Sentence, at: int) -> bool:
    """Whether what stands at a place is only mentioned: "after …", "clause 4 (which uses …"."""
    return is_bracketed(said.masked, at) or is_by_which(said, at)


def is_bracketed(text: str, at: int) -> bool:
    return text.count("(", 0, at) > text.count(")", 0, at)


def is_by_which(said: Sentence, at: int) -> bool:
    """Whether right before a place stands that it is not what is changed: "under clause 3"."""
    return said.words["by_which"].search(said.masked, max(0, at - NEAR), at) is not None


def is_place(thing: re.Match[str], said: Sentence) -> bool:
    """Whether a thing is a clause or a part in which something else stands."""
    start = thing.start("number") if "number" in thing.re.groupindex else thing.start()
    return "terms" not in thing.re.groupindex and bool(said.words["within"].search(said.masked[:start]))


def is_partly(said: Sentence, verb: tuple[int, int]) -> bool:
    """Whether a part of what is named is deleted or replaced: "the last sentence of clause 4", "Satz 2"."""
    before = said.masked[: verb[0]]
    named = things_named(said.part(0, verb[0]))
    begin = named[0].start() if named and LED.search(before, 0, named[0].start()) else 0
    behind = " ".join(said.masked[verb[1] :].split()[:BEHIND_VERB_MAX])
    near = said.words["clause"].sub(" ", f"{before[begin:]}{said.masked[slice(*verb)]} {behind}")
    return len(kinds_of(named)) > 1 or said.words["partly"].search(near) is not None


def find_change(said: Sentence) -> Found | None:
    """What a sentence says is done to something, and where its verb stands; None where that is only possible."""
    found = ((name, verb.span()) for name in CHANGES if (verb := said.words[name].search(said.masked)))
    return next((each for each in found if not is_possible(said, each[1][1])), None)


def is_possible(said: Sentence, end: int) -> bool:
    """Whether what a sentence says up to a place is that something may be, is not, or is if something else is."""
    bare = BRACKETED.sub(lambda name: " " * len(name[0]), said.masked)  # "clause 14 (What may be deducted)"
    return any(said.words[name].search(bare, 0, end) for name in ("possible", "condition"))


def clauses_named(said: Sentence) -> tuple[tuple[str, ...], ...]:
    """The clause a sentence is about, the first that is not only mentioned, and those named together with it."""
    for found in said.words["clause"].finditer(said.masked):
        if is_by_which(said, found.start()):
            continue
        has_more = found["more"] and said.words["inside"].search(found["inside"])  # "§ 4 Abs. 1 und 3"
        if has_more or PARTS.match(said.masked, found.end()) or is_of_part(found, said):
            return ()
        outer = said.words["clause"].search(said.masked, found.end())
        is_within = outer and said.words["within"].match(said.masked, found.end(), outer.start("number"))
        if outer and is_within and len(kinds_of((found, outer))) > 1:
            continue  # "paragraph 3 of Article 15"
        inside = [f"({mark})" for mark in re.findall(r"\b\w++(?=\)|\Z|\s*[,(])", found["inside"]) if len(mark) <= 4]
        return ((found["number"], *inside), *((number,) for number in more_numbers(found, said.masked)))
    return schedules_named(said)


def is_of_part(thing: re.Match[str], said: Sentence) -> bool:
    """Whether what is named stands in a part, "clause 3 of Schedule 2", not "durch Anlage 2", or in one that counts its
    own: "Article VI, Section 3", not "Section 6.3".
    """
    found = said.words["of_part"].match(said.masked, thing.end())
    behind = found if found and not said.words["instead"].match(found["of"]) else None
    before = [each for each in said.words["placed"].finditer(said.masked, 0, thing.start())][-1:]
    is_beside = any(is_place(each, said) or not said.masked[each.end() : thing.start()].strip(" ,") for each in before)
    is_part = bool(behind and behind["part"]) or (is_beside and said.words["part"].match(before[0][0]) is not None)
    is_of_all = re.search(r"\d\.", thing[0]) is not None
    return is_part or (not is_of_all and (is_beside or behind is not None))


def more_numbers(clause: re.Match[str], masked: str) -> list[str]:
    """The numbers behind the first: "clauses 3, 5 and 7 to 9"; "clause 3 to 9 days" has none."""
    numbers = [clause["number"]]
    for joint, number in re.findall(ONE_MORE, clause["more"], re.IGNORECASE):
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


def schedules_named(said: Sentence) -> tuple[tuple[str, ...], ...]:
    """The schedule or the division that a sentence begins with: "Item 3 of Schedule 2" is not all of it, and "Section
    B of Schedule 2" is none of the agreement.
    """
    found = said.words["placed"].search(said.masked)
    is_first = found and said.words["plain"].match(NUMBERING.sub("", said.masked[: found.start()], count=1))
    return ((match_form(found[0]),),) if found and is_first and not is_of_part(found, said) else ()


def words_changed(
    said: Sentence, change: Change, verb: tuple[int, int], quoted: Sequence[re.Match[str]]
) -> tuple[str, str]:
    """The old words and the new ones of those that a sentence quotes."""
    words = [(each.start(), each.end(), each[0][1:-1].strip()) for each in quoted]
    before, after = [each for each in words if each[1] <= verb[0]], [each for each in words if each[0] >= verb[1]]
    if change == "deleted":
        return (before[-1:] or after[:1] or [(0, 0, "")])[0][2], ""
    if change == "added":
        return "", words[-1][2] if words else ""
    if before and not after and said.words["by"].search(said.masked, 0, before[-1][0]):
        return before[-2][2] if len(before) > 1 else "", before[-1][2]
    if before:
        is_for = after and said.words["for"].match(said.masked[verb[1] : after[0][0]])
        return (after[0][2], before[-1][2]) if is_for else (before[-1][2], after[0][2] if after else "")
    between = said.masked[after[0][1] : after[1][0]] if len(after) > 1 else ""
    if said.words["for"].match(between):
        return after[1][2], after[0][2]
    if said.words["instead"].match(between):
        return after[0][2], after[1][2]
    return "", after[0][2] if len(after) == 1 else ""


# ---- from when on


def date_of_effect(said: Sentence) -> str:
    """The day from which a text says that it holds; "" if it says none, or several."""
    days = days_of_effect(said)
    return days.pop() if len(days) == 1 else ""


def days_of_effect(said: Sentence) -> set[str]:
    return {
        date.value
        for found in said.words["effect"].finditer(said.masked)
        for date in dates_in(said.masked[found.end() : found.end() + DATE_REACH])
        if date.start <= BLANKS_MAX
    }


def date_of_all(content: DocumentContent, said: Collection[str]) -> str:
    """The day on which a document says that it takes effect; "" if it says none, or several.

    `said` are the days of its sentences, which hold for these alone.
    """
    text = " ".join(line.text_in_force for line in content.searched_lines)
    days = days_of_effect(say_masked(text, content.language)).difference(said)
    return days.pop() if len(days) == 1 else ""


def own_date(content: DocumentContent) -> str:
    """The first date of a document's first page, which is its own; "" without one."""
    dates = cover_dates(content)
    return dates[0] if dates else ""


def cover_dates(content: DocumentContent) -> list[str]:
    """The dates of a document's first page, in reading order, as ISO dates."""
    return [date for _, date in dated_cover(content)]


@kept_with_content
def dated_cover(content: DocumentContent) -> tuple[tuple[str, str], ...]:
    """Each date of a document's first page as an ISO date, after the text between the date before and it.

    Between a title and what stands below it is a semicolon.
    """
    kinds = groupby((line for line in content.cover if line.page_number == 1), key=lambda line: line.kind)
    text = "; ".join(" ".join(line.text_in_force for line in lines) for _, lines in kinds)
    dates = sorted(dates_in(text), key=lambda date: date.start)
    begins = [0, *(date.end for date in dates)]
    return tuple((text[begin : date.start], date.value) for begin, date in zip(begins, dates, strict=False))
