"""Creation of the first owner, once."""

from django.db import transaction
from django.utils import timezone

from accounts.models import OwnerLink, User
from ledger.events import record


class LinkUsed(Exception):
    """The link was used meanwhile or has expired, or an owner exists already."""


def make_first_owner(token: str, *, name: str, email: str, password: str) -> User:
    """Create the first owner and use the link up in one transaction, on record.

    Raises:
        LinkUsed: the link no longer opens.
    """
    with transaction.atomic():
        link = OwnerLink.open_for(token).select_for_update().first()
        if link is None:
            raise LinkUsed
        link.used_at = timezone.now()
        link.save(update_fields=["used_at"])
        owner = User.objects.create_superuser(email, password, name=name)
        record("first_owner_made", str(owner), f"user:{owner.pk}", {"email": owner.email, "name": owner.name})
    return owner
