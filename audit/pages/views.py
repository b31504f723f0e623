"""The pages of the audit: the list of runs, one run's trail, and downloads of its exchanges."""

from collections.abc import Collection, Container
from dataclasses import replace
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from accounts.requests import user_of
from audit.access_log import is_auditor, record_list, record_read
from audit.alerts.watching import open_alerts
from audit.keeping.changes import deletions_of
from audit.keeping.erasure import erasure_of
from audit.models import Review, RunSign
from audit.pages.forms import OF_ANSWER, REASON_MIN, ReviewForm, RunFilters
from audit.review.assigning import hold_open, holders, people_for
from audit.review.queue import QUEUES, SECOND, find_position, signs_of
from audit.review.reviewing import ReviewConflict, has_judged, reviews_of, why_not
from audit.runs.glossary import terms_in_order
from audit.runs.listing import RunKey, RunsWanted, read_run_page
from audit.runs.outcomes import METHOD_NAMES, REPAIR_NAMES, ROLE_NAMES
from audit.runs.risks import RISKS
from audit.runs.signs import LOOKED, words_missing
from audit.statistics.quality import DEFAULT_DAYS, Quality, quality_over
from audit.trail.candidates import Choice
from audit.trail.gather import gather
from audit.trail.selected import read_selected
from chat.models import Answer
from documents.access import get_or_404
from documents.downloads import attachment
from documents.models import KnowledgeBase, Role
from documents.pages.address import number_of
from llm.exchange import request_bytes
from llm.models import LLMCall
from retrieval.candidates.widening import read_scope
from retrieval.models import RetrievalRun
from retrieval.record.storing import calls_apart
from retrieval.told.searched import words_searched
from retrieval.types import ROLE_ORDER

OUTCOMES = dict(Review.Outcome.choices)
# Where the trail shows what a sign of risk is about.
SIGN_ADDRESSES = {
    "against_detectors": "?against_detectors=1#candidates",
    "injection": "?instructing=1#candidates",
    "rejected": "?repair=rejected#candidates",
    "shortened": "?repair=truncated#candidates",
    "complaint": "#checks",
    "typed_values": "#checks",
    "missing_words": "#searched",
    "violation": "#gates",
}
# Where the trail of a run with a sign opens on the candidates that show it.
TRAIL_OF_SIGN = {"against_detectors": Choice(against_detectors=True).query()}


@require_safe
def run_list(request: HttpRequest) -> HttpResponse:
    """The runs a person may read, filtered by the address."""
    form = RunFilters(request.GET, user=request.user)
    is_valid = form.is_valid()
    wanted = form.wanted() if is_valid else RunsWanted()
    runs = RetrievalRun.objects.visible_to(request.user)
    page = read_run_page(
        runs if is_valid else runs.none(),
        before=request.GET.get("before", ""),
        after=request.GET.get("after", ""),
        wanted=wanted,
    )
    record_list(request.user, "list", **{name: str(value) for name, value in wanted.items()})
    held = KnowledgeBase.objects.with_role(request.user, Role.AUDITOR, Role.OWNER)
    roles = dict(held.values_list("pk", "membership__role"))
    shown = {
        "form": form,
        "is_auditor": bool(roles),
        "is_owner": Role.OWNER in roles.values(),
        "quality": quality_among(roles, wanted.get("base")),
        "alerts": open_alerts(request.user, wanted.get("base")),
        "selects": [form[name] for name in form.MAIN[1:]],
        "more": [field for field in form if field.name not in form.MAIN],
        "is_narrow": any(wanted.get(name) for name in form.fields if name not in form.MAIN) or not is_valid,
        "opens": TRAIL_OF_SIGN.get(wanted.get("sign", ""), ""),
        "is_filtered": bool(wanted) or not is_valid,
        "page": page,
        "filters": f"?{urlencode({name: request.GET[name] for name in form.fields if request.GET.get(name)})}",
        "newer": turn_to(form, after=page.newer),
        "older": turn_to(form, before=page.older),
    }
    return render(request, "audit/list.html", shown, status=200 if is_valid else 400)


def quality_among(audited: Collection[UUID], base: KnowledgeBase | None) -> tuple[Quality, ...]:
    """The quality of the bases a person audits, or of one of them; nothing if they audit none."""
    keys = [key for key in audited if base is None or key == base.pk]
    return quality_over(RetrievalRun.objects.filter(base__in=keys), DEFAULT_DAYS) if keys else ()


def turn_to(form: RunFilters, **keys: RunKey | None) -> str:
    """The address of a neighbouring page under the same filters, or ""."""
    turn = {name: str(key) for name, key in keys.items() if key is not None}
    kept = {name: form.data.get(name) for name in form.fields if form.data.get(name)}
    return f"?{urlencode(kept | turn)}" if turn else ""


