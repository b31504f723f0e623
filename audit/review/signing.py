"""Sign a review off (AT10): one person vouches for a period or sample, a second one agrees; both go into the ledger."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple, NotRequired, TypedDict
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from audit.access_log import NAME_MAX, is_auditor, record_event
from audit.auditor_record import store
from audit.models import Review, ReviewSample, SignOff
from audit.review.queue import can_be_reviewed, is_reviewed
from audit.runs.risks import ANY_RISK, has_sign
from audit.runs.signs import LOOKED
from documents.models import KnowledgeBase
from ledger.chain import digest_of, head
from ledger.payload import canonical_json
from retrieval.models import RetrievalRun, RetrievalRunQuerySet

SHOWN_FOR = timedelta(hours=3)  # a page that was opened before midnight still signs what it showed


class Obstacle(NamedTuple):
    """Why a subject cannot be signed off yet, or ""."""

    why: str = ""
    waits: bool = False  # for verdicts
    is_final: bool = False  # of this signature by this person: to press again is of no use


class SignOffRefused(Exception):
    """This cannot be signed, or not by this person; the message is for people."""

    def __init__(self, obstacle: Obstacle) -> None:
        super().__init__(obstacle.why)
        self.waits, self.is_final = obstacle.waits, obstacle.is_final


class StatementToSign(NamedTuple):
    """What a signer is shown; the digest is of all that the signature is about."""

    sentence: str
    digest: str


class NotSeen(Exception):
    """The signer was shown another statement than the one that would be signed, or none; nothing was stored."""

    def __init__(self, statement: StatementToSign) -> None:
        super().__init__(statement.sentence)
        self.statement = statement


@dataclass(frozen=True)
class Subject:
    """What is signed off: a base from one moment to another, or one sample of it."""

    base_id: UUID
    base_name: str
    since: datetime
    until: datetime
    sample: ReviewSample | None = None
    has_pages: bool = True  # those of a base that was deleted are gone


class SignedFigures(TypedDict):
    """The figures of a signature: how many runs there were, how many were reviewed, and the results."""

    runs: int
    answers: NotRequired[int]  # that can be reviewed; signatures from before it was counted lack it
    population: int | None  # these two of a sample
    seed: str
    reviewed: int
    objected: int
    overruled: int
    risky: int
    risky_reviewed: int


class SecondSignature(NamedTuple):
    row: SignOff
    differs: bool  # in its sentence from the first
    sentence: str
    added: str  # that verdicts came between the two, in words


def of_period(base: KnowledgeBase, first: date, last: date, shown: datetime | None = None) -> Subject:
    """Whole days in UTC, both included; the last up to now if it is today, or to the moment of it that was shown."""
    since, end = (datetime.combine(day, time(), tzinfo=UTC) for day in (first, last + timedelta(days=1)))
    now = timezone.now()
    is_shown = shown and shown.date() == last and shown <= now and (end > now or now - shown < SHOWN_FOR)
    until = shown if shown and is_shown else now
    return Subject(base.pk, base.name, since, min(end, until) if last <= now.date() else end)


def propose_period(base: UUID) -> tuple[date, date]:
    """The days to sign off next: from the end of the last signed period, or the first of this month, until today."""
    today = timezone.now().date()
    signed = SignOff.objects.filter(base=base, sample=None, first=None).order_by("-until").first()
    return (min(signed.until.date(), today) if signed else today.replace(day=1)), today


def of_sample(sample: ReviewSample) -> Subject:
    return Subject(sample.base_id, sample.base_name, sample.until, sample.until, sample)


def of_first(first: SignOff) -> Subject:
    is_there = first.base.deleted_at is None
    return Subject(first.base_id, first.base_name, first.since, first.until, first.sample, is_there)


def runs_of(subject: Subject) -> RetrievalRunQuerySet:
    if subject.sample:
        return RetrievalRun.objects.filter(pk__in=[UUID(pk) for pk in subject.sample.run_ids])
    return RetrievalRun.objects.filter(
        base=subject.base_id, created_at__gte=subject.since, created_at__lt=subject.until
    )


def count_figures(subject: Subject) -> SignedFigures:
    asked = runs_of(subject).order_by()
    runs = asked.filter(can_be_reviewed())
    risky, reviewed = runs.filter(ANY_RISK), runs.filter(is_reviewed())
    reviews = Review.objects.filter(run=OuterRef("pk")).order_by()
    objections = reviews.filter(candidate=None).exclude(outcome=Review.Outcome.AGREE)
    return {
        "runs": asked.count(),
        "answers": runs.count(),
        "population": subject.sample.population if subject.sample else None,
        "seed": subject.sample.seed if subject.sample else "",
        "reviewed": reviewed.count(),
        "objected": runs.filter(Exists(objections)).count(),
        "overruled": Review.objects.filter(run__in=runs, outcome=Review.Outcome.OVERRULE).count(),
        "risky": risky.count(),
        "risky_reviewed": risky.filter(is_reviewed()).count(),
    }


def find_sign_off_obstacle(subject: Subject, figures: SignedFigures) -> Obstacle:
    """What keeps it from being signed off. A sample must be fully reviewed; of a period, every risk, once all is looked
    at for signs of it.
    """
    is_running = subject.until > timezone.now()
    not_ended = _("This period has not ended yet.") if is_running else ""
    if not figures["runs"]:
        return Obstacle(not_ended or _("There is nothing to sign off: no question was asked."))
    if not figures["answers"]:
        return Obstacle(not_ended or _("There is nothing to sign off: no question has an answer to review."))
    if subject.sample:
        waiting = figures["answers"] - figures["reviewed"]
        told = ngettext(
            "%(count)s question of the sample waits for a verdict on its answer.",
            "%(count)s questions of the sample wait for a verdict on their answer.",
            waiting,
        )
    else:
        waiting = figures["risky"] - figures["risky_reviewed"]
        told = ngettext(
            "%(count)s question with a sign of risk waits for a verdict on its answer.",
            "%(count)s questions with a sign of risk wait for a verdict on their answer.",
            waiting,
        )
    sentences = [told % {"count": waiting}] if waiting else []
    if not subject.sample and (unseen := runs_of(subject).filter(can_be_reviewed(), ~has_sign(LOOKED)).count()):
        told = ngettext(
            "%(count)s question was not looked at for signs of risk yet. That happens by itself, soon.",
            "%(count)s questions were not looked at for signs of risk yet. That happens by itself, soon.",
            unseen,
        )
        sentences.append(told % {"count": unseen})
    return Obstacle(" ".join([*sentences, *filter(None, [not_ended])]), waits=waiting > 0)


def describe_sign_off(row: SignOff) -> str:
    """What was signed, in a sentence for people."""
    return describe_figures(row.figures, is_sample=row.sample_id is not None)


def describe_figures(figures: SignedFigures, *, is_sample: bool) -> str:
    answers = figures.get("answers", figures["runs"])
    unread = answers - figures["reviewed"] - (figures["risky"] - figures["risky_reviewed"])
    if is_sample:
        told = _(
            "%(runs)s of %(population)s questions, drawn with the seed %(seed)s: %(reviewed)s reviewed, %(objected)s "
            "with an objection to the answer, roles overruled: %(overruled)s."
        )
    else:
        told = _(
            "Questions: %(runs)s; read, with a verdict: %(reviewed)s, among them %(risky_reviewed)s of %(risky)s with "
            "a sign of risk; not read, only not flagged: %(unread)s; with an objection to the answer: %(objected)s; "
            "roles overruled: %(overruled)s."
        )
    sentence: str = told % {**figures, "unread": unread}
    if without := figures["runs"] - answers:
        asked_back = ngettext(
            "%(count)s question had no answer to review: it was asked back, or stopped.",
            "%(count)s questions had no answer to review: they were asked back, or stopped.",
            without,
        )
        sentence = f"{sentence} {asked_back % {'count': without}}"
    return sentence


def second_of(row: SignOff) -> SecondSignature | None:
    """The second signature, and how what it is about differs from the first."""
    second: SignOff | None = getattr(row, "second", None)
    if second is None:
        return None
    sentence = describe_sign_off(second)
    differs, added = sentence != describe_sign_off(row), tell_added(row, second.statement_digest)
    return SecondSignature(second, differs, sentence, added)


def tell_added(first: SignOff, digest: str) -> str:
    """That another statement was signed first, though its figures may be the same, or "". Signatures from before the
    digest was kept cannot tell.
    """
    is_same = first.statement_digest in {"", digest} or not digest
    return "" if is_same else _("Since the first signature verdicts were added, or signs of risk have changed.")


def find_signed(subject: Subject, figures: SignedFigures, digest: str) -> SignOff | None:
    """A first signature on the very same, or on the same figures where it waits for its second. Of today each page has
    an end of its own.
    """
    begin = datetime.combine(subject.until.date(), time(), tzinfo=UTC)
    end = Q(until__gt=begin, until__lt=begin + timedelta(days=1)) if subject.until > begin else Q(until=begin)
    waits = end & Q(since=subject.since, figures=figures, second=None)
    firsts = SignOff.objects.filter(base=subject.base_id, sample=subject.sample, first=None)
    return firsts.filter(waits | Q(statement_digest=digest)).first()


def sign(subject: Subject, user: User, note: str = "", seen: str | None = None) -> SignOff:
    """Store a first signature with its ledger entry. Raises SignOffRefused (recorded), or NotSeen.

    `seen` is the digest of the statement that a page showed to the signer; "" asks to be shown it.
    """
    with hold_base(subject, user, seen):
        firsts = SignOff.objects.filter(base=subject.base_id, sample=subject.sample, first=None)
        if sent := find_sent_twice(firsts, user, note, seen):
            return sent
        figures = count_figures(subject)
        obstacle, statement = find_sign_off_obstacle(subject, figures), make_statement(subject, figures)
        if signed := find_signed(subject, figures, statement.digest):
            told = _("%(name)s has signed this already, on the same figures.")
            obstacle = Obstacle(told % {"name": signed.signer_name}, is_final=True)
        refuse_unless(user, subject, obstacle)
        ask_unless(seen, statement)
        return store_sign_off(subject, user, note, figures, statement.digest, None)


def countersign(first: SignOff, user: User, note: str = "", seen: str | None = None) -> SignOff:
    """Store the second signature, by another person and on new figures. Raises as `sign` does."""
    subject = of_first(first)
    with hold_base(subject, user, seen):
        if sent := find_sent_twice(SignOff.objects.filter(first=first), user, note, seen):
            return sent
        figures = count_figures(subject)
        obstacle, statement = find_sign_off_obstacle(subject, figures), make_statement(subject, figures)
        if first.first_id or SignOff.objects.filter(first=first).exists():
            obstacle = Obstacle(_("This has both signatures already."), is_final=True)
        if first.signer_id == user.pk:
            told = _("You gave the first signature, so somebody else has to give the second.")
            obstacle = Obstacle(told, is_final=True)
        refuse_unless(user, subject, obstacle)
        ask_unless(seen, statement)
        return store_sign_off(subject, user, note, figures, statement.digest, first)


def find_sent_twice(rows: QuerySet[SignOff], user: User, note: str, seen: str | None) -> SignOff | None:
    """The signature that is sent again as it is, by a second press on the button."""
    return rows.filter(signer=user, note=note, statement_digest=seen).first() if seen else None


@contextmanager
def hold_base(subject: Subject, user: User, seen: str | None) -> Iterator[None]:
    """One signature of a base at a time. The refusal of one is recorded once the transaction that ends with it is over;
    whoever only asks for the statement has attempted nothing.
    """
    try:
        with transaction.atomic():
            KnowledgeBase.objects.select_for_update(no_key=True).filter(pk=subject.base_id).first()
            yield
    except SignOffRefused as refusal:
        if seen != "":
            record_event(user, "sign_off_refused", None, base=str(subject.base_id), why=str(refusal))
        raise


def refuse_unless(user: User, subject: Subject, obstacle: Obstacle) -> None:
    if not is_auditor(user, subject.base_id):
        obstacle = Obstacle(_("Only auditors and owners of the base sign its reviews off."), is_final=True)
    if obstacle.why:
        raise SignOffRefused(obstacle)


def ask_unless(seen: str | None, statement: StatementToSign) -> None:
    if seen not in {None, statement.digest}:
        raise NotSeen(statement)


def make_statement(subject: Subject, figures: SignedFigures) -> StatementToSign:
    """Equal figures over other runs or verdicts make another digest."""
    runs = runs_of(subject).order_by("pk").values_list("pk", flat=True)
    reviews = Review.objects.filter(run__in=runs.order_by()).order_by("pk").values_list("pk", flat=True)
    counted: dict[str, object] = {"figures": figures, "runs": [*runs], "reviews": [*reviews]}
    counted |= {"base": subject.base_id, "since": subject.since, "until": subject.until}
    sentence = describe_figures(figures, is_sample=subject.sample is not None)
    return StatementToSign(sentence, digest_of(canonical_json(counted)))


def store_sign_off(
    subject: Subject, user: User, note: str, figures: SignedFigures, digest: str, first: SignOff | None
) -> SignOff:
    end = head()
    row = SignOff(
        base_id=subject.base_id,
        base_name=subject.base_name,
        sample=subject.sample,
        since=subject.since,
        until=subject.until,
        figures=figures,
        statement_digest=digest,
        note=note,
        head_sequence=end.sequence,
        head_hash=end.hash,
        first=first,
        signer=user,
        signer_name=str(user)[:NAME_MAX],
        created_at=timezone.now(),
    )
    store(row)
    return row
