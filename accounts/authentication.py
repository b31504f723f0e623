"""API authentication: a token in the Authorization header, or a browser's session."""

from typing import TYPE_CHECKING

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts.models import Token, User
from accounts.tokens import find_token

if TYPE_CHECKING:  # the framework's views read the settings, and these name this module
    from rest_framework.views import APIView

KEYWORD = b"bearer"
REFUSED = "This token is not valid: it is wrong, expired or revoked."


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer dit_…`; a header without a valid token is refused, never ignored."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != KEYWORD:
            return None
        # A header may have any bytes; our tokens are ASCII.
        token = find_token(words[1].decode("ascii", "replace")) if len(words) == 2 else None
        if token is None:
            raise AuthenticationFailed(REFUSED)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="DocIntel"'


class HasScope(BasePermission):
    """A signed-in person, or a token with the scope the view requires for the method: `scopes = {"GET": "read"}`."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        if not request.user.is_authenticated:
            return False
        if not isinstance(request.auth, Token):
            return True
        method = "GET" if request.method == "HEAD" else request.method
        scope = getattr(view, "scopes", {}).get(method)
        self.message = f"This token does not have the scope “{scope}”."
        # Methods a view lacks give 405, whatever the token.
        return scope in request.auth.scopes or method not in view.allowed_methods
