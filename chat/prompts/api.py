"""API of the prompts of a base, for its owners (R110)."""

from collections.abc import Mapping
from typing import Any, ClassVar
from uuid import UUID

from django.http import Http404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import exceptions, serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.requests import user_of
from chat.models import PromptGuidance
from chat.prompts.catalogue import BY_NAME, CATALOGUE, GUIDED
from chat.prompts.guidance import WHY_MAX, GuidanceChanged, GuidanceRefused, change_guidance, history_of, newest_of
from documents import access
from documents.api import Body, Outdated, TextField, read_sent
from llm.prompts import GUIDANCE_MAX, Prompt


class GuidanceSerializer(serializers.ModelSerializer[PromptGuidance]):
    """A text that a base adds, or added; empty where it took an earlier one away."""

    by = serializers.CharField(source="by_name")

    class Meta:
        model = PromptGuidance
        fields = ("number", "text", "why", "by", "again_of", "created_at")


class PromptSerializer(serializers.Serializer[Prompt]):
    """A prompt of the program. `guidance` is what the base adds below its text, null if nothing."""

    name = serializers.CharField()
    version = serializers.CharField()
    purpose = serializers.CharField()
    text = serializers.CharField()
    pieces = serializers.DictField(child=serializers.CharField(), help_text="Added for some questions, by name.")
    takes_guidance = serializers.SerializerMethodField()
    guided_as = serializers.CharField(help_text="The prompt whose guidance it takes, if it has none of its own.")
    guidance = serializers.SerializerMethodField()

    def get_takes_guidance(self, prompt: Prompt) -> bool:
        return prompt.name in GUIDED

    @extend_schema_field(GuidanceSerializer(allow_null=True))
    def get_guidance(self, prompt: Prompt) -> Any:
        row = self.context["newest"].get(prompt.guided_as or prompt.name)
        return GuidanceSerializer(row).data if row and row.text else None


class PromptInFullSerializer(PromptSerializer):
    history = GuidanceSerializer(many=True, source="*")

    def to_representation(self, instance: Prompt) -> dict[str, object]:
        shown = PromptSerializer(instance, context=self.context).data
        return {**shown, "history": GuidanceSerializer(self.context["history"], many=True).data}


class GuidanceChangeSerializer(Body):
    """A text to add, an earlier number to take again, or an empty text to take the guidance away."""

    text = TextField(required=False, default="", allow_blank=True, trim_whitespace=False, max_length=GUIDANCE_MAX)
    again_of = serializers.IntegerField(required=False, default=None, allow_null=True, min_value=1)
    why = TextField(max_length=WHY_MAX)
    seen = serializers.IntegerField(min_value=0, help_text="The newest number you have seen, 0 if there was none.")

    def validate(self, attrs: Mapping[str, object]) -> Mapping[str, object]:
        if attrs["again_of"] is not None and attrs["text"]:
            raise serializers.ValidationError({"again_of": "Give a text, or the number of an earlier one, not both."})
        return attrs


class PromptsView(GenericAPIView[Any]):
    scopes: ClassVar = {"GET": "read"}
    pagination_class = None

    @extend_schema(operation_id="list_prompts", responses=PromptSerializer(many=True))
    def get(self, request: Request, base_id: UUID) -> Response:
        """Every prompt with its text; for owners."""
        found = access.get_base(request.user, base_id, *access.OWN)
        newest = {row.prompt: row for row in newest_of(found)}
        return Response([PromptSerializer(prompt, context={"newest": newest}).data for prompt in CATALOGUE])


class PromptView(GenericAPIView[Any]):
    scopes: ClassVar = {"GET": "read", "POST": "write"}
    serializer_class = PromptInFullSerializer

    @extend_schema(operation_id="read_prompt")
    def get(self, request: Request, base_id: UUID, name: str) -> Response:
        """A prompt with every text the base ever added, the newest first; for owners."""
        found = access.get_base(request.user, base_id, *access.OWN)
        if name not in GUIDED:
            raise Http404("There is nothing here for you.")
        history = history_of(found, name)
        context = {"newest": {name: history[0]} if history else {}, "history": history}
        return Response(PromptInFullSerializer(BY_NAME[name], context=context).data)

    @extend_schema(operation_id="change_guidance", request=GuidanceChangeSerializer, responses=PromptInFullSerializer)
    def post(self, request: Request, base_id: UUID, name: str) -> Response:
        """Change what the base adds; it holds from the next question on. 409 if somebody changed it meanwhile."""
        found = access.get_base(request.user, base_id, *access.OWN)
        if name not in GUIDED:
            raise Http404("There is nothing here for you.")
        wanted = read_sent(GuidanceChangeSerializer, request.data)
        try:
            change_guidance(
                found,
                name,
                wanted["text"],
                wanted["why"],
                user_of(request),
                seen=wanted["seen"],
                again_of=wanted["again_of"],
            )
        except GuidanceChanged as error:
            raise Outdated(str(error)) from error
        except GuidanceRefused as error:
            raise exceptions.ValidationError({"text": str(error)}) from error
        return self.get(request, base_id, name)
