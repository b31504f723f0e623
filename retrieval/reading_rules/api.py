"""API of a base's rules of reading, and of what it learned of vague words (R23, R103)."""

from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.requests import user_of
from documents import access
from documents.api import Body, Outdated, TextField, blame_field, read_sent
from documents.models import KnowledgeBase
from retrieval.models import ReadingRuleSet
from retrieval.question.kinds import KINDS, RuleRow, shipped_rows
from retrieval.question.linear import PATTERN_MAX
from retrieval.reading_rules import editing
from retrieval.reading_rules.rows import ROWS_MAX, RuleError, check_row
from retrieval.reading_rules.votes import reset_word, standings_of


class RuleRowSerializer(serializers.Serializer[Any]):
    """One row. A row that is not on switches off the one that ships with the same values."""

    kind = serializers.ChoiceField(KINDS)
    name = serializers.CharField(help_text="The type or shape; empty for a vague word.")
    language = serializers.CharField(help_text="Empty for any.")
    text = serializers.CharField(help_text="Words, or a pattern in the syntax of RE2.")
    on = serializers.BooleanField()


class ShippedRowSerializer(RuleRowSerializer):
    example = serializers.CharField(help_text="A text in which it is found.")


class RuleSetSerializer(serializers.Serializer[Any]):
    """A set of rows that counts, or counted."""

    number = serializers.IntegerField()
    digest = serializers.CharField()
    why = serializers.CharField()
    by = serializers.CharField()
    again_of = serializers.IntegerField(allow_null=True)
    created_at = serializers.DateTimeField()
    rows = RuleRowSerializer(many=True)


class LearnedSerializer(serializers.Serializer[Any]):
    """What the votes say of one meaning of a vague word; `band` is what is done with it."""

    word = serializers.CharField()
    document_type = serializers.CharField()
    document_id = serializers.CharField(help_text="Of the one document it is learned for; empty for the others.")
    text = serializers.CharField()
    votes = serializers.IntegerField()
    confidence = serializers.FloatField()
    band = serializers.ChoiceField(["asked", "sometimes", "applied"])


class ReadingRulesSerializer(serializers.Serializer[Any]):
    """The rules of reading of a base: `number` 0 where it has changed nothing. The history begins with the newest."""

    number = serializers.IntegerField()
    digest = serializers.CharField()
    rows = RuleRowSerializer(many=True)
    shipped = ShippedRowSerializer(many=True)
    learned = LearnedSerializer(many=True)
    history = RuleSetSerializer(many=True)


class TypedRowSerializer(Body):
    kind = serializers.ChoiceField(KINDS)
    name = TextField(required=False, default="", allow_blank=True, max_length=40)
    language = TextField(required=False, default="", allow_blank=True, max_length=8)
    text = TextField(trim_whitespace=False, max_length=PATTERN_MAX)
    on = serializers.BooleanField(required=False, default=True)


class RuleChangeSerializer(Body):
    """All rows of the base, in place of those it has, or the number of an earlier set to take again."""

    rows = TypedRowSerializer(many=True, required=False)
    again_of = serializers.IntegerField(required=False, default=None, allow_null=True, min_value=0)
    why = TextField(max_length=editing.WHY_MAX)
    seen = serializers.IntegerField(min_value=0, help_text="The newest number you have seen, 0 if there was none.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("rows" in attrs) == (attrs["again_of"] is not None):
            raise serializers.ValidationError({"rows": "Give rows, or the number of an earlier set, not both."})
        if len(attrs.get("rows", ())) > ROWS_MAX:
            raise serializers.ValidationError({"rows": f"A base holds at most {ROWS_MAX} rows."})
        return attrs


class ResetSerializer(Body):
    """The vague word whose learned meaning ends; of one type of document, where types are known."""

    word = TextField(max_length=120)
    document_type = TextField(required=False, default="", allow_blank=True, max_length=60)


LEARNED = ("word", "document_type", "document_id", "text", "votes", "confidence", "band")


def row_json(row: RuleRow) -> dict[str, object]:
    return {"kind": row.kind, "name": row.name, "language": row.language, "text": row.text, "on": row.is_on}


def set_json(stored: ReadingRuleSet) -> dict[str, object]:
    same = ("number", "digest", "why", "again_of", "created_at")
    told = {name: getattr(stored, name) for name in same}
    return told | {"by": stored.by_name, "rows": [row_json(row) for row in editing.stored_rows(stored)]}


def rules_json(base: KnowledgeBase) -> dict[str, object]:
    rules = editing.reading_rules_of(base)
    return {
        "number": rules.number,
        "digest": rules.digest,
        "rows": [row_json(row) for row in rules.rows],
        "shipped": [
            row_json(each.row._replace(is_on=each.row.key not in rules.off)) | {"example": each.example}
            for each in shipped_rows()
        ],
        "learned": [{name: getattr(each, name) for name in LEARNED} for each in standings_of(base)],
        "history": [set_json(each) for each in editing.history_of(base)],
    }


class ReadingRulesView(GenericAPIView[Any]):
    """How questions are read in a base."""

    scopes: ClassVar = {"GET": "read", "PUT": "write"}
    serializer_class = ReadingRulesSerializer

    @extend_schema(operation_id="read_reading_rules")
    def get(self, request: Request, base_id: UUID) -> Response:
        """What ships, what the base changed and learned, and every earlier set."""
        return Response(rules_json(access.get_base(request.user, base_id)))

    @extend_schema(operation_id="change_reading_rules", request=RuleChangeSerializer)
    def put(self, request: Request, base_id: UUID) -> Response:
        """Replace the base's rows, or take an earlier set again; for owners. 409 if somebody changed them meanwhile."""
        found = access.get_base(request.user, base_id, *access.OWN)
        wanted = read_sent(RuleChangeSerializer, request.data)
        try:
            rows = [check_typed(number, row) for number, row in enumerate(wanted.get("rows", ()), 1)]
            editing.change_rules(
                found, rows, wanted["why"], user_of(request), seen=wanted["seen"], again_of=wanted["again_of"]
            )
        except editing.RulesChanged as error:
            raise Outdated(str(error)) from error
        except RuleError as error:
            raise exceptions.ValidationError({"rows": str(error)}) from error
        return Response(rules_json(found))


def check_typed(number: int, typed: dict[str, Any]) -> RuleRow:
    """Raises RuleError with the number of the row, from 1."""
    try:
        return check_row(typed["kind"], typed["name"], typed["language"], typed["text"], "yes" if typed["on"] else "no")
    except RuleError as error:
        raise RuleError(f"{number}: {error}") from error


class LearnedResetView(GenericAPIView[Any]):
    """What was learned of a vague word."""

    scopes: ClassVar = {"POST": "write"}
    serializer_class = ReadingRulesSerializer

    @extend_schema(operation_id="reset_learned_meaning", request=ResetSerializer, responses=ReadingRulesSerializer)
    def post(self, request: Request, base_id: UUID) -> Response:
        """End what was learned of a word, for owners: it is asked back again. Its votes stay in the record."""
        found = access.get_base(request.user, base_id, *access.OWN)
        asked = read_sent(ResetSerializer, request.data)
        with blame_field("word", RuleError):
            reset_word(found, asked["word"], asked["document_type"], user_of(request))
        return Response(rules_json(found))
