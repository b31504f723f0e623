"""The signs of risk of a run (AT11): their words, their meanings, and their conditions on runs.

The queue, the figures and the filter of the list share this one table. What a condition on rows sees is asked when it
is shown; what has to be worked out is derived in `signs`.
"""

from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from audit.models import RunSign
from audit.runs.complaints import complaints_of_run
from chat.models import Answer, Citation
from chat.page.outcomes import STOPPED_RUNS
from retrieval.models import INSTRUCTING, RunCandidate
from retrieval.types import ABSENT


class Risk(NamedTuple):
    """A sign that a run deserves a look: its name and explanation, and its condition on runs."""

    words: Promise
    meaning: Promise
    condition: Q


def with_candidate(condition: Q) -> Q:
    return Q(Exists(RunCandidate.objects.filter(condition, run=OuterRef("pk")).order_by()))


def has_repair(*statuses: str) -> Q:
    return with_candidate(Q(anchor_repair__status__in=statuses))


def has_sign(name: str) -> Q:
    """Runs with a sign that the sweep has seen, see audit.runs.signs."""
    return Q(Exists(RunSign.objects.filter(run=OuterRef("pk"), name=name).order_by()))


# Also where passages were found and the model, reading them, says that they do not hold the answer.
REFUSALS = Answer.objects.filter(kind__in=ABSENT, run=OuterRef("pk")).order_by()
DOUBTS = Answer.objects.filter(kind=Answer.Kind.WEAK, run=OuterRef("pk")).order_by()
# A test of today, as a document is replaced after it was cited.
SUPERSEDED = Citation.objects.filter(
    answer__run=OuterRef("pk"), candidate__document__replaced_at__isnull=False
).order_by()
# AT11: each of these is reviewed in full, and not by sample. The most serious first: what speaks against the answer
# itself before what is said of the document alone, which all answers from a scan share.
RISKS = {
    "complaint": Risk(
        _("a reader complained"),
        _("A reader said that the answer or its evidence is wrong, or that something is missing."),
        Q(Exists(complaints_of_run())),
    ),
    "injection": Risk(
        _("text gives orders to an AI"),
        _("A candidate has words that look like orders to an AI, such as “ignore your instructions”."),
        with_candidate(INSTRUCTING),
    ),
    "failed": Risk(
        _("stopped by an error"),
        _("An error ended the work on the question."),
        Q(status="failed") & ~Q(failure__in=STOPPED_RUNS),
    ),
    "degraded": Risk(
        _("arbiter did not run"),
        _(
            "The language model was asked and gave no usable reply. Fixed rules only put the candidates in order; "
            "nobody judged them."
        ),
        Q(arbiter_status="not_run") & ~Q(status="failed"),
    ),
    "contradiction": Risk(
        _("sources differ"),
        _(
            "The arbiter found candidates that contradict each other, kept ones say the same with another value, or an "
            "amendment changes a clause."
        ),
        ~Q(contradictions=[]),
    ),
    "violation": Risk(
        _("arbiter broke its rules"),
        _("The arbiter’s reply did not keep to its task: it left a candidate out, for example, or gave no reason."),
        ~Q(violations=[]),
    ),
    "rejected": Risk(
        _("quote rejected"),
        _("A proposed quote does not stand in the document, so it was dropped."),
        has_repair("rejected"),
    ),
    "shortened": Risk(
        _("quote shortened"),
        _("Only the beginning of a proposed quote stands in the document, so the rest was cut off."),
        has_repair("truncated"),
    ),
    "against_detectors": Risk(
        _("decided against all detectors"),
        _(
            "A candidate was kept although no detector has it among its best, or refused although every one of them "
            "has."
        ),
        has_sign("against_detectors"),
    ),
    "missing_words": Risk(
        _("words asked for are missing"),
        _("Something was found although a word of the question stands on no page that was read."),
        has_sign("missing_words"),
    ),
    "typed_values": Risk(
        _("a value is in doubt"),
        _(
            "A typed value is missing where one was asked, does not stand in what is cited, or does not agree with "
            "what stands beside it."
        ),
        has_sign("typed_values"),
    ),
    "low_confidence": Risk(
        _("low confidence"),
        _("Something was found on evidence of a weak kind, or the reader was told that fixed rules doubt it."),
        has_sign("low_confidence"),
    ),
    "doubtful": Risk(
        _("doubtful answer"),
        _("Passages may be about it, and none clearly answers: the reader was shown them, and told so."),
        Q(status="weak") | Q(Exists(DOUBTS)),
    ),
    "superseded": Risk(
        _("document superseded"), _("A newer version has replaced a document that is cited."), Q(Exists(SUPERSEDED))
    ),
    "weak_source": Risk(
        _("weak source"),
        _(
            "A quote was read by OCR, is struck through, stands on a page with hidden or unreadable text, or was found "
            "by the title of a section in contents that were rebuilt from few headings."
        ),
        has_sign("weak_source"),
    ),
    "not_found": Risk(
        _("no answer, to be confirmed"),
        _(
            "No candidate carried an answer, or the model said so of those that were kept. Somebody should confirm "
            "that the documents hold none."
        ),
        Q(status__in=ABSENT) | Q(Exists(REFUSALS)),
    ),
}
ANY_RISK = Q()
for _each in RISKS.values():
    ANY_RISK |= _each.condition
