"""What a reader says of an answer: each word of it a row of its own, the latest of a person counts."""

from django.utils import timezone

from accounts.models import User
from chat.models import Feedback, Turn


def give_feedback(turn: Turn, user: User, kind: str, comment: str = "") -> Feedback:
    """Keep what `user` says of the answer to a turn; `kind` is one of Feedback.Kind."""
    return Feedback.objects.create(
        turn=turn,
        by=user,
        by_name=str(user),
        kind=kind,
        comment=comment.strip(),
        created=timezone.now(),
    )
