"""The person of a request that only signed-in people can make."""

from typing import TYPE_CHECKING, Union

from django.http import HttpRequest

from accounts.models import User

if TYPE_CHECKING:
    from rest_framework.request import Request


def user_of(request: Union[HttpRequest, "Request"]) -> User:
    """The signed-in person; LoginRequiredMiddleware and the permission classes admit nobody else."""
    assert isinstance(request.user, User)
    return request.user
