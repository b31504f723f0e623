"""API of runs, candidates, reviews and evidence. Reading other people's runs is recorded, as on the pages."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.http import Http404, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.requests import user_of
from audit.access_log import record_list, record_read
from audit.models import Review
from audit.pages.export_views import hand_out_pack
from audit.pages.forms import OF_ANSWER, ReviewForm, RunFilters
from audit.review.reviewing import review
from audit.runs.listing import HEAVY, Listed, filter_runs, list_runs
from chat.api import RUN_STATUSES, AnswerSerializer
from chat.models import Answer
from chat.turns.replies import answer_json
from documents.access import get_or_404, is_auditor_of
from documents.api import Body, OctetRenderer, TextField, read_sent
from retrieval.api import CandidateSerializer, FoundSerializer, ScopeDocumentSerializer
from retrieval.models import RetrievalRun, RunCandidate, RunDocument
from retrieval.record.as_json import candidate_json, document_json, drop_scores, looked_at
from retrieval.record.reading_back import parts_of
from retrieval.told.outcomes import outcome_named
from retrieval.told.searched import foreign_told


def get_visible_run(request: Request, run_id: UUID) -> RetrievalRun:
    return get_or_404(RetrievalRun.objects.visible_to(request.user), run_id)


def as_seen_by(
    request: Request, run: RetrievalRun, told: Sequence[Mapping[str, object]]
) -> Sequence[Mapping[str, object]]:
    """Rows of a run as its reader may see them: with raw scores for those who audit the base (L11)."""
    return told if is_auditor_of(user_of(request), run.base_id) else [drop_scores(each) for each in told]


def faults_of(form: forms.Form) -> dict[str, list[str]]:
    """The errors of a page's form, by field."""
    return {name: [str(error) for error in errors] for name, errors in form.errors.items()}


# ---- runs


class RunSerializer(serializers.Serializer[Any]):
    """One run as a line of the list."""

    id = serializers.UUIDField()
    asked_at = serializers.DateTimeField()
    base_id = serializers.UUIDField()
    base_name = serializers.CharField()
    asked_by = serializers.CharField()
    question = serializers.CharField()
    mode = serializers.CharField()
    status = serializers.ChoiceField(RUN_STATUSES)
    outcome = serializers.CharField(help_text="The status in words.")
    judged_by = serializers.CharField()
    candidates = serializers.IntegerField()
    kept = serializers.IntegerField()
    confidence = serializers.FloatField()
    reason = serializers.CharField(allow_null=True, help_text="Why nothing was found, or what failed.")
    verdict = serializers.ChoiceField(
        OF_ANSWER, allow_null=True, help_text="What the last reviewer said of the answer; null if nobody has yet."
    )


class RunInFullSerializer(RunSerializer, FoundSerializer):
    """A run with everything it saw but its documents and candidates, which are lists of their own.

    `scope` has those documents that were read line by line.
    """

    parsed = serializers.DictField()
    plan = serializers.DictField()
    scope = serializers.ListField(child=serializers.DictField())
    settings = serializers.DictField()
    gates = serializers.ListField(child=serializers.DictField())
    searched = serializers.ListField(child=serializers.DictField())
    coverage = serializers.DictField()
    looked_at = serializers.CharField(
        allow_null=True, help_text="What was done with the documents of the scope; they are a list of their own."
    )
    methods_used = serializers.ListField(child=serializers.CharField())
    hit_counts = serializers.DictField(child=serializers.IntegerField())
    contradictions = serializers.ListField(child=serializers.DictField())
    violations = serializers.ListField(child=serializers.CharField())
    arbiter = serializers.CharField()
    arbiter_status = serializers.CharField()
    arbiter_failure = serializers.CharField(allow_null=True)
    timings_ms = serializers.DictField(child=serializers.FloatField())
    code_version = serializers.CharField()
    answer = AnswerSerializer(allow_null=True)


def describe_run(each: Listed) -> dict[str, object]:
    run = each.run
    return {
        "id": run.pk,
        "asked_at": run.created_at,
        "base_id": run.base_id,
        "base_name": run.base_name,
        "asked_by": run.asked_by_name,
        "question": run.question,
        "mode": run.mode,
        "status": run.status,
        "outcome": str(outcome_named(each.outcome).words),
        "judged_by": each.judge,
        "candidates": each.candidates,
        "kept": each.kept,
        "confidence": run.confidence,
        "reason": run.failure or run.not_found_reason or None,
        "verdict": each.verdict or None,
    }


SEEN = [
    *("parsed", "scope", "settings", "gates", "searched", "coverage", "methods_used", "hit_counts"),
    *("contradictions", "violations", "arbiter", "arbiter_status", "timings_ms", "code_version"),
]


def run_in_full(request: Request, run: RetrievalRun) -> dict[str, object]:
    answer = Answer.objects.filter(run=run).first()
    seen = {name: getattr(run, name) for name in SEEN}
    said = {
        "plan": run.plan | {"left_out": as_seen_by(request, run, run.plan.get("left_out", []))},
        "arbiter_failure": run.arbiter_failure or None,
        "partly_answered": run.is_partial,
        "missing": run.missing or None,
        "looked_at": looked_at(run.coverage),
        "language_note": foreign_told(run) or None,
        "parts": parts_of(run),
        "answer": answer_json(answer) if answer else None,
    }
    return describe_run(list_runs([run])[0]) | seen | said


# The same filters as the page: one form reads both.
FILTERS = [
    OpenApiParameter(name, OpenApiTypes.STR, description=str(field.label or name))
    for name, field in RunFilters.base_fields.items()
]


