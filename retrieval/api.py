"""API of a base's dictionary, and serializers of a result and its candidates (R64)."""

from http import HTTPStatus
from typing import Any, ClassVar, get_args
from uuid import UUID

from django.db.models import Prefetch
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers
from rest_framework.generics import GenericAPIView
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.requests import user_of
from documents import access
from documents.api import Body, CsvRenderer, TextField, in_two_forms, read_sent
from retrieval.dictionary import csv_format, editing
from retrieval.dictionary.load import read_word_rows
from retrieval.dictionary.packs import load_missing
from retrieval.models import Concept, Term
from retrieval.types import METHODS, POINTED, ROLE_ORDER, PartKind, PartOutcome

ROLES = sorted(ROLE_ORDER)
RESULT_ROLES = ["primary", "supporting", "tangential"]
METHOD_NAMES = [*METHODS, *POINTED]
DOCUMENT_STATES = ["read", "counted", "unreadable", "unsearched"]
FOR_AUDITORS = "Only for auditors and owners of the base."
STATUSES = ["found", "weak", "not_found", "cannot_tell", "clarify"]

# ---- the result of R61-R63, described; `record.as_json` writes it


class RangeSerializer(serializers.Serializer[Any]):
    """Inclusive lines and pages."""

    first_line = serializers.IntegerField()
    last_line = serializers.IntegerField()
    first_page = serializers.IntegerField()
    last_page = serializers.IntegerField()


class BoxSerializer(serializers.Serializer[Any]):
    """A rectangle on a page in PDF points from the top left."""

    page = serializers.IntegerField()
    x0 = serializers.FloatField()
    y0 = serializers.FloatField()
    x1 = serializers.FloatField()
    y1 = serializers.FloatField()
    picture = serializers.ChoiceField(
        ["not_read", "read"],
        required=False,
        help_text="Only of a picture that the lines stand in or caption: whether text recognition read it. "
        "The quote is of the lines alone.",
    )


class RepairSerializer(serializers.Serializer[Any]):
    """What calibration did to the quote of the arbiter; lengths in characters."""

    status = serializers.ChoiceField(["exact", "truncated", "rejected", "none"])
    original_length = serializers.IntegerField()
    final_length = serializers.IntegerField()
    reason = serializers.CharField(required=False, allow_blank=True)


class CandidateSerializer(serializers.Serializer[Any]):
    """One judged place: its location, its verdict, and a quote found literally in the document."""

    candidate_id = serializers.CharField()
    document_id = serializers.UUIDField()
    role = serializers.ChoiceField(ROLES)
    reason = serializers.CharField()
    rule = serializers.CharField(allow_null=True)
    section_title = serializers.CharField()
    breadcrumb = serializers.CharField()
    page_number = serializers.IntegerField()
    page_label = serializers.CharField()
    anchor = RangeSerializer()
    context = RangeSerializer()  # type: ignore[assignment]  # a field, not what a serializer is given to work with
    snippet = serializers.CharField()
    text = serializers.CharField()
    methods = serializers.ListField(child=serializers.ChoiceField(METHOD_NAMES))
    matched_keywords = serializers.ListField(child=serializers.CharField())
    exact_title = serializers.BooleanField()
    co_occurrence = serializers.BooleanField()
    type_match = serializers.BooleanField()
    line_score = serializers.FloatField(required=False, help_text=FOR_AUDITORS)
    rrf_rank = serializers.IntegerField(required=False, help_text=FOR_AUDITORS)
    content_anchor = serializers.CharField(allow_null=True)
    raw_content_anchor = serializers.CharField(allow_null=True)
    anchor_repair = RepairSerializer()
    boxes = BoxSerializer(many=True)


class KeptSerializer(CandidateSerializer):
    """A candidate of a result: what answers, what supports it, and what is beside the point."""

    role = serializers.ChoiceField(RESULT_ROLES)


