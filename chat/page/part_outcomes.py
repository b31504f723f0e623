"""What became of each thing that was asked, in words for people (R22): on cards, in the trail, copies and exports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, gettext_lazy, ngettext

from chat.fields.kinds import OTHER_KIND, OTHER_THING
from chat.figures.across import START_AFTER_END, TOTAL_DIFFERS
from chat.models import Answer
from chat.turns.items import NO_COLUMN, NO_VALUE, REFUSED
from retrieval.models import RetrievalRun
from retrieval.record.reading_back import parts_of
from retrieval.told.outcomes import as_judged, outcome_named
from retrieval.told.planned import mark_each
from retrieval.told.reasons import in_words

EMPTY_WORDS = {
    (NO_VALUE, "amount"): gettext_lazy("what is cited prints no amount"),
    (NO_VALUE, "percentage"): gettext_lazy("what is cited prints no percentage"),
    (NO_VALUE, "date"): gettext_lazy("what is cited prints no date and no period"),
    (NO_VALUE, "duration"): gettext_lazy("what is cited prints no period"),
    NO_COLUMN: gettext_lazy("the table that is cited has no column for it"),
    START_AFTER_END: gettext_lazy("a start is later than its end"),
    TOTAL_DIFFERS: gettext_lazy("the rows of the table do not add up to its total"),
}
KIND_WORDS = {
    "independent": gettext_lazy("asked by itself"),
    "sequential": gettext_lazy("leans on the one before"),
    "conditional": gettext_lazy("the case in which it is asked"),
}


@dataclass(frozen=True)
class PartOutcomeRow:
    """One part: the code of its outcome, what it is about, what it is to the others, and why not more."""

    outcome: str
    subject: str
    kind: str
    why: str
    candidate_ids: Sequence[str]

    @property
    def about(self) -> str:
        return " – ".join(filter(None, [self.subject, self.why]))

    @property
    def line(self) -> str:
        return f"{outcome_named(self.outcome).words}: {self.about.rstrip('.')}."


def part_rows(run: RetrievalRun) -> list[PartOutcomeRow]:
    """Every part of a run's question; none of a question that asks one thing."""
    of_one = places_of_own(run)
    return [
        PartOutcomeRow(
            outcome=as_judged(part["outcome"], run.judge),
            subject=part["subject"],
            kind=str(KIND_WORDS[part["kind"]]),
            why=explain(part["outcome"], part["missing"], is_of_document=number in of_one),
            candidate_ids=part["candidate_ids"],
        )
        for number, part in enumerate(parts_of(run))
    ]


def item_rows(answer: Answer) -> list[PartOutcomeRow]:
    """What an answer gives for each thing that was asked; none of those of before 1.6."""
    of_one = places_of_own(answer.run) if answer.items else []  # a question back has no run
    return [
        PartOutcomeRow(
            outcome=as_judged(item["outcome"], answer.run.judge if answer.run else ""),
            subject=item["asked"],
            kind="",
            why=why_of_item(item, is_of_document=number in of_one),
            candidate_ids=(),
        )
        for number, item in enumerate(answer.items)
    ]


def places_of_own(run: RetrievalRun | None) -> list[int]:
    """The places of those sides of a comparison that were looked up only in documents of their own."""
    sides = run.parsed.get("sides", ()) if run and parts_of(run) else ()
    return [number for number, side in enumerate(sides) if side["document_ids"]]


def why_of_item(item: Mapping[str, Any], *, is_of_document: bool = False) -> str:
    """Why an item is not found or has no value, in the reader's language where it is not a model's sentence."""
    if item["code"] == REFUSED:
        return str(item["reason"])
    if item["code"] in (OTHER_KIND, OTHER_THING):
        return in_words(item["reason"])
    empty = EMPTY_WORDS.get(item["code"]) or EMPTY_WORDS.get((item["code"], item["type"]))
    return str(empty) if empty else explain(item["outcome"], item["missing"], is_of_document=is_of_document)


def explain(outcome: str, missing: Sequence[str], *, is_of_document: bool = False) -> str:
    """Why a part is not found, or not clearly."""
    if outcome == "found":
        return ""
    of_all = ngettext(
        "no page that was read mentions %(words)s", "no page that was read mentions any of %(words)s", len(missing)
    )
    of_it = ngettext(
        "no page of it that was read mentions %(words)s",
        "no page of it that was read mentions any of %(words)s",
        len(missing),
    )
    nowhere = (of_it if is_of_document else of_all) % {"words": mark_each(missing)}
    unclear = gettext("no passage clearly answers it")
    said = [nowhere] if missing else [unclear] if outcome == "weak" else [gettext("nothing that was read answers it")]
    if outcome == "cannot_tell":
        said.append(gettext("but not everything was looked at"))
    return ", ".join(said)
