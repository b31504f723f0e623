"""API of the model tiers of a base (R25): members read them, owners change them."""

from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.requests import user_of
from documents import access
from documents.api import Body, TextField, blame_field, read_sent
from llm.tiers import TIERS
from retrieval.dictionary.csv_format import TEXT_MAX
from retrieval.dictionary.tiers import NamedTiers, TierError, change_tiers, read_tiers


class TypeTierSerializer(Body):
    type = TextField(max_length=40)
    tier = serializers.ChoiceField(TIERS)


class ConceptTierSerializer(Body):
    concept = TextField(max_length=TEXT_MAX)
    tier = serializers.ChoiceField(TIERS)


class TiersSerializer(Body):
    """The tier of the model that judges and writes: by concept of the dictionary, else by answer type, else `default`.

    What is left out has none; an empty `default` leaves the choice to the program.
    """

    default = serializers.ChoiceField(TIERS, required=False, default="", allow_blank=True)
    types = TypeTierSerializer(many=True, required=False)
    concepts = ConceptTierSerializer(many=True, required=False)


class TiersView(GenericAPIView[Any]):
    """Which model judges and writes in a base."""

    scopes: ClassVar = {"GET": "read", "PUT": "write"}
    serializer_class = TiersSerializer

    @extend_schema(operation_id="read_tiers")
    def get(self, request: Request, base_id: UUID) -> Response:
        tiers = read_tiers(access.get_base(request.user, base_id))
        types = [{"type": name, "tier": tier} for name, tier in tiers.types.items()]
        concepts = [{"concept": name, "tier": tier} for name, tier in tiers.concepts.items()]
        return Response({"default": tiers.default, "types": types, "concepts": concepts})

    @extend_schema(operation_id="change_tiers", request=TiersSerializer)
    def put(self, request: Request, base_id: UUID) -> Response:
        """Let these tiers hold instead of those before; for owners. The change is recorded."""
        found = access.get_base(request.user, base_id, *access.OWN)
        wanted = read_sent(TiersSerializer, request.data)
        types = {each["type"]: each["tier"] for each in wanted.get("types", ())}
        concepts = {each["concept"]: each["tier"] for each in wanted.get("concepts", ())}
        tiers = NamedTiers(wanted["default"], types, concepts)
        with blame_field("tiers", TierError):
            change_tiers(found, tiers, user_of(request))
        return self.get(request, base_id)