class RefusedSerializer(CandidateSerializer):
    """A place that the arbiter discarded, or that nobody judged."""

    role = serializers.ChoiceField([role for role in ROLES if role not in RESULT_ROLES])


class LeftOutSerializer(serializers.Serializer[Any]):
    """A place that was found and not judged, and why."""

    candidate_id = serializers.CharField()
    document_id = serializers.UUIDField()
    page_number = serializers.IntegerField()
    section_title = serializers.CharField()
    rrf_rank = serializers.IntegerField(required=False, help_text=FOR_AUDITORS)
    matched_keywords = serializers.ListField(child=serializers.CharField())
    reason = serializers.CharField()


class PartSerializer(serializers.Serializer[Any]):
    """One of several things that were asked, or the case in which something was asked, and what became of it."""

    text = serializers.CharField()
    subject = serializers.CharField(help_text="What it is about, in the words of the question.")
    kind = serializers.ChoiceField(get_args(PartKind))
    outcome = serializers.ChoiceField(get_args(PartOutcome))
    candidate_ids = serializers.ListField(child=serializers.CharField(), help_text="What carries it, the best first.")
    missing = serializers.ListField(
        child=serializers.CharField(), help_text="Its words that occur on no page that was read or searched."
    )
    reason = serializers.CharField(allow_blank=True)


class InForceSerializer(serializers.Serializer[Any]):
    """From when a version of a clause holds and what became of it; ISO dates, "" where nothing is said."""

    begins = serializers.CharField(allow_blank=True)
    ends = serializers.CharField(allow_blank=True)
    change = serializers.ChoiceField(["replaced", "deleted", "added"], allow_blank=True)
    condition = serializers.CharField(
        required=False, allow_blank=True, help_text="On what it is changed or holds, or but for what, as printed."
    )


class ContradictionSerializer(serializers.Serializer[Any]):
    candidate_ids = serializers.ListField(child=serializers.CharField())
    point = serializers.CharField()
    values = serializers.ListField(
        child=serializers.CharField(),
        help_text="What each candidate says, as printed, where rules found it; [] where a model did.",
    )
    clause = serializers.CharField(
        allow_blank=True, help_text="The clause of which the candidates are versions, those in force first."
    )
    in_force = InForceSerializer(many=True, help_text="When each of these versions holds; [] of other passages.")


class SearchedSerializer(serializers.Serializer[Any]):
    """A searched word: its forms, and how often it occurs."""

    text = serializers.CharField()
    forms = serializers.ListField(child=serializers.CharField())
    count = serializers.IntegerField()


class ScoresSerializer(serializers.Serializer[Any]):
    """What gave a document its rank in the shortlist; null where it had no place in that list."""

    words = serializers.FloatField(allow_null=True, help_text="The full-text rank of its best passage.")
    meaning = serializers.FloatField(allow_null=True, help_text="The cosine similarity of its nearest passage.")
    name = serializers.FloatField(allow_null=True, help_text="Words of the question in its title and file name.")
    fused = serializers.FloatField(allow_null=True, help_text="What the ranks of these add up to.")


class FindingSerializer(serializers.Serializer[Any]):
    """What one document says when it is searched on its own, by rules, and its best passage."""

    status = serializers.ChoiceField(STATUSES)
    reason = serializers.CharField(help_text="Why nothing was found, or no clear answer.")
    confidence = serializers.FloatField()
    candidates = serializers.IntegerField()
    quote = serializers.CharField()
    page = serializers.IntegerField(allow_null=True)
    page_label = serializers.CharField()


