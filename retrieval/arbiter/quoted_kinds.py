"""What is missed in the quotes that a model took as it is in those that rules took, but for what only it can read.

A model has read the passages, and its answer may be computed, in words, in another language or one of a list: of it
only what nobody could read there is missed, an amount where no figure or part is quoted, a date where no day is, a yes
or no where what is asked about is named and no more. How many there are may be counted, and needs no number.
"""

import re
from collections.abc import Mapping, Sequence

from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.registry.references import references_in
from reading.rows import name_in_force
from reading.values.months import MONTH
from reading.values.numbers import NAMES
from retrieval.arbiter.evidence import is_formed_type, value_unquoted
from retrieval.arbiter.named import is_named_only, saying_words
from retrieval.arbiter.numbers_told import asks_for_number, is_number
from retrieval.question.kinds import SHIPPED
from retrieval.question.phrasing import find_front, phrasing_rules
from retrieval.told.reasons import give_clause
from retrieval.types import LineRange, Question, Settled
from retrieval.words.lexicon import lexicon_of
from retrieval.words.terms import weigh_terms
from retrieval.words.tokens import normalise_words

NAMED_MONTH = re.compile(rf"\b(?!(?-i:may|march)\b){MONTH}\b", re.IGNORECASE)  # "may", "march" are verbs
# What numbers a clause or an item, at the start of a line: "12.50 per parcel" and "1.500 EUR" do not.
CAPITAL = r"\s{1,9}(?=[\"“„«]?[A-ZÀ-ÖØ-Þ])"
CLAUSE_NUMBER = re.compile(rf"^[ \t]{{0,9}}\(?\d{{1,2}}[.)]{CAPITAL}", re.MULTILINE)
CLAUSE = re.compile(rf"^[ \t]{{0,9}}\d{{1,2}}(?:\.\d{{1,2}}){{1,4}}[.)]?{CAPITAL}", re.MULTILINE)
LED_LINES = 30  # looked back over for what introduces a list
ADDRESSED = frozenset({"email", "phone", "url", "iban"})  # what no words stand for


def kind_unread(question: Question, kept: Sequence[Settled], content_of: Mapping[str, DocumentContent]) -> str:
    """Why no quote that a model took can hold the answer, or ""; `kept` are the passages it kept."""
    contents = [content_of[each.document_id] for each in kept]
    if question.parts or not kept or {each.language for each in contents} - NAMES.keys():
        return ""
    pairs = list(zip(kept, contents, strict=True))
    if question.answer_type == "boolean":
        primary = [pair for pair in pairs if pair[0].verdict.role == "primary"]
        return give_clause("only named") if primary and all(names_alone(*pair, question) for pair in primary) else ""
    if not needs_figure(question):
        return ""
    texts = [text_quoted(*pair) for pair in pairs]
    if not any(texts):
        return give_clause("no row")
    texts = [CLAUSE_NUMBER.sub("", text) for text in texts]
    if any(stands_for_value(text, question, content.language) for text, content in zip(texts, contents, strict=True)):
        return ""
    if question.answer_type == "number":
        return give_clause("no value", type=question.answer_type)
    return value_unquoted(question, [*zip(kept, texts, strict=True)])


def needs_figure(question: Question) -> bool:
    """Whether no answer to a question is without a figure: "when" may be "once the works are done", a date is a day.

    "Which model gives the value", "how does one estimate the value" want no value: what is asked for stands in front.
    """
    rules, language = phrasing_rules(), question.language
    front = find_front(question.topic, language)
    if question.is_count or (front and SHIPPED.type_of(front, language) != question.answer_type):
        return False
    if question.answer_type == "date":
        return any(map(rules.in_language("dating", language).match, normalise_words(question.topic)))
    return asks_for_number(question) or (question.answer_type in ADDRESSED and is_formed_type(question))


def text_quoted(candidate: Settled, content: DocumentContent) -> str:
    """What is quoted of a place, without the headings of a table; its own text if nothing is."""
    pieces = [
        content.lines[piece.line_number - 1].text[piece.start : piece.end]
        for piece in candidate.quote.pieces
        if not is_table_head(piece.line_number, content)
    ]
    return "\n".join(pieces) if candidate.quote.pieces else candidate.own_text


def is_table_head(number: int, content: DocumentContent) -> bool:
    tables = content.tables_on_page(content.lines[number - 1].page_number)
    return any(number in table.head_lines and number != table.title_line for table in tables)


def stands_for_value(text: str, question: Question, language: str) -> bool:
    """Whether a text has a figure, but for those that number it or name a place, or words for a part or for a day."""
    if question.answer_type in ADDRESSED:
        return False
    said = CLAUSE.sub("", text)
    for start, end in sorted({(start, end) for _, start, end in references_in(said)}, reverse=True):
        said = f"{said[:start]} {said[end:]}"
    rules, words, matched = phrasing_rules().of_language(language), normalise_words(said), match_form(said)
    if question.answer_type == "date":
        is_day = any(map(rules["dating"].match, words)) or rules["moment"].search(matched) is not None
        if is_day or NAMED_MONTH.search(said):
            return True
    return rules["portion"].search(matched) is not None or any(is_number(word, language) for word in words)


def names_alone(candidate: Settled, content: DocumentContent, question: Question) -> bool:
    """Whether a quote names what is asked about, and what stands around it has no more of the question either; the
    title of its section, or what introduces a list, may say what is so: "Perils covered", "We pay for loss by:".
    """
    titles, saying = normalise_words(name_in_force(candidate.breadcrumb)), saying_words()
    quoted = [piece.line_number for piece in candidate.quote.pieces] or [*candidate.anchor]
    if is_led_in(min(quoted), content) or not saying.get(content.language, saying["en"]).isdisjoint(titles):
        return False
    around = content.text_between(*candidate.context.lines, searched_only=True)
    terms = weigh_terms(question, lexicon_of(content))
    said = f"{' '.join(titles)} {around}"
    return is_named_only(LineRange(min(quoted), max(quoted)), question, terms, content, said)


def is_led_in(number: int, content: DocumentContent) -> bool:
    """Whether a line is of a list that something with a colon introduces: "We pay for loss caused by:"."""
    line = content.lines[number - 1]
    for each in reversed(content.legible_lines(number - LED_LINES, number - 1)):
        if each.toc_index != line.toc_index or each.kind == "heading":
            return False
        if each.text.rstrip().endswith(":"):
            return True
        if each.kind != "list_item":
            return False
    return False
