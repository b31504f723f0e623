"""A reader's feedback on an answer: each is a new row, and a person's latest counts."""

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from chat.answer_record import FEEDBACK
from chat.models import Feedback, Turn


def give_feedback(turn: Turn, user: User, kind: str, comment: str = "") -> Feedback:
    """Store the feedback of `user` on the answer to a turn, with its ledger entry; `kind` is one of Feedback.Kind."""
    with transaction.atomic():
        said = Feedback.objects.create(
            turn=turn,
            by=user,
            by_name=str(user),
            kind=kind,
            comment=comment.strip(),
            created=timezone.now(),
        )
        FEEDBACK.vouch(said.pk)
    return said
