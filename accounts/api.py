"""API: who is calling."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Scope, Token, User
from accounts.requests import user_of


class TokenSerializer(serializers.ModelSerializer[Token]):
    """The token of the request; never its secret."""

    scopes = serializers.ListField(child=serializers.ChoiceField(Scope.choices))

    class Meta:
        model = Token
        fields: ClassVar = ["name", "prefix", "scopes", "created_at", "expires_at"]


class MeSerializer(serializers.Serializer[Any]):
    """The person the caller acts as; `token` is null in a browser's session."""

    name = serializers.CharField()
    email = serializers.EmailField()
    token = TokenSerializer(allow_null=True)


class MeView(GenericAPIView[User]):
    scopes: ClassVar = {"GET": "read"}
    serializer_class = MeSerializer

    @extend_schema(operation_id="read_me")
    def get(self, request: Request) -> Response:
        """The person and token of this request: the simplest test of a token."""
        token = request.auth if isinstance(request.auth, Token) else None
        person = user_of(request)
        who = {"name": person.name, "email": person.email, "token": token}
        return Response(MeSerializer(who).data)