class RunListView(GenericAPIView[RetrievalRun]):
    scopes: ClassVar = {"GET": "audit"}

    @extend_schema(operation_id="list_runs", parameters=FILTERS, responses=RunSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Newest first, with the filters of the page: one's own runs, and all runs of bases one audits."""
        form = RunFilters(request.query_params, user=request.user)
        if not form.is_valid():
            raise exceptions.ValidationError(faults_of(form))
        wanted = form.wanted()
        record_list(request.user, "list", **{name: str(value) for name, value in wanted.items()})
        runs = filter_runs(RetrievalRun.objects.visible_to(request.user), wanted).defer(*HEAVY)
        page = self.paginate_queryset(runs.order_by("-created_at", "-id"))
        return self.get_paginated_response(
            RunSerializer([describe_run(each) for each in list_runs(page or [])], many=True).data
        )


class RunView(GenericAPIView[RetrievalRun]):
    scopes: ClassVar = {"GET": "audit"}
    serializer_class = RunInFullSerializer

    @extend_schema(operation_id="read_run")
    def get(self, request: Request, run_id: UUID) -> Response:
        """The question, its reading and plan, what was searched and found, and the answer."""
        run = get_visible_run(request, run_id)
        record_read(request.user, "trail", run)
        return Response(RunInFullSerializer(run_in_full(request, run)).data)


class CandidatesView(GenericAPIView[RunCandidate]):
    scopes: ClassVar = {"GET": "audit"}

    @extend_schema(operation_id="list_candidates", responses=CandidateSerializer(many=True))
    def get(self, request: Request, run_id: UUID) -> Response:
        """All judged candidates, including discarded ones, in the arbiter's order."""
        run = get_visible_run(request, run_id)
        record_read(request.user, "trail", run)
        page = self.paginate_queryset(run.candidates.order_by("position"))
        told = [candidate_json(row) for row in page or []]
        shown = CandidateSerializer(as_seen_by(request, run, told), many=True)
        return self.get_paginated_response(shown.data)


class ScopeDocumentsView(GenericAPIView[RunDocument]):
    scopes: ClassVar = {"GET": "audit"}

    @extend_schema(operation_id="list_scope", responses=ScopeDocumentSerializer(many=True))
    def get(self, request: Request, run_id: UUID) -> Response:
        """Every one: read line by line, searched for words only, or unreadable, with its place in the shortlist."""
        run = get_visible_run(request, run_id)
        record_read(request.user, "documents", run)
        page = self.paginate_queryset(run.documents.order_by("position"))
        told = [document_json(row) for row in page or []]
        shown = ScopeDocumentSerializer(as_seen_by(request, run, told), many=True)
        return self.get_paginated_response(shown.data)


# ---- reviews and evidence


class ReviewSerializer(serializers.Serializer[Review]):
    """An auditor's verdict on a candidate, or on the answer if `candidate_id` is null."""

    id = serializers.UUIDField()
    candidate_id = serializers.CharField(source="candidate.candidate_id", allow_null=True, default=None)
    reviewer = serializers.CharField(source="reviewer_name")
    outcome = serializers.ChoiceField(Review.Outcome.choices)
    original_role = serializers.CharField()
    corrected_role = serializers.CharField()
    reason = serializers.CharField()
    previous_id = serializers.UUIDField(allow_null=True)
    is_blind = serializers.BooleanField()
    created_at = serializers.DateTimeField()


class OpinionSerializer(Body):
    """`previous` is the latest review you have seen, null if none; a newer one is a conflict (409)."""

    candidate_id = TextField(required=False, allow_null=True, default=None, max_length=60)
    outcome = serializers.ChoiceField(Review.Outcome.choices)
    corrected_role = TextField(required=False, default="", allow_blank=True, max_length=10)
    reason = TextField(required=False, default="", allow_blank=True, max_length=4000)
    previous = serializers.UUIDField(required=False, allow_null=True, default=None)
    blind = serializers.BooleanField(required=False, default=False)


class ReviewListView(GenericAPIView[Review]):
    """The reviews of a run."""

    scopes: ClassVar = {"GET": "audit", "POST": "audit"}

    @extend_schema(operation_id="list_reviews", responses=ReviewSerializer(many=True))
    def get(self, request: Request, run_id: UUID) -> Response:
        run = get_visible_run(request, run_id)
        record_read(request.user, "trail", run)
        reviews = Review.objects.filter(run=run).select_related("candidate").order_by("created_at", "id")
        page = self.paginate_queryset(reviews) or []
        return self.get_paginated_response([ReviewSerializer(each).data for each in page])

    @extend_schema(operation_id="review", request=OpinionSerializer, responses={201: ReviewSerializer})
    def post(self, request: Request, run_id: UUID) -> Response:
        """Review a candidate or the answer; for auditors and owners who did not ask the question."""
        run = get_visible_run(request, run_id)
        values = read_sent(OpinionSerializer, request.data)
        candidate = run.candidates.filter(candidate_id=values["candidate_id"]).first()
        if values["candidate_id"] is not None and candidate is None:
            raise Http404("This run has no such candidate.")
        form = ReviewForm(values, candidate=candidate)
        if not form.is_valid():
            raise exceptions.ValidationError(faults_of(form))
        kept = review(run, candidate, user_of(request), form.opinion())
        return Response(ReviewSerializer(kept).data, status=HTTPStatus.CREATED)


class ZipRenderer(OctetRenderer):
    media_type = "application/zip"
    format = "zip"


class EvidenceView(GenericAPIView[RetrievalRun]):
    scopes: ClassVar = {"GET": "audit"}
    is_costly = True
    renderer_classes = [ZipRenderer]

    @extend_schema(operation_id="read_evidence", responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, run_id: UUID) -> HttpResponseBase:
        """A zip that can be checked without trusting DocIntel; the export is recorded first."""
        return hand_out_pack(get_visible_run(request, run_id), request.user)
