"""The pages of review: saving a review, and the queues."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from audit.access_log import is_auditor, record_list
from audit.models import Review, ReviewSample
from audit.pages.forms import ReviewForm, SampleForm
from audit.pages.views import get_run_with_charge, trail_page
from audit.review.queue import QUEUE_SHOWN, RISKS, SECOND, SECOND_MEANING, find_position, first_in_queue, signs_of
from audit.review.reviewing import ReviewConflict, ReviewRefused, next_unreviewed, review, reviews_of
from audit.review.sampling import redraw_sample, reviewed_among, take_sample
from audit.review.signing import describe_sign_off
from audit.runs.complaints import standing_complaints
from audit.runs.listing import HEAVY, list_runs
from audit.trail.candidates import Choice
from documents.access import get_or_404
from retrieval.models import RetrievalRun, RunCandidate


@require_POST
def save_review(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Save a review and go on to the next candidate; on a conflict or error the form keeps what was typed."""
    assert isinstance(request.user, User)
    run = get_run_with_charge(request, run_id)
    candidate = candidate_of(run, request.POST.get("candidate", ""))
    queue, is_blind = request.POST.get("queue", ""), request.POST.get("blind") == "on"
    choice = Choice(candidate_id=candidate.candidate_id if candidate else "", queue=queue, blind=is_blind)
    after = Choice(queue=queue, blind=is_blind)
    form = ReviewForm(request.POST, candidate=candidate)
    if not form.is_valid():
        return trail_page(request, run, choice, review_form=form, status=400)
    try:
        review(run, candidate, request.user, form.opinion())
    except ReviewRefused as refusal:
        return trail_page(request, run, choice, refusal=str(refusal), status=403)
    except ReviewConflict as conflict:
        return trail_page(request, run, choice, review_form=form, conflict=conflict, status=409)
    return redirect(address_after(run, candidate, after, request.user))


def candidate_of(run: RetrievalRun, candidate_id: str) -> RunCandidate | None:
    if not candidate_id:
        return None
    candidate = run.candidates.filter(candidate_id=candidate_id).first()
    if candidate is None:
        raise Http404("This run has no such candidate.")
    return candidate


def address_after(run: RetrievalRun, candidate: RunCandidate | None, choice: Choice, user: User) -> str:
    """The next candidate to review in the run, then its answer, then the next run of the queue."""
    here = reverse("audit:trail", args=[run.pk])
    if candidate is None:
        place = find_position(run, choice.queue, user) if choice.queue else None
        if place is None:
            return f"{here}{choice.query()}#checks"
        if place.following is None:
            return reverse("audit:sample", args=[place.name]) if place.of else reverse("audit:queue")
        return f"{reverse('audit:trail', args=[place.following])}{choice.query()}"
    own = reviews_of(run, unseen_by=user if choice.blind else None)
    following = next_unreviewed(list(run.candidates.all()), own, candidate.candidate_id)
    return f"{here}{choice.address(following)}" if following else f"{here}{choice.query()}#checks"


@require_safe
def queue(request: HttpRequest) -> HttpResponse:
    """The runs to review: by one sign of risk, any, or for a second time; and the samples."""
    if not is_auditor(request.user):
        raise Http404("There is nothing here for you.")
    name = request.GET.get("risk", "")
    name = name if name in RISKS or name == SECOND else ""
    runs = first_in_queue(request.user, name)
    signs = signs_of(runs[:QUEUE_SHOWN])
    record_list(request.user, "queue", risk=name)
    shown = {
        "rows": [
            (each, [RISKS[sign].words for sign in signs[each.run.pk]], complaint_in(each.run, signs))
            for each in list_runs(runs[:QUEUE_SHOWN])
        ],
        "has_more": len(runs) > QUEUE_SHOWN,
        "risk": name,
        "risks": RISKS,
        "second_meaning": SECOND_MEANING,
        "meaning": RISKS[name].meaning if name in RISKS else SECOND_MEANING if name else "",
        "samples": ReviewSample.objects.visible_to(request.user)[:20],
        "form": SampleForm(user=request.user),
    }
    return render(request, "audit/queue.html", shown)


def complaint_in(run: RetrievalRun, signs: dict[UUID, list[str]]) -> str:
    """The comment of the last reader who complained."""
    if "complaint" not in signs[run.pk]:
        return ""
    last = standing_complaints().filter(turn__run=run).order_by("created").last()
    return f"{last.get_kind_display()}. {last.comment}".strip() if last else ""


@require_POST
def draw_sample(request: HttpRequest) -> HttpResponse:
    assert isinstance(request.user, User)
    form = SampleForm(request.POST, user=request.user)
    if not form.is_valid():
        return render(request, "audit/queue.html", {"form": form, "risks": {}, "is_only_form": True}, status=400)
    sample = take_sample(form.cleaned_data["base"], form.cleaned_data["size"], request.user, form.cleaned_data["seed"])
    return redirect("audit:sample", sample.pk)


@require_safe
def sample(request: HttpRequest, sample_id: UUID) -> HttpResponse:
    """One sample, redrawn on every view and compared with the stored draw."""
    found = get_or_404(ReviewSample.objects.visible_to(request.user), sample_id)
    runs = RetrievalRun.objects.filter(pk__in=found.run_ids).defer(*HEAVY)
    by_id = {str(each.run.pk): each for each in list_runs(list(runs))}
    reviewed = reviewed_among(found.run_ids)
    record_list(request.user, "sample", sample=str(found.pk))
    shown = {
        "sample": found,
        "rows": [(by_id[pk], UUID(pk) in reviewed) for pk in found.run_ids if pk in by_id],
        "reviewed": len(reviewed),
        "overruled": Review.objects.filter(run__in=found.run_ids)
        .exclude(outcome="agree")
        .values("run")
        .distinct()
        .count(),
        "is_same": redraw_sample(found) == found.run_ids,
        "sign_offs": [(row, describe_sign_off(row)) for row in found.sign_offs.filter(first=None)],
    }
    return render(request, "audit/sample.html", shown)
