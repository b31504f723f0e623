"""How a proposed change ends: put into effect, or withdrawn."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import User
from documents.guarding.guard import KINDS, ProposalRefused, let_through
from documents.models import KnowledgeBase, ProposalEnd, ProposedChange
from ledger.events import record

How = ProposalEnd.How


def put_into_effect(proposal: ProposedChange, by: User, check_id: UUID | None, reason: str) -> None:
    """Make a proposed change and record on which check it rests, or the reason why in spite of it.

    Whether the check holds is for the caller to say. Raises ProposalRefused.
    """
    with transaction.atomic():
        lock_open(proposal)
        with let_through():
            try:
                KINDS[proposal.kind].carry_out(proposal.call, by)
            except ValueError as error:  # what is changed was changed meanwhile, or is allowed no longer
                raise ProposalRefused(str(error)) from error
        end_proposal(proposal, How.EFFECT, by, check_id, reason)


def withdraw(proposal: ProposedChange, by: User) -> None:
    """Give a proposed change up; nothing of it was ever in effect. Raises ProposalRefused."""
    with transaction.atomic():
        lock_open(proposal)
        end_proposal(proposal, How.WITHDRAWN, by, None, "")


def lock_open(proposal: ProposedChange) -> None:
    """Keep others from ending it. Raises ProposalRefused if it has ended."""
    KnowledgeBase.objects.select_for_update().get(pk=proposal.base_id)
    if not ProposedChange.objects.open().filter(pk=proposal.pk).exists():
        raise ProposalRefused(gettext("This proposed change has ended already."))


def end_proposal(proposal: ProposedChange, how: ProposalEnd.How, by: User, check_id: UUID | None, reason: str) -> None:
    ProposalEnd.objects.create(
        proposal=proposal,
        how=how,
        check_id=check_id,
        reason=reason,
        by=by,
        by_name=str(by)[:254],
        created_at=timezone.now(),
    )
    details = {"proposal": str(proposal.pk), "kind": proposal.kind, "proposed_by": proposal.by_name}
    details |= {"check": str(check_id)} if check_id else {}
    details |= {"reason": reason} if reason else {}
    record(f"proposal_{how}", str(by), f"base:{proposal.base_id}", details)
