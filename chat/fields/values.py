"""What a field has in the end: its outcome, its typed value as it is printed, the quote with its place, and caveats.

All of it is of the record: the answer to the field's run, made of quotes, and the citations of that answer.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext_noop

from chat.checks import AnswerCheck, AskedItem, ListedItem, MarkedValue
from chat.drafts import AnswerDraft, Quoted
from chat.fields.by_name import name_unsaid
from chat.fields.given import quote_given
from chat.fields.kinds import doubt_kind, doubt_other_value, doubt_thing, doubt_unnamed, of_kind
from chat.figures.across import REASONS, Contents, conflicts_in_fields, with_doubts
from chat.figures.names import NAMES
from chat.figures.parties import LEAST
from chat.figures.typed import contents_of
from chat.models import Answer, Citation, Extraction, ExtractionField
from chat.turns.compose import WriterContext, compose
from chat.turns.items import NO_VALUE, values_printed
from chat.turns.replies import citation_json
from chat.writing.extractive import quoted_text
from chat.writing.phrases import sentence
from documents.base_settings import BaseSettings
from documents.spreadsheet import write_csv
from documents.storage.content import DocumentContent
from reading.matching import join_without_space
from retrieval.forms.fields import Field
from retrieval.headlines.printed_at import apart_at, mismatch_at, other_value_at, said_at
from retrieval.models import RetrievalRun
from retrieval.question.phrasing import asks_for_parties
from retrieval.record.reading_back import question_from
from retrieval.types import UNANSWERED, LineRange, Question
from retrieval.words.periods import side_asked
from retrieval.words.printed import READERS

SEVERAL = gettext_noop("The lines that are quoted print several values.")
DISAGREE = gettext_noop("Passages disagree about it.")
NOT_ASKED = gettext_noop("Not asked: it was stopped before this field was answered.")
NOT_READ = gettext_noop("This document was not read, so nothing was asked of it.")
NOT_JUDGED = gettext_noop("The model did not judge this field; these are the lines where the search matched.")
CSV_COLUMNS = (
    *("field", "outcome", "value", "type", "normalised", "unit", "quote", "document", "page", "lines", "confidence"),
    *("caveat", "question", "run_id"),
)


def compose_field(run: RetrievalRun, mode: str, settings: BaseSettings) -> AnswerDraft:
    """The answer to a field's run, made of quotes; a value of the type that is asked for is read from the best quote
    that prints one, where what the answer says first has none. One of another kind, or of another thing, is doubtful.
    """
    draft = compose(run, WriterContext(mode, settings, lambda text: None, lambda: False, is_quoted=True))
    if draft.kind != Answer.Kind.EXTRACTIVE:
        return draft
    field, question = run.plan.get("field", {}), question_from(run.parsed)
    declared, is_name = field.get("type", ""), field.get("name") == run.question
    is_declared = bool(declared) or is_name
    items = draft.items
    shown = words_said(draft.checks) or (draft.quoted[0].quote if draft.quoted else "")
    if len(items) == 1 and run.arbiter_status != "not_run":
        if given := quote_given(draft.quoted, question):
            draft = with_quote(draft, given.quoted)
            items = [item_given(items[0], given.values)]
        else:
            items = [item_with_value(items[0], draft, question, is_declared=is_declared)]
        if is_name and run.judge != "model" and draft.quoted and not items[0]["values"]:
            items = [doubt_thing(items[0], name_unsaid(shown, draft.quoted[0], question))]
    items = [doubt_kind(item, shown, is_declared=is_declared) for item in items]
    if declared == "party" or asks_for_parties(question.topic_form):
        least = LEAST if asks_for_parties(question.topic_form) else 1
        items = [doubt_unnamed(item, shown, least) for item in items]
    return replace(draft, items=items)


def with_quote(draft: AnswerDraft, quoted: Quoted) -> AnswerDraft:
    """The draft with a quote that it may have already."""
    if quoted in draft.quoted:
        return draft
    text = f"{draft.text}\n\n{quoted_text([quoted])}"
    return replace(draft, text=text, quoted=(*draft.quoted, quoted))


def item_given(item: AskedItem, values: list[MarkedValue]) -> AskedItem:
    """The item with the values that its document gives it. What was doubted stays so, but for want of a value."""
    if item["outcome"] == "weak" and item["code"] != NO_VALUE:
        return item | {"values": values}
    return item | {"outcome": "found", "values": values, "reason": "", "code": ""}


def item_with_value(item: AskedItem, draft: AnswerDraft, question: Question, *, is_declared: bool) -> AskedItem:
    """The item with the value that is shown, doubted where that is said of another thing, or as much of another one."""
    quoted_values = QuotedValues(draft.quoted, contents_of(draft.quoted), question)
    said_first = of_kind(item["values"], item["type"], is_declared=is_declared)
    item = with_value(item, draft, quoted_values, is_declared=is_declared)
    values = item["values"]
    if said_first and asks_for_parties(question.topic_form):
        return item
    mismatches = [quoted_values.doubt(mismatch_at, value) for value in values]
    if mismatches and all(mismatches):
        return doubt_thing(item, mismatches[0])
    apart = [quoted_values.doubt(apart_at, value) for value in values]
    if apart and all(apart):
        return doubt_thing(item, apart[0])
    others = [] if said_first else [quoted_values.doubt(other_value_at, value) for value in values]
    return doubt_other_value(item, others[0]) if others and all(others) else item


@dataclass(frozen=True)
class QuotedValues:
    """The quotes of a field's answer, in which its numbers, dates and names are held against what was asked."""

    quoted: Sequence[Quoted]
    contents: Contents
    question: Question

    def place(self, value: MarkedValue) -> tuple[LineRange, str, DocumentContent, Question] | None:
        """Where a number, a date or a name stands; None of any other value."""
        cited = next((each for each in self.quoted if each.marker == value["marker"]), None)
        content = self.contents.get(cited.candidate.parse_id) if cited else None
        if content is None or value["type"] not in (*READERS, *NAMES) or not value.get("lines"):
            return None
        return LineRange(*value["lines"]), value["printed"], content, self.question

    def doubt(self, doubt_at: Callable[..., str], value: MarkedValue) -> str:
        """Why a value is in doubt by what is printed where it stands, or ""."""
        place = self.place(value)
        return doubt_at(*place) if place else ""

    def most_said(self, values: Sequence[MarkedValue]) -> list[MarkedValue]:
        """The one of several numbers, dates or names of which most of the question is said; all of any other values."""
        places = [self.place(value) for value in values]
        ranks = [said_at(*place).rank for place in places if place]
        return [values[ranks.index(max(ranks))]] if ranks and len(ranks) == len(values) else [*values]


