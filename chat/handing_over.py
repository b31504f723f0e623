"""What was read and asked from the shell before there was an owner belongs to the first one."""

from django.db import transaction

from accounts.models import User
from chat.models import Conversation
from chat.turns import demo
from documents import access
from documents.models import KnowledgeBase, Membership, Role

SHELL_EMAIL = "commandline@localhost"  # the user of the shell; nobody can sign in as it
FILES_NAME = "Files asked from the shell"  # the base of those that the shell was given by a path


def hand_over_all(owner: User) -> None:
    """Make the first owner an owner of every base that has none who can sign in, and give them its conversations."""
    with transaction.atomic():
        demo.hand_over(owner)
        owned = Membership.objects.filter(role=Role.OWNER, user__is_active=True).values("base")
        for base in KnowledgeBase.objects.living().exclude(pk__in=owned):
            access.set_role(base, owner, Role.OWNER, by=owner)
        Conversation.objects.filter(user__email=SHELL_EMAIL).update(user=owner)
