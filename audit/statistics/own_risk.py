"""What a risk would have cost a base: its reviewed answers of the rules, held against the limit of each risk.

No record names the fit of its confidence: those of older fits are held against the limits of today.
"""

from collections.abc import Iterator
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from audit.models import Review
from audit.runs.verdicts import standing_verdicts
from documents.models import KnowledgeBase
from retrieval.arbiter.evidence import limit_for
from retrieval.models import RetrievalRun, RunCandidate


class JudgedQuestion(NamedTuple):
    """A question that the rules judged and a reviewer after them: whether it has an answer, and what it was given."""

    has_answer: bool
    is_found: bool
    confidence: float
    risk_max: int
    is_read: bool

    def is_answered(self, risk_max: int) -> bool:
        return self.is_found and self.confidence >= limit_for(risk_max, is_read=self.is_read)


def judged_questions(base: KnowledgeBase) -> Iterator[JudgedQuestion]:
    """Found and agreed with, or without an answer as the reviewer says or confirms.

    Left out is whatever has another confidence than the probability that the rules held against the limit: outlines,
    comparisons, and what a contradiction caps.
    """
    runs = RetrievalRun.objects.filter(base=base, arbiter="rules", status__in=["found", "weak", "not_found"])
    runs = runs.filter(parsed__form="", contradictions=[])
    read = RunCandidate.objects.filter(run=OuterRef("run"), reason_facts__has_key="reads")
    reviews = Review.objects.filter(pk__in=standing_verdicts(runs).values("pk")).annotate(is_read=Exists(read))
    asked = ("outcome", "run__status", "run__confidence", "run__settings__risk_max", "is_read")
    for outcome, status, confidence, risk_max, is_read in reviews.order_by().values_list(*asked):
        is_found, is_agreed = status == "found", outcome == Review.Outcome.AGREE
        if risk_max and (is_agreed or (is_found and outcome == Review.Outcome.ABSENT)):
            yield JudgedQuestion(is_found and is_agreed, is_found, confidence, risk_max, is_read)
