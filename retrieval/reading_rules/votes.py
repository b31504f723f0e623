"""What a base has learned of its vague words (R23): votes, what they add up to, and their end by its owner.

A vote is +1 for what somebody chose, -1 for what was proposed or assumed and refused, +0.5 for what was assumed and
silently accepted. The confidence in a meaning is its share of all that was said for any meaning, with what was said
against it and one vote of doubt: two agreeing choices are needed for 0.60, six for 0.85.

Below 0.60 the word is always asked back. Above 0.85 it is read as mostly meant, which the answer says with the other
meanings to choose from; between, it is read so until two readers accepted it in silence, and then asked again.

A meaning that was refused where one document was asked failed for that document: what was said of it counts apart from
then on, for questions of that document alone, and no more for the others of its type.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from documents.access import actor_of
from documents.models import KnowledgeBase
from ledger.events import record
from retrieval.models import MeaningVote, RetrievalRun
from retrieval.question.kinds import Default
from retrieval.question.vague import APPLY_ABOVE, ASK_BELOW
from retrieval.reading_rules.rows import RuleError
from retrieval.types import VagueWord

Kind = MeaningVote.Kind
WEIGHTS = {Kind.CHOSEN: 1.0, Kind.REFUSED: -1.0, Kind.ACCEPTED: 0.5, Kind.RESET: 0.0}
DOUBT = 1.0
ACCEPTED_MAX = 2  # silent acceptances in a row between the bands, until it is asked again


@dataclass(frozen=True)
class MeaningStanding:
    """What the votes since the last reset say of one meaning of a word."""

    word: str
    document_type: str
    meaning: str
    text: str
    votes: int
    confidence: float
    is_due: bool  # it was accepted in silence often enough to be asked about again
    document_id: str = ""  # of the one document it is learned for; "" for all others of the type
    document_title: str = ""

    @property
    def band(self) -> str:
        if self.confidence > APPLY_ABOVE:
            return "applied"
        return "asked" if self.confidence < ASK_BELOW else "sometimes"


class PlacedVote(NamedTuple):
    """A vote, and the one document that was asked; "" where it was none or several."""

    vote: MeaningVote
    document_id: str
    title: str


def standings_of(base: KnowledgeBase) -> list[MeaningStanding]:
    """Every meaning that was voted on, by word, the surest first."""
    by_word: dict[tuple[str, str], list[PlacedVote]] = defaultdict(list)
    rows = MeaningVote.objects.filter(base=base).annotate(
        asked=F("run__scope__0__document_id"),
        title=F("run__scope__0__title"),
        is_one=Q(run__scope__1__isnull=True),
    )
    for vote in rows.order_by("pk"):
        key = (vote.word, vote.document_type)
        if vote.kind == Kind.RESET:
            by_word[key] = []
        else:
            by_word[key].append(PlacedVote(vote, vote.asked or "" if vote.is_one else "", vote.title or ""))
    found = [each for key in sorted(by_word) for each in weigh_apart(by_word[key])]
    return sorted(
        found, key=lambda each: (each.word, each.document_type, each.document_id, -each.confidence, each.meaning)
    )


def weigh_apart(said: Sequence[PlacedVote]) -> list[MeaningStanding]:
    """The meanings of one word, apart for each document for which one failed."""
    titles = {each.document_id: each.title for each in said if each.vote.kind == Kind.REFUSED and each.document_id}
    found = weigh([each.vote for each in said if each.document_id not in titles])
    for document_id, title in titles.items():
        own = weigh([each.vote for each in said if each.document_id == document_id])
        found += [replace(each, document_id=document_id, document_title=title) for each in own]
    return found


def weigh(votes: Sequence[MeaningVote]) -> list[MeaningStanding]:
    """The meanings of one word among its votes, which are in the order they were given."""
    everything = sum(vote.weight for vote in votes if vote.weight > 0)
    found = []
    for meaning in dict.fromkeys(vote.meaning for vote in votes):
        own = [vote for vote in votes if vote.meaning == meaning]
        speaks_for = sum(vote.weight for vote in own if vote.weight > 0)
        against = -sum(vote.weight for vote in own if vote.weight < 0)
        last_said = max((at for at, vote in enumerate(own) if vote.kind != Kind.ACCEPTED), default=-1)
        found.append(
            MeaningStanding(
                own[-1].word,
                own[-1].document_type,
                meaning,
                own[-1].text,
                len(own),
                round(speaks_for / (everything + against + DOUBT), 4),
                len(own) - 1 - last_said >= ACCEPTED_MAX,
            )
        )
    return found


def defaults_of(base: KnowledgeBase) -> tuple[Default, ...]:
    """The surest meaning of each word and type of document, and of each document that has its own."""
    surest: dict[tuple[str, str, str], MeaningStanding] = {}
    for each in standings_of(base):
        surest.setdefault((each.word, each.document_type, each.document_id), each)
    return tuple(
        Default(each.word, each.document_type, each.meaning, each.confidence, each.is_due, each.document_id)
        for each in surest.values()
    )


def vote_for_choice(run: RetrievalRun, vague: VagueWord, chosen: str) -> None:
    """Store what choosing the meaning with this text says: for it, and against the one that was put first instead.

    Once a run and meaning, however often it is said. Raises RuleError if it is none of the meanings.
    """
    meaning = {each.text: each.key for each in vague.meanings}
    if chosen not in meaning:
        raise RuleError(_("This is none of the meanings that were given."))
    first = vague.proposed or vague.assumed
    votes = [vote_of(run, vague, chosen, meaning[chosen], Kind.CHOSEN)]
    if first and first != chosen and first in meaning:
        votes.append(vote_of(run, vague, first, meaning[first], Kind.REFUSED))
    MeaningVote.objects.bulk_create(votes, ignore_conflicts=True)


def vote_for_silence(run: RetrievalRun, vague: VagueWord) -> None:
    """Store that what a word was taken to mean was not objected to; nothing if it was, or was told already."""
    meaning = {each.text: each.key for each in vague.meanings}.get(vague.assumed)
    if meaning and not MeaningVote.objects.filter(run=run).exists():
        vote = vote_of(run, vague, vague.assumed, meaning, Kind.ACCEPTED)
        MeaningVote.objects.bulk_create([vote], ignore_conflicts=True)


def vote_of(run: RetrievalRun, vague: VagueWord, text: str, meaning: str, kind: MeaningVote.Kind) -> MeaningVote:
    return MeaningVote(
        base_id=run.base_id,
        word=vague.word,
        document_type=vague.document_type,
        meaning=meaning,
        text=text,
        kind=kind,
        weight=WEIGHTS[kind],
        run=run,
        created_at=timezone.now(),
    )


def reset_word(base: KnowledgeBase, word: str, document_type: str, by: User | None) -> None:
    """End what was learned of a word; its votes stay in the history. Raises RuleError if nothing was."""
    with transaction.atomic():
        KnowledgeBase.objects.select_for_update().get(pk=base.pk)
        if not any((each.word, each.document_type) == (word, document_type) for each in standings_of(base)):
            raise RuleError(_("Nothing has been learned of “%(word)s”.") % {"word": word})
        MeaningVote.objects.create(
            base=base,
            word=word,
            document_type=document_type,
            kind=Kind.RESET,
            weight=0.0,
            created_at=timezone.now(),
        )
        record("meaning_reset", actor_of(by), f"base:{base.pk}", {"word": word, "document_type": document_type})
