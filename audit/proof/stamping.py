"""The whole ledger against the stamps on its heads, by the same rules as the verifier of an evidence pack."""

from django.db.models import CharField, F, OuterRef, Subquery
from django.db.models.functions import Cast

from audit.proof.verification import VOUCHED
from audit.proof.verifier import StampClock
from chat.models import Feedback
from ledger.chain import entries_after, head, time_text
from ledger.models import Entry


def find_late(clock: StampClock) -> str:
    """The first entry, or record, whose time no stamp vouches for, in a sentence; empty if there is none."""
    for entry in entries_after(0):
        clock.take({"sequence": entry.sequence, "hash": entry.hash, "time": time_text(entry.created_at)})
        if clock.faults:
            return f"{clock.faults[0][0].upper()}{clock.faults[0][1:]}."
    held = dict(Entry.objects.values_list("sequence", "hash").filter(sequence__in=[each for each, _ in clock.stamped]))
    absent = [sequence for sequence, own in clock.stamped if sequence and held.get(sequence) != own]
    if absent:
        return f"Ledger entry {min(absent)} is not the one that was stamped: the chain was rewritten or cut off."
    return find_dated_back(clock)


def find_dated_back(clock: StampClock) -> str:
    """The first row that says it is much older than its entry."""
    for kind, model in VOUCHED.items():
        moment = "created" if model is Feedback else "created_at"
        own = Entry.objects.filter(kind=kind, subject_id=Cast(OuterRef("pk"), CharField()))
        rows = model._default_manager.annotate(recorded=Subquery(own.values("created_at")[:1]))
        late = rows.filter(recorded__gt=F(moment) + clock.within, **{f"{moment}__gte": clock.since})
        first = late.order_by(moment).values_list("pk", flat=True).first()
        if first is not None:
            return f"The {kind} {first} says it is older by more than {clock.within} than its ledger entry."
    return ""


def sentence_of_stamps(clock: StampClock) -> str:
    after = head().sequence - clock.vouched_to
    if clock.last is None:
        return "No head of this chain has a stamp."
    vouched = f"Stamps vouch for entries {clock.unjudged_to + 1} to {clock.vouched_to}"
    told = [f"{vouched}; the last is of {clock.last:%d %b %Y %H:%M} UTC."]
    if after:
        told.append(f"Nobody outside vouches for the {after:,} after it.")
    told += [f"Nobody outside vouches for this: {pause}." for pause in clock.pauses]
    return " ".join(told)
