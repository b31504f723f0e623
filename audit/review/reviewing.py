"""Reviews: who may give one, how concurrent ones conflict, and which verdict currently applies."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db import IntegrityError
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from audit.access_log import NAME_MAX, is_auditor, record_event
from audit.auditor_record import store
from audit.models import AuditEvent, Review
from audit.review.own import runs_asked_again
from documents.models import Viewer
from retrieval.models import RetrievalRun, RunCandidate

WITH_REVIEWS = ("trail", "evidence")  # what shows or holds what others said of a run, as its reading is recorded


class ReviewRefused(Exception):
    """This person may not review this run; the message is for people."""


class ReviewConflict(Exception):
    """Somebody reviewed the same thing after the form was opened; nothing was stored."""

    def __init__(self, standing: Review | None, user: Viewer | None = None) -> None:
        super().__init__(
            _("You have reviewed this since you opened it, perhaps in another tab. Nothing more was stored yet.")
            if user and standing and standing.reviewer_id == user.pk
            else _("Somebody has reviewed this since you opened it. Both texts are below; nothing was stored yet.")
        )
        self.standing = standing


@dataclass(frozen=True)
class Opinion:
    """The content of a review form. `previous_id` is the review its author had seen, None if there was none."""

    outcome: str
    corrected_role: str = ""
    reason: str = ""
    previous_id: UUID | None = None
    is_blind: bool = False


@dataclass(frozen=True)
class Reviews:
    """The reviews of one candidate or of the answer: the chain in order, and the blind ones."""

    chain: tuple[Review, ...] = ()
    blind: tuple[Review, ...] = ()

    @property
    def standing(self) -> Review | None:
        return self.chain[-1] if self.chain else None

    @property
    def given(self) -> tuple[Review, ...]:
        return (*self.chain, *self.blind)


@dataclass(frozen=True)
class RunReviews:
    """Every review of a run, by candidate; the key None is the answer."""

    by_candidate: dict[int | None, Reviews] = field(default_factory=dict)

    def of(self, candidate_pk: int | None) -> Reviews:
        return self.by_candidate.get(candidate_pk, Reviews())

    def __len__(self) -> int:
        return sum(len(reviews.given) for reviews in self.by_candidate.values())


def reviews_of(run: RetrievalRun, *, unseen_by: Viewer | None = None) -> RunReviews:
    """A run's reviews; with `unseen_by` only that person's own, as a blind reviewer sees them."""
    found = Review.objects.filter(run=run)
    reviews = list(found.filter(reviewer_id=unseen_by.pk) if unseen_by else found)
    keys = {review.candidate_id for review in reviews}
    return RunReviews(
        {key: arrange_reviews(review for review in reviews if review.candidate_id == key) for key in keys}
    )


def arrange_reviews(reviews: Iterable[Review]) -> Reviews:
    """Order the chain by its links, not by time."""
    given = list(reviews)
    following = {review.previous_id: review for review in given if not review.is_blind}
    first = following.get(None)
    chain: list[Review] = [first] if first else []
    while chain and (after := following.get(chain[-1].pk)):
        chain.append(after)
    rest = [review for review in given if not review.is_blind and review not in chain]
    return Reviews((*chain, *rest), tuple(review for review in given if review.is_blind))


def why_not(user: Viewer, run: RetrievalRun) -> str:
    """Why a person may not review a run, or ""."""
    if not is_auditor(user, run.base_id):
        return _("Only auditors and owners of the base review its questions.")
    if runs_asked_again(run).filter(asked_by=user.pk).exists():
        return _("You asked this question, so somebody else has to review it.")
    return ""


def has_judged(user: Viewer, run: RetrievalRun) -> bool:
    """Whether a person has given a verdict on the answer of a run, blind or not."""
    return Review.objects.filter(run=run, candidate=None, reviewer_id=user.pk).exists()


def why_not_blind(user: Viewer, run: RetrievalRun, candidate: RunCandidate | None) -> str:
    """Why a review by this person would not be blind, or not the first, or ""."""
    if Review.objects.filter(run=run, candidate=candidate, reviewer_id=user.pk, is_blind=True).exists():
        return blind_once()
    others = Review.objects.filter(run=run).exclude(reviewer_id=user.pk).order_by("created_at")
    first = others.values_list("created_at", flat=True).first()
    if first is None:
        return ""
    reads = AuditEvent.objects.filter(action__in=WITH_REVIEWS, run_id=run.pk, person_id=user.pk, created_at__gt=first)
    if reads.filter(detail__blind__isnull=True).exists():
        return _("You have opened this record with what others said, so your review of it cannot be blind any more.")
    return ""


def blind_once() -> str:
    return _("You have reviewed this blind already. That review is kept as you gave it.")


def review(run: RetrievalRun, candidate: RunCandidate | None, user: User, opinion: Opinion) -> Review:
    """Store a review and its ledger entry. Raises ReviewRefused (recorded, AT10) or ReviewConflict (AT9)."""
    refusal = why_not(user, run)
    if opinion.is_blind and not refusal:
        if given := find_repeated(run, candidate, user, opinion):
            return given
        refusal = why_not_blind(user, run, candidate)
    if refusal:
        raise record_refusal(run, candidate, user, opinion, refusal)
    standing = reviews_of(run).of(candidate.pk if candidate else None).standing
    if not opinion.is_blind and (standing.pk if standing else None) != opinion.previous_id:
        raise ReviewConflict(standing, user)
    row = Review(
        run=run,
        candidate=candidate,
        reviewer=user,
        reviewer_name=str(user)[:NAME_MAX],
        outcome=opinion.outcome,
        original_role=candidate.role if candidate else "",
        corrected_role=kept_role(opinion),
        reason=opinion.reason,
        previous=None if opinion.is_blind else standing,
        is_blind=opinion.is_blind,
        created_at=timezone.now(),
    )
    try:
        store(row)
    except IntegrityError:  # both passed the check above; the constraint accepted only the first
        if opinion.is_blind:
            if given := find_repeated(run, candidate, user, opinion):
                return given
            raise record_refusal(run, candidate, user, opinion, blind_once()) from None
        raise ReviewConflict(reviews_of(run).of(candidate.pk if candidate else None).standing, user) from None
    return row


def find_repeated(run: RetrievalRun, candidate: RunCandidate | None, user: User, opinion: Opinion) -> Review | None:
    """The blind review that was sent again as it is, by a second press on Save."""
    given = Review.objects.filter(run=run, candidate=candidate, reviewer=user, is_blind=True)
    return given.filter(outcome=opinion.outcome, reason=opinion.reason, corrected_role=kept_role(opinion)).first()


def kept_role(opinion: Opinion) -> str:
    return opinion.corrected_role if opinion.outcome == Review.Outcome.OVERRULE else ""


def record_refusal(
    run: RetrievalRun, candidate: RunCandidate | None, user: User, opinion: Opinion, why: str
) -> ReviewRefused:
    about = candidate.candidate_id if candidate else "answer"
    record_event(user, "review_refused", run.pk, about=about, outcome=opinion.outcome, why=why)
    return ReviewRefused(why)


def next_unreviewed(candidates: Sequence[RunCandidate], reviews: RunReviews, after: str, *, blind: bool = False) -> str:
    """The id of the next candidate of a table without a review that stands, or "". Whoever reviews `blind` sees their
    own reviews alone, and gives none of a candidate twice.
    """
    ids = [candidate.candidate_id for candidate in candidates]
    start = ids.index(after) + 1 if after in ids else 0
    rest = ((row.candidate_id, reviews.of(row.pk)) for row in candidates[start:])
    return next((name for name, of_it in rest if not (of_it.given if blind else of_it.standing)), "")
