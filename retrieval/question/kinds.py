"""What a question can ask for: types, shapes and vague words as they ship, and as a base has them (R103).

What ships is data: expressions in `answers.*.toml`, values in `values.*.toml`, words in `vague_words.*.txt`. A base may
switch each of these rows off and add rows of its own; the words of its rows are plain words, and its patterns RE2's.

A change is a new set that the ledger vouches for, an earlier one can be taken again, and a run records number, digest
and the patterns it was read by.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from reading.matching import match_form
from reading.wording import Wordings, read_once, read_word_lists
from retrieval.question.learned import Learned
from retrieval.question.phrasing import find_front
from retrieval.question.values import ALSO, PROSE_TYPES, join_patterns, value_wordings
from retrieval.words.tokens import normalise_words

# The first type whose section matches a question is the type of its answer.
# "whether" is for yes or no before anything that is named: "May the costs be passed on?"
TYPE_OF_SECTION = {
    "whether": "boolean",
    "reason": "explanation",  # before the values: "why did the costs go up" asks for none
    "term": "definition",
    "email": "email",
    "phone": "phone",
    "url": "url",
    "iban": "iban",
    "postcode": "postcode",
    "address": "address",
    "sent": "address",
    "date": "date",
    "frequency": "frequency",
    "duration": "duration",
    "rate": "rate",
    "party": "party",
    "role": "role",
    "person": "person",
    "percentage": "percentage",
    "amount": "amount",
    "number": "number",
    "definition": "definition",
    "explanation": "explanation",
    "boolean": "boolean",
}
ADDRESSES = frozenset({"email", "phone", "url", "iban", "postcode", "address"})
NAMING = ADDRESSES | {"party", "role"}
NAMED = NAMING | {"date"}  # by a noun, which may only be what it is asked about: "how do I stop the e-mail?"
PRICED = frozenset({"percentage", "amount", "number"})  # also "how is the price set?", not "how high is the price?"
OPENING_WORDS = 2  # "by when"
ANSWER_TYPES = tuple(dict.fromkeys(TYPE_OF_SECTION.values()))
# The shape sets how much is read around a hit (R19): a list, a table or a tree its section, one value its line. What is
# nested (several things, each with values of its own) is read by paragraph, each of them whole.
SHAPE_OF_SECTION = {"in_table": "table", "nested": "nested", "tree": "tree", "listing": "listing"}
SHAPES = tuple(SHAPE_OF_SECTION.values())
FRAMES = {
    **{section: f"{{{section}}}" for section in (*TYPE_OF_SECTION, *SHAPE_OF_SECTION)},
    "open": r"\b(?:{open})\b",
    "conditional": r"\b(?:{conditional})\b",
    "counted": r"\b(?:{counted})\b",
    "wanted": r"\b(?:{wanted})\b",
    "measured": r"\b(?:{measured})\b",
    "change": r"\b(?:{change})\b",
    "past": r"\b(?:{past})\b",
    "beside": r"(?<!\w)(?:{beside})$",
    # Atomic: what several languages say, such as "hi", is written in each of them and would be tried once for each.
    "greeting": r"^\W*(?>(?:{greeting})(?:\W+|$))+$",
}
answer_rules = read_once(__name__, "answers", FRAMES)
DIGEST_DIGITS = 12

# What a row says: words that ask for a type, or for a shape; a pattern of a type's values in match form, or as printed;
# a word that alone is too vague to be searched.
RowKind = Literal["asks", "shape", "value", "printed", "vague"]
KINDS: tuple[RowKind, ...] = get_args(RowKind)


class RuleRow(NamedTuple):
    """One row. A base's row that is not on switches off the one that ships with the same four values before."""

    kind: RowKind
    name: str  # the type or shape; "" of a vague word
    language: str  # "" is any
    text: str
    is_on: bool = True

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.kind, self.name, self.language, self.text


class ShippedRow(NamedTuple):
    """A row that ships, with a text in which it is found."""

    row: RuleRow
    example: str


