"""What an answer gives for each thing that was asked: found with its typed values, or empty with why (R59, R87).

A question that asks one thing has one item, one in parts has one for each, and one for several years of a table's row
one for each year.

A line `NOT FOUND 2: …` in what a model writes takes part 2 of the question back; with one such item an answer is partly
answered.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from chat.checks import AnswerCheck, AskedItem, MarkedValue
from chat.drafts import AnswerDraft, Quoted
from chat.figures.typed import Source, cited_lines, clear_values, contents_of, in_force
from chat.writing.phrases import sentence
from chat.writing.shaped import form_of
from chat.writing.writer import RefusedPart
from documents.storage.content import DocumentContent
from reading.values.numbers import ENDINGS
from retrieval.models import RetrievalRun
from retrieval.question.kinds import type_of
from retrieval.question.phrasing import name_subject
from retrieval.record.reading_back import parts_of
from retrieval.told.columns import StoredPart
from retrieval.types import ABSENT, UNANSWERED
from retrieval.words.printed import READERS, SPANS

NO_VALUE, NO_COLUMN, REFUSED = "no_value", "no_column", "refused"
REASONS = {
    NO_VALUE: "what is cited prints no {type}",
    NO_COLUMN: "the table that is cited has no column for it",
}
# What may print a value that is not read as one: any digit, or a number in words.
NUMBERED = re.compile(
    rf"\d|\b(?:{ENDINGS['en']}|half|zero|twice|double|thousand|an?\s(?:{SPANS}))\b",
    re.IGNORECASE,
)
TOLD = ("type", "text", "value", "printed", "currency", "unit", "period", "label", "items", "lines")


def items_of(run: RetrievalRun, draft: AnswerDraft) -> list[AskedItem]:
    """The items of an answer, each with what was asked, its outcome, values and markers, and why it is not more.

    An outline has none, nor has a question that asks back.
    """
    if draft.kind == draft.kind.CLARIFICATION or form_of(run) == "outline":
        return []
    parts = parts_of(run)
    if not parts:
        return single_items(run, draft)
    draft = replace(draft, quoted=tuple(in_force(run, draft.quoted)))
    contents = contents_of(draft.quoted)
    refused = {each.number: each for each in draft.refused}
    types = dict(zip(run.parsed.get("parts", ()), run.parsed.get("part_types", ()), strict=False))
    return [
        item_of_part(part, draft, contents, refused.get(number), types) for number, part in enumerate(parts, start=1)
    ] + [refused_item(each) for each in draft.refused if not 1 <= each.number <= len(parts)]


def is_lacking(items: Iterable[AskedItem]) -> bool:
    return any(item["outcome"] in ABSENT for item in items)


def an_item(
    asked: str,
    answer_type: str,
    outcome: str,
    *,
    values: Sequence[MarkedValue] = (),
    markers: Sequence[int] = (),
    reason: str = "",
    code: str = "",
    missing: Sequence[str] = (),
) -> AskedItem:
    return {
        "asked": asked,
        "type": answer_type,
        "outcome": outcome,
        "values": [*values],
        "markers": [*markers],
        "reason": reason or REASONS.get(code, "").format(type=answer_type),
        "code": code,
        "missing": [*missing],
    }


# ---- a question that asks one thing


def single_items(run: RetrievalRun, draft: AnswerDraft) -> list[AskedItem]:
    asked = name_subject(run.parsed.get("topic") or run.question)
    answer_type = run.parsed.get("answer_type", "text")
    if draft.kind in UNANSWERED:
        return [an_item(asked, answer_type, draft.kind.value, reason=draft.text)]
    cells = [check for check in draft.checks if check.get("typed", {}).get("type") == "cell"]
    years = run.parsed.get("years", ())
    if cells and len(years) > 1:
        return [item_of_year(asked, answer_type, year, cells) for year in years]
    values = values_among(draft.checks)
    markers = [each.marker for each in draft.quoted]
    is_whole = draft.ended == "complete"
    is_empty = is_whole and prints_no(answer_type, values, [draft.text, *(each.quote for each in draft.quoted)])
    outcome, code = ("weak", NO_VALUE) if is_empty else ("found", "")
    found = an_item(asked, answer_type, outcome, values=values, markers=markers, code=code)
    return [found, *map(refused_item, draft.refused)]


def item_of_year(asked: str, answer_type: str, year: str, cells: Sequence[AnswerCheck]) -> AskedItem:
    """The cell of one of the years asked for, or that its table has none."""
    found = [check for check in cells if check["typed"].get("asked") == year]
    told = f"{asked}, {year}"
    if not found:
        return an_item(told, answer_type, "weak", code=NO_COLUMN)
    markers = [marker for check in found for marker in check["markers"]]
    return an_item(told, answer_type, "found", values=values_among(found), markers=markers)


def refused_item(refused: RefusedPart) -> AskedItem:
    """Something the model that wrote the answer did not find, in its words."""
    return an_item("", "text", "not_found", reason=sentence(refused.said), code=REFUSED)


# ---- one part of a question


def item_of_part(
    part: StoredPart,
    draft: AnswerDraft,
    contents: Mapping[Any, DocumentContent],
    refused: RefusedPart | None,
    part_types: Mapping[str, str],
) -> AskedItem:
    """What became of a part; who wrote the answer read more of its passages than who judged them."""
    answer_type = part_types.get(part["text"]) or type_of(part["text"])
    if refused:
        reason = sentence(refused.said)
        return an_item(part["subject"], answer_type, "not_found", reason=reason, code=REFUSED)
    quoted = [each for each in draft.quoted if each.candidate.candidate_id in part["candidate_ids"]]
    values = values_printed(quoted, answer_type, contents, part["text"])
    is_found = part["outcome"] == "found"
    is_empty = is_found and bool(quoted) and prints_no(answer_type, values, [each.quote for each in quoted])
    return an_item(
        part["subject"],
        answer_type,
        "weak" if is_empty else part["outcome"],
        values=values,
        markers=[each.marker for each in quoted],
        reason="" if is_empty else part["reason"],
        code=NO_VALUE if is_empty else "",
        missing=part["missing"],
    )


def values_printed(
    quoted: Sequence[Quoted], answer_type: str, contents: Mapping[Any, DocumentContent], asked: str
) -> list[MarkedValue]:
    """The values of a type in the lines that are cited for a part."""
    sources = [
        Source(each.quote, each.marker, cited_lines(each, content), content.language)
        for each in quoted
        if (content := contents.get(each.candidate.parse_id))
    ]
    return values_among(clear_values(sources, answer_type, asked))


def values_among(checks: Iterable[AnswerCheck]) -> list[MarkedValue]:
    """The typed values of checks, each with its marker, without the rows around them."""
    return [
        cast(MarkedValue, {name: typed[name] for name in TOLD if name in typed} | {"marker": check["markers"][0]})
        for check in checks
        if check.get("typed") and check["typed"]["type"] not in ("sentence", "table") and check["markers"]
        for typed in (cast(Mapping[str, Any], check["typed"]),)
    ]


def prints_no(answer_type: str, values: Sequence[Any], texts: Iterable[str]) -> bool:
    """Whether a value of a type was asked for and the texts surely print none: not even a number."""
    return answer_type in READERS and not values and not any(map(NUMBERED.search, texts))