def with_value(item: AskedItem, draft: AnswerDraft, quoted_values: QuotedValues, *, is_declared: bool) -> AskedItem:
    """The item with the value of its kind of which the quotes say most of the question, else with those of any kind.

    Those in a sentence about another thing come last; of names none is taken, unless a name was declared: the quote
    that answers says in words who it is. A value of another kind, which was said first, gives way only to
    one of a passage that answers by itself.
    """
    answer_type = item["type"]
    if answer_type not in (*READERS, *NAMES) or of_kind(item["values"], answer_type, is_declared=is_declared):
        return item
    quotes = [each for each in draft.quoted if not item["values"] or each.candidate.role == "primary"]
    read = [
        values_printed([each], answer_type, quoted_values.contents, quoted_values.question.original) for each in quotes
    ]
    if answer_type in NAMES and not is_declared:
        read = [[value for value in values if not quoted_values.doubt(mismatch_at, value)] for values in read]
    fitting = [of_kind(values, answer_type, is_declared=is_declared) for values in read]
    about = [value for values in fitting for value in values if not quoted_values.doubt(mismatch_at, value)]
    values = quoted_values.most_said(about or next(filter(None, fitting), []))
    values = values or item["values"] or next(filter(None, read), [])
    return item | {"outcome": "found", "values": values, "reason": "", "code": ""} if values else item


def compare_fields(made: Sequence[tuple[Field, AnswerDraft | None]]) -> list[AnswerDraft | None]:
    """The answers to fields that were asked together, flagged where their values do not agree with each other."""
    named = [(field.name if side_asked(field.name) else field.question, draft) for field, draft in made]
    conflicts = conflicts_in_fields([(asked, draft) for asked, draft in named if draft])
    return [with_doubts(draft, conflicts.get(asked, ())) if draft else None for asked, draft in named]


def extraction_json(extraction: Extraction, rows: Iterable[ExtractionField] | None = None) -> dict[str, Any]:
    """An extraction with what became of each field; `run_id` is null until it has been asked.

    `rows` are its fields, where they were read already.
    """
    return {
        "extraction_id": str(extraction.pk),
        "knowledge_base_id": str(extraction.base_id),
        "document_ids": extraction.document_ids,
        "mode": extraction.mode,
        "state": extraction.state,
        "error": extraction.error_for_people or None,
        "fields": [field_json(field) for field in (fields_with_answers([extraction]) if rows is None else rows)],
    }


def fields_with_answers(extractions: Iterable[Extraction]) -> list[ExtractionField]:
    """Their fields in order, with all that `field_json` tells of them."""
    asked = ExtractionField.objects.filter(extraction__in=[each.pk for each in extractions])
    found = asked.select_related("extraction", "run", "run__answer").order_by("position")
    return list(found.prefetch_related("run__answer__citations__candidate"))


def field_json(field: ExtractionField) -> dict[str, Any]:
    """One field with its outcome, value and the quote it is printed in."""
    run, answer = field.run, answer_of(field)
    values = [value for item in answer.items for value in item["values"]] if answer else []
    cited = citation_of_value(answer, values) if answer else None
    return {
        "name": field.name,
        "question": field.question,
        "type": field.answer_type or (run.parsed.get("answer_type") if run else None),
        "instruction": field.instruction or None,
        "run_id": str(run.pk) if run else None,
        "outcome": outcome_of(field, answer),
        "value": value_words(answer, values, cited) if answer else None,
        "values": values,
        **place_of_citation(cited),
        "citations": [citation_json(each) for each in answer.citations.all()] if answer else [],
        "caveats": caveats_of(field, values),
        "confidence": run.confidence if run else None,
        "shared_call": (run.plan.get("shared_call") or None) if run else None,
    }