class Default(NamedTuple):
    """What a vague word is taken to mean in a base, as learned from what people chose (R23)."""

    word: str
    document_type: str  # "" where none is known
    meaning: str
    confidence: float  # 0..1
    is_due: bool = False  # between the bands: it is time to ask again
    document_id: str = ""  # of the one document it was learned for, apart from others of the type


@cache
def vague_words() -> dict[str, frozenset[str]]:
    """By language, the words that ship which alone fit many places of many documents (R23, A15)."""
    return read_word_lists(Path(__file__).parent, "vague_words")


@cache
def shipped_rows() -> tuple[ShippedRow, ...]:
    """Everything that ships and can be switched off."""
    rows: list[ShippedRow] = []
    for each in answer_rules().alternatives:
        text = " ".join(each.pattern.split())
        if name := TYPE_OF_SECTION.get(each.section):
            rows.append(ShippedRow(RuleRow("asks", name, each.language, text), each.examples[0]))
        elif name := SHAPE_OF_SECTION.get(each.section):
            rows.append(ShippedRow(RuleRow("shape", name, each.language, text), each.examples[0]))
    for value in value_wordings():
        kind: RowKind = "printed" if value.as_printed else "value"
        rows.append(ShippedRow(RuleRow(kind, value.section, value.language, value.pattern), value.examples[0]))
    for language, words in vague_words().items():
        rows += [ShippedRow(RuleRow("vague", "", language, word), word) for word in sorted(words)]
    return tuple(rows)


@cache
def shipped_keys() -> frozenset[tuple[str, str, str, str]]:
    return frozenset(each.row.key for each in shipped_rows())