class ScopeDocumentSerializer(serializers.Serializer[Any]):
    """A document of the scope. Those that were read have more of what the run keeps: file name, lines, parser."""

    document_id = serializers.UUIDField()
    title = serializers.CharField()
    sha256 = serializers.CharField()
    parse_id = serializers.UUIDField(allow_null=True)
    parse_number = serializers.IntegerField(allow_null=True)
    pages = serializers.IntegerField(allow_null=True)
    pages_with_text = serializers.IntegerField(allow_null=True)
    state = serializers.ChoiceField(
        DOCUMENT_STATES, help_text="read line by line, counted (searched for words only), or unreadable"
    )
    cause = serializers.CharField(allow_null=True, help_text="Why it is unreadable: waiting, no_text, encrypted, …")
    reason = serializers.CharField(help_text="Why it was read or left out, in words.")
    rank = serializers.IntegerField(allow_null=True)
    ranked = serializers.IntegerField(allow_null=True, help_text="How many documents were ranked.")
    scores = ScoresSerializer(allow_null=True, help_text=FOR_AUDITORS)
    words = serializers.ListField(
        child=serializers.CharField(), help_text="Words of the question that occur in a counted document."
    )
    finding = FindingSerializer(allow_null=True, help_text="Where every document was searched on its own.")


class FoundSerializer(serializers.Serializer[Any]):
    """What a result, a turn and a run say alike."""

    language_note = serializers.CharField(
        allow_null=True, help_text="That the question is in another language than the documents, and what to do."
    )
    parts = PartSerializer(many=True, help_text="Of a question that asks several things, or one in a certain case.")
    partly_answered = serializers.BooleanField(help_text="A part of the question has no answer.")
    missing = serializers.CharField(allow_null=True, help_text="What is missing, in the arbiter's words.")


class ResultSerializer(FoundSerializer):
    """The RetrievalResult; what was refused stands apart from its candidates. `run_id` is its record."""

    run_id = serializers.UUIDField()
    doc_id = serializers.UUIDField(allow_null=True, help_text="The document, when only one was asked.")
    documents = ScopeDocumentSerializer(many=True, help_text="Every document of the scope, in its order.")
    looked_at = serializers.CharField(allow_null=True, help_text="What was done with the documents, in one line.")
    question = serializers.CharField()
    status = serializers.ChoiceField(STATUSES)
    not_found = serializers.BooleanField()
    not_found_reason = serializers.CharField(allow_null=True)
    clarification = serializers.CharField(allow_null=True)
    confidence = serializers.FloatField()
    candidates = KeptSerializer(many=True, help_text="What the result holds, primary first (R64).")
    discarded = RefusedSerializer(many=True, help_text="What the arbiter refused, kept in the record with its reason.")
    unjudged = RefusedSerializer(many=True, help_text="What nobody judged, and why.")
    left_out = LeftOutSerializer(many=True)
    methods_used = serializers.ListField(child=serializers.ChoiceField(METHOD_NAMES))
    arbiter = serializers.CharField()
    arbiter_status = serializers.ChoiceField(["ran", "not_run", "not_needed"])
    arbiter_failure = serializers.CharField(allow_null=True)
    violations = serializers.ListField(child=serializers.CharField())
    contradictions = ContradictionSerializer(many=True)
    searched = SearchedSerializer(many=True)
    gates = serializers.ListField(child=serializers.DictField())
    coverage = serializers.DictField()
    plan = serializers.ListField(child=serializers.DictField())
    parsed = serializers.DictField()
    timings_ms = serializers.DictField(child=serializers.FloatField())


# ---- the dictionary


class TermSerializer(serializers.Serializer[Term]):
    language = serializers.CharField(help_text='"" is any')
    term = serializers.CharField(source="text")
    priority = serializers.ChoiceField(csv_format.PRIORITIES)
    weight = serializers.FloatField()


class ConceptSerializer(serializers.Serializer[Concept]):
    """A thing with its names; a question containing one of them is searched with all."""

    id = serializers.IntegerField()
    concept = serializers.CharField(source="name")
    terms = TermSerializer(many=True)