@require_safe
def run_trail(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """One run's trail; for htmx only the open candidate beside its page."""
    run, choice = get_run_with_charge(request, run_id), read_choice(request)
    if choice.queue == SECOND and has_judged(request.user, run):
        choice = replace(choice, blind=False)  # nobody judges twice blind, and to settle a dispute is to see it
    if choice.queue in QUEUES and not why_not(request.user, run):
        hold_open(run, user_of(request))
    return trail_page(request, run, choice)


def trail_page(
    request: HttpRequest,
    run: RetrievalRun,
    choice: Choice,
    *,
    review_form: ReviewForm | None = None,
    conflict: ReviewConflict | None = None,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    """The trail with its review forms, which keep typed text that could not be saved. That it was read is recorded."""
    trail = gather(run, choice, reviews_of(run, unseen_by=request.user if choice.blind else None))
    if trail is None:
        raise Http404("This run has no such candidate.")
    page_counts = {seen["document_id"]: seen["pages"] for seen in run.scope}
    selected = read_selected(run, trail.table, choice, page_counts)
    why_no_review, visible = why_not(request.user, run), RetrievalRun.objects.visible_to(request.user)
    may_audit = not why_no_review or is_auditor(request.user, run.base_id)
    typed_for = review_form.data.get("candidate", "") if review_form else None
    shown = {
        "run": run,
        "trail": trail,
        "searched": words_searched(run),
        "signs": shown_signs(run) if may_audit else None,
        "erasure": erasure_of(run),
        "deletions": deletions_of(row.document_id for row in trail.scope.rows),
        "has_model": settings.LLM_CONFIGURED,
        "first_run": visible.filter(pk=run.repeat["run"]).first() if run.repeat else None,
        "selected": selected,
        "terms": terms_in_order(),
        "total": trail.table.total,
        "place": find_position(run, choice.queue, request.user) if choice.queue else None,
        "choice": choice,
        "holder": holders([run]).get(run.pk),
        "people": [] if why_no_review else people_for(run),
        "is_auditor": may_audit,
        "may_review": may_audit and not why_no_review,
        "why_no_review": why_no_review,
        "may_invite": bool(why_no_review)
        and KnowledgeBase.objects.with_role(request.user, Role.OWNER).filter(pk=run.base_id).exists(),
        "answer_form": review_form if typed_for == "" else None,
        "candidate_form": review_form if selected and typed_for == selected.row.candidate.candidate_id else None,
        "conflict": conflict,
        "refusal": refusal,
        "roles": list(ROLE_NAMES.items()),
        "reason_min": REASON_MIN,
        "answer_outcomes": [(name, OUTCOMES[name]) for name in OF_ANSWER],
    }
    is_part = bool(request.headers.get("HX-Request")) and not request.headers.get("HX-History-Restore-Request")
    response = render(request, "audit/_candidate.html" if is_part else "audit/trail.html", shown, status=status)
    patch_vary_headers(response, ["HX-Request"])
    record_read(request.user, "trail", run, candidate=choice.candidate_id, **({"blind": True} if choice.blind else {}))
    return response


def shown_sign(name: str) -> dict[str, object]:
    """A sign of risk in words, with where the trail shows what it is about."""
    risk = RISKS[name]
    return {"words": risk.words, "meaning": risk.meaning, "address": SIGN_ADDRESSES.get(name, "")}


def shown_signs(run: RetrievalRun) -> dict[str, object]:
    """The signs of risk of a run; not whole until those were looked for that a worker derives."""
    told = {"missing_words": words_missing(run)}
    shown = [shown_sign(name) | {"told": told.get(name, ())} for name in signs_of([run])[run.pk]]
    return {"shown": shown, "is_whole": RunSign.objects.filter(run=run, name=LOOKED).exists()}


def get_run_with_charge(request: HttpRequest, run_id: UUID) -> RetrievalRun:
    runs = RetrievalRun.objects.visible_to(request.user)
    return get_or_404(runs.select_related("llm_call__charge"), run_id)


def read_choice(request: HttpRequest) -> Choice:
    """The choice made by the address; an invalid role or page is ignored."""
    return Choice(
        role=one_of(request, "role", ROLE_ORDER),
        method=one_of(request, "method", METHOD_NAMES),
        repair=one_of(request, "repair", REPAIR_NAMES),
        against_rrf=request.GET.get("against_rrf") == "1",
        against_detectors=request.GET.get("against_detectors") == "1",
        instructing=request.GET.get("instructing") == "1",
        heat=request.GET.get("heat") == "1",
        queue=request.GET.get("queue", ""),
        blind=request.GET.get("blind") == "1",
        candidate_id=request.GET.get("candidate", ""),
        page=number_of(request.GET, "page"),
        wide=read_scope(request.GET.get("wide", "")),
    )


def one_of(request: HttpRequest, name: str, known: Container[str]) -> str:
    value = request.GET.get(name, "")
    return value if value in known else ""


@require_safe
def call_request(request: HttpRequest, run_id: UUID, call_id: UUID) -> HttpResponse:
    """The request to the model, in the canonical JSON its SHA-256 was taken over."""
    call = call_of(request, run_id, call_id)
    return attachment(request_bytes(call.request), f"request-{call.pk}.json", "application/json")


@require_safe
def call_reply(request: HttpRequest, run_id: UUID, call_id: UUID) -> HttpResponse:
    """The model's reply as received."""
    call = call_of(request, run_id, call_id)
    return attachment(call.raw_reply.encode(), f"reply-{call.pk}.txt", "text/plain; charset=utf-8")


def call_of(request: HttpRequest, run_id: UUID, call_id: UUID) -> LLMCall:
    """A call of this run or its answer, else the same 404 as for an absent run; downloading it is recorded."""
    run = get_run_with_charge(request, run_id)
    record_read(request.user, "exchange", run, call=str(call_id))
    answer = Answer.objects.filter(run=run).first()
    of_answer = [answer.llm_call_id, *map(UUID, answer.other_calls)] if answer else []
    beside = [call.pk for _kind, call in calls_apart(run)]
    if call_id not in (run.llm_call_id, *beside, *of_answer):
        raise Http404("This run made no such call.")
    return get_or_404(LLMCall.objects.all(), call_id)