@dataclass(frozen=True)
class ReadingRules:
    """How questions are read in a base: `rows` are what it added or switched off, `number` which of its versions."""

    rows: tuple[RuleRow, ...] = ()
    number: int = 0  # 0 where a base has changed nothing
    defaults: tuple[Default, ...] = field(default=())
    learned: tuple[Learned, ...] = ()  # further words for its concepts, those that helped most first

    @cached_property
    def off(self) -> frozenset[tuple[str, str, str, str]]:
        return frozenset(row.key for row in self.rows if not row.is_on)

    @cached_property
    def digest(self) -> str:
        """Of the rows that count, whatever their order."""
        return digest_of_rows(self.rows)

    @cached_property
    def expressions(self) -> Wordings:
        if not any(kind in ("asks", "shape") for kind, *_ in self.off):
            return answer_rules()
        named = {**TYPE_OF_SECTION, **SHAPE_OF_SECTION}
        kind_of = dict.fromkeys(TYPE_OF_SECTION, "asks") | dict.fromkeys(SHAPE_OF_SECTION, "shape")
        return answer_rules().without(
            each
            for each in answer_rules().alternatives
            if (kind_of.get(each.section), named.get(each.section), each.language, " ".join(each.pattern.split()))
            in self.off
        )

    @cached_property
    def vague_words(self) -> frozenset[str]:
        shipped = {(language, word) for language, words in vague_words().items() for word in words}
        on = {word for language, word in shipped if ("vague", "", language, word) not in self.off}
        return frozenset(on | {match_form(row.text) for row in self.own("vague")})

    def own(self, kind: RowKind) -> list[RuleRow]:
        return [row for row in self.rows if row.kind == kind and row.is_on]

    def type_of(self, topic: str, language: str = "", *, is_told: bool = True) -> str:
        """What the words of the base ask for, else the first type whose expression matches in the question's language,
        or in any where its words do not tell that and it is only assumed.

        "May notice be given by e-mail?" wants a yes or no, not an address; the German "Was kostet es?" does not want
        one, though "was" begins such a question in English.
        """
        if own := name_asked_for(self.own("asks"), topic):
            return own
        told = language if is_told else ""
        beside, front = self.expressions.in_language("beside", told), find_front(topic, told)
        found = [
            (kind, len(topic[: words.start()].split()))
            for section, kind in TYPE_OF_SECTION.items()
            if (words := self.expressions.in_language(section, told).search(topic))
            and not (kind in NAMED and beside.search(topic, 0, words.start()))
        ]
        opening = {kind for kind, before in found if before < (len(front.split()) or OPENING_WORDS)}
        opening -= PROSE_TYPES - ({"explanation"} if front else set())  # "wie ist die Adresse?"
        named = NAMED | PRICED if opening == {"explanation"} else NAMED if opening else ()
        kinds = [kind for kind, _ in found if kind in opening or kind not in named]
        if language and "boolean" in kinds and not self.asks_yes_or_no(topic, language):
            kinds = [kind for kind in kinds if kind != "boolean"]
        if "boolean" in kinds and kinds[0] in NAMING:
            return "boolean"
        return kinds[0] if kinds else "text"

    def asks_yes_or_no(self, topic: str, language: str) -> bool:
        """Whether a question begins as one for a yes or no does in its own language, in English if that has none."""
        every = [each for each in self.expressions.alternatives if TYPE_OF_SECTION.get(each.section) == "boolean"]
        own = [each for each in every if each.language == language]
        return any(self.expressions.alone(each).search(topic) for each in own or every)

    def shape_of(self, topic: str, language: str = "") -> str:
        own = name_asked_for(self.own("shape"), topic)
        found = (
            shape
            for section, shape in SHAPE_OF_SECTION.items()
            if self.expressions.in_language(section, language).search(topic)
        )
        return own or next(found, "single")

    def patterns_of(self, answer_type: str, topic: str = "", language: str = "") -> tuple[str, str]:
        """What values of a type look like, in match form and as printed; "" where there is no such pattern.

        When something was, only a date says: "within six hours" is what is to be.
        """
        is_alone = answer_type == "date" and self.expressions.in_language("past", language).search(topic) is not None
        types = (answer_type,) if is_alone else (answer_type, *ALSO.get(answer_type, ()))
        if answer_type == "address" and self.expressions.in_language("sent", language).search(topic):
            types = (*types, "email")
        if types not in self._patterns:
            self._patterns[types] = self.join_patterns_of(types)
        return self._patterns[types]

    @cached_property
    def _patterns(self) -> dict[tuple[str, ...], tuple[str, str]]:
        return {}

    def join_patterns_of(self, types: Sequence[str]) -> tuple[str, str]:
        on = [each.row for each in shipped_rows() if each.row.key not in self.off] + list(self.rows)
        rows = [row for row in on if row.is_on and row.name in types]
        found = {kind: join_patterns([row.text for row in rows if row.kind == kind]) for kind in ("value", "printed")}
        return found["value"], found["printed"]

    def default_for(self, word: str, document_types: Sequence[str], document_ids: Sequence[str]) -> Default | None:
        """What a vague word means here; what was learned of the document alone counts before what was of its type, and
        that before what was of none.
        """
        known = {(each.word, each.document_type, each.document_id): each for each in self.defaults}
        kind, alone = (each[0] if len(set(each)) == 1 else "" for each in (document_types, document_ids))
        places = ((kind, alone), (kind, ""), ("", alone), ("", ""))
        return next((known[word, *place] for place in places if (word, *place) in known), None)

    def to_json(self) -> dict[str, object]:
        """What a run records of them; the patterns themselves are in the question as it was read."""
        return {"number": self.number, "digest": self.digest}


def name_asked_for(rows: Sequence[RuleRow], topic: str) -> str:
    """The name whose words are in a topic, the longest first; ""."""
    said = f" {' '.join(normalise_words(topic))} "
    found = [row for row in rows if f" {' '.join(normalise_words(row.text))} " in said]
    return max(found, key=lambda row: len(row.text)).name if found else ""


def digest_of_rows(rows: Iterable[RuleRow]) -> str:
    """A digest of rows, whatever their order; "" of none."""
    told = sorted([*row.key, row.is_on] for row in rows)
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:DIGEST_DIGITS] if told else ""


SHIPPED = ReadingRules()


def type_of(topic: str) -> str:
    """The type of answer that a topic asks for by the rules that ship."""
    return SHIPPED.type_of(topic)