class RowSerializer(Body):
    """One term of a concept, as a line of the CSV."""

    concept = TextField(max_length=csv_format.TEXT_MAX)
    language = serializers.ChoiceField(list(csv_format.LANGUAGES), required=False, default="", allow_blank=True)
    term = TextField(max_length=csv_format.TEXT_MAX)
    priority = serializers.ChoiceField(csv_format.PRIORITIES, required=False, default="primary")
    weight = serializers.FloatField(required=False, default=1.0)


class RowsSerializer(Body):
    """Terms to add or to change."""

    rows = serializers.ListField(child=RowSerializer(), min_length=1, max_length=csv_format.ROWS_MAX)


class CountsSerializer(serializers.Serializer[Any]):
    """How many terms were new, changed, or there already."""

    new = serializers.IntegerField()
    changed = serializers.IntegerField()
    same = serializers.IntegerField()


class DictionaryView(GenericAPIView[Concept]):
    """The expert dictionary of a base."""

    scopes: ClassVar = {"GET": "read", "POST": "write"}
    serializer_class = ConceptSerializer
    renderer_classes = [JSONRenderer, CsvRenderer]

    def get_renderers(self) -> list[BaseRenderer]:
        """CSV is for reading only; the outcome of a POST is JSON."""
        is_read = self.request is None or self.request.method in ("GET", "HEAD")
        return [renderer for renderer in super().get_renderers() if is_read or renderer.format == "json"]

    @extend_schema(operation_id="list_dictionary", responses=in_two_forms(ConceptSerializer))
    def get(self, request: Request, base_id: UUID) -> Response:
        """Concepts with their terms; as CSV the whole dictionary, in the format the page exports and imports."""
        found = access.get_base(request.user, base_id)
        load_missing(found)
        if request.accepted_renderer.format == "csv":
            return Response(csv_format.write_words(read_word_rows(found)))
        terms = Prefetch("terms", Term.objects.order_by("language", "pk"))
        concepts = Concept.objects.filter(base=found).order_by("name", "id").prefetch_related(terms)
        page = self.paginate_queryset(concepts) or []
        return self.get_paginated_response([ConceptSerializer(concept).data for concept in page])

    @extend_schema(
        operation_id="add_terms", request=RowsSerializer, responses={(200, "application/json"): CountsSerializer}
    )
    def post(self, request: Request, base_id: UUID) -> Response:
        """Add terms, or change priority and weight of existing ones; all rows or none."""
        found = access.get_base(request.user, base_id, *access.WRITE)
        asked = read_sent(RowsSerializer, request.data)
        counts = editing.take_in(found, checked_rows(asked["rows"]), by=user_of(request))
        return Response({kind: counts[kind] for kind in ("new", "changed", "same")})


def checked_rows(rows: list[dict[str, Any]]) -> list[csv_format.WordRow]:
    """Validate the rows like the page and a file. Raises ValidationError that names each invalid row."""
    taken: dict[tuple[str, str, str], csv_format.WordRow] = {}
    wrong: dict[str, str] = {}
    for place, row in enumerate(rows):
        try:
            word = csv_format.check_word_row(
                row["concept"], row["language"], row["term"], row["priority"], str(row["weight"])
            )
            if taken.setdefault(word.key, word) is not word:
                raise csv_format.WordlistError("The same term is given twice.")
        except csv_format.WordlistError as error:
            wrong[f"rows.{place}"] = str(error)
    if wrong:
        raise exceptions.ValidationError(wrong)
    return list(taken.values())


class ConceptView(GenericAPIView[Concept]):
    """One concept of the dictionary."""

    scopes: ClassVar = {"DELETE": "write"}
    serializer_class = ConceptSerializer

    @extend_schema(operation_id="delete_concept", responses={204: None})
    def delete(self, request: Request, base_id: UUID, concept_id: int) -> Response:
        """Delete a concept with its terms."""
        found = access.get_base(request.user, base_id, *access.WRITE)
        editing.remove_concept(get_object_or_404(Concept, base=found, pk=concept_id), by=user_of(request))
        return Response(status=HTTPStatus.NO_CONTENT)
