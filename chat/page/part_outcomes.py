"""What became of each thing that was asked, in words for people: on the card, in the trail, in copies and exports."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext, gettext_lazy, ngettext

from retrieval.models import RetrievalRun
from retrieval.run_record import parts_of

OUTCOME_WORDS = {
    "found": gettext_lazy("Found"),
    "weak": gettext_lazy("Not clearly found"),
    "not_found": gettext_lazy("Not found"),
    "cannot_tell": gettext_lazy("Cannot be told"),
}
STATES = {"found": "ok"}  # how an outcome is marked; a warning else
KIND_WORDS = {
    "independent": gettext_lazy("asked by itself"),
    "sequential": gettext_lazy("leans on the one before"),
    "conditional": gettext_lazy("the case in which it is asked"),
}


@dataclass(frozen=True)
class PartOutcomeRow:
    """One part: its outcome and how it is marked, what it is about, what it is to the others, and why not more."""

    outcome: str
    state: str
    subject: str
    kind: str
    why: str
    candidate_ids: Sequence[str]

    @property
    def line(self) -> str:
        return f"{self.outcome}: {self.subject}{f' – {self.why}' if self.why else ''}."


def part_rows(run: RetrievalRun) -> list[PartOutcomeRow]:
    """Every part of a run's question; none of a question that asks one thing."""
    return [
        PartOutcomeRow(
            outcome=str(OUTCOME_WORDS[part["outcome"]]),
            state=STATES.get(part["outcome"], "warn"),
            subject=part["subject"],
            kind=str(KIND_WORDS[part["kind"]]),
            why=explain(part["outcome"], part["missing"]),
            candidate_ids=part["candidate_ids"],
        )
        for part in parts_of(run)
    ]


def explain(outcome: str, missing: Sequence[str]) -> str:
    """Why a part is not found, or not clearly."""
    if outcome == "found":
        return ""
    nowhere = ngettext(
        "no page that was read mentions %(words)s", "no page that was read mentions any of %(words)s", len(missing)
    ) % {"words": ", ".join(f"“{word}”" for word in missing)}
    unclear = gettext("no passage clearly answers it")
    said = [nowhere] if missing else [unclear] if outcome == "weak" else [gettext("nothing that was read answers it")]
    if outcome == "cannot_tell":
        said.append(gettext("but not everything was looked at"))
    return ", ".join(said)