def answer_of(field: ExtractionField) -> Answer | None:
    return getattr(field.run, "answer", None) if field.run else None


def outcome_of(field: ExtractionField, answer: Answer | None) -> str | None:
    """found, weak, not_found, cannot_tell, clarify, unjudged, not_read, stopped or failed; None while it waits."""
    run = field.run
    if run is None:
        return "not_read" if field.extraction.state == Extraction.State.FAILED else None
    if answer is None:
        return "stopped" if run.failure == NOT_ASKED else "failed"
    if run.arbiter_status == "not_run" and answer.kind not in UNANSWERED:
        return "unjudged"
    if answer.kind == Answer.Kind.CLARIFICATION:
        return "clarify"
    if answer.kind in UNANSWERED:
        return str(answer.kind)
    return "weak" if answer.items and all(item["outcome"] != "found" for item in answer.items) else "found"


def citation_of_value(answer: Answer, values: Sequence[MarkedValue]) -> Citation | None:
    """The citation in which the first value is printed, else the first."""
    cited = {each.marker: each for each in answer.citations.all()}
    return cited.get(values[0]["marker"] if values else 1) or next(iter(cited.values()), None)


def value_words(answer: Answer, values: Sequence[MarkedValue], cited: Citation | None) -> str | None:
    """The value as printed; without a typed one the sentence or cell that says it, else the quote."""
    if answer.kind != Answer.Kind.EXTRACTIVE:
        return None
    if values:
        return "; ".join(dict.fromkeys(printed_words(value) for value in values))
    return words_said(answer.checks) or (join_without_space(cited.quote) if cited else None)


def words_said(checks: Iterable[AnswerCheck]) -> str:
    """The sentence or cell that an answer says first; "" without one."""
    said = (check["typed"] for check in checks if check.get("typed"))
    return next((typed["text"] for typed in said if typed["type"] in ("sentence", "cell")), "")


def printed_words(value: MarkedValue) -> str:
    if value["type"] == "list":
        return "; ".join(map(item_words, value["items"]))
    return str(value.get("printed") or value.get("text") or value.get("value", ""))


def item_words(item: ListedItem) -> str:
    """An item of a list in one line, with the items inside it."""
    inside = "; ".join(map(item_words, item.get("children", ())))
    return f"{item['text']} ({inside})" if inside else str(item["text"])


def place_of_citation(cited: Citation | None) -> dict[str, Any]:
    """The quote of a value and where it stands; nulls without one."""
    if cited is None:
        return dict.fromkeys(("quote", "document_id", "document", "page", "page_label", "lines")) | {"boxes": []}
    return {name: value for name, value in citation_json(cited).items() if name not in ("marker", "candidate_id")}


def caveats_of(field: ExtractionField, values: Sequence[MarkedValue] = ()) -> list[str]:
    """What a reader has to know before relying on a value, or why there is none; in the words of the record."""
    run, answer = field.run, answer_of(field)
    if run is None:
        return list(filter(None, [field.extraction.error_for_people]))
    if answer is None and run.failure == NOT_ASKED:
        return [NOT_ASKED]
    if answer is None:  # all of them failed, or this one took too long
        return [field.extraction.error_for_people or run.failure.partition(": ")[2]]
    if answer.kind != Answer.Kind.EXTRACTIVE:
        return [answer.text]
    is_judged = run.arbiter_status != "not_run"
    told = [] if is_judged else [f"{NOT_JUDGED} {run.arbiter_failure}".strip()]
    told += [sentence(item["reason"]) for item in answer.items if item["reason"] and item["code"] not in REASONS]
    told += [
        f"{sentence(REASONS[problem])} {sentence(check['sentence'])}"
        for check in answer.checks
        for problem in check["problems"]
        if problem in REASONS
    ]
    told += [sentence(run.missing)] if run.missing else []
    told += [f"{DISAGREE} {sentence(each['point'])}" for each in run.contradictions]
    distinct = {(value.get("value"), value.get("currency"), value.get("unit")) for value in values}
    is_scalar = all(value["type"] in READERS for value in values)
    return told + ([SEVERAL] if is_scalar and len(distinct) > 1 else [])


def write_extraction_csv(told: Iterable[Mapping[str, Any]]) -> str:
    """The fields of an extraction as CSV, one a line, with cells that no spreadsheet takes for formulas."""
    rows: list[Iterable[Any]] = [CSV_COLUMNS]
    for field in told:
        first = field["values"][0] if field["values"] else {}
        lines = field["lines"]
        row = {
            **field,
            "field": field["name"],
            "normalised": first.get("value", ""),
            "unit": first.get("currency") or first.get("unit", ""),
            "page": field["page_label"],
            "lines": f"{lines[0]}-{lines[1]}" if lines else "",
            "caveat": " ".join(field["caveats"]),
        }
        rows.append([row[name] for name in CSV_COLUMNS])
    return write_csv(rows)
