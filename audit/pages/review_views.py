"""The pages of review: saving a review, and the queues."""

from dataclasses import replace
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.requests import user_of
from audit.access_log import is_auditor, record_list
from audit.models import Review, ReviewSample
from audit.pages.forms import ReviewForm, SampleForm
from audit.pages.views import get_run_with_charge, shown_sign, trail_page
from audit.review import signing
from audit.review.assigning import CannotAssign, assign, give_back, held_by, holders, people_for
from audit.review.queue import (
    QUEUE_SHOWN,
    SECOND,
    SECOND_MEANING,
    find_position,
    first_in_queue,
    own_waiting_for_second,
    signs_of,
    signs_to_choose,
)
from audit.review.reviewing import ReviewConflict, ReviewRefused, next_unreviewed, review, reviews_of, why_not
from audit.review.sampling import redraw_sample, take_sample
from audit.runs.complaints import standing_complaints
from audit.runs.listing import HEAVY, list_runs
from audit.runs.risks import RISKS
from audit.statistics.quality import quality_of_sample
from audit.trail.candidates import Choice
from documents.access import get_or_404, ids_in
from documents.models import KnowledgeBase
from documents.views import tell_refusal
from retrieval.models import RetrievalRun, RunCandidate

# How the trail opens from a queue, beside its name: without others' opinions, or on the candidates that show the sign.
OPENS = {SECOND: Choice(blind=True), "against_detectors": Choice(against_detectors=True)}


@require_http_methods(["GET", "HEAD", "POST"])
def save_review(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Save a review and go on to the next candidate; on a conflict or error the form keeps what was typed.

    The links of a page that came back lead here as well: they are those of the trail.
    """
    run, user = get_run_with_charge(request, run_id), user_of(request)
    if request.method != "POST":
        return redirect(f"{reverse('audit:trail', args=[run.pk])}?{request.GET.urlencode()}")
    candidate = candidate_of(run, request.POST.get("candidate", ""))
    queue, is_blind = request.POST.get("queue", ""), request.POST.get("blind") == "on"
    choice = Choice(candidate_id=candidate.candidate_id if candidate else "", queue=queue, blind=is_blind)
    after = Choice(queue=queue, blind=is_blind)
    form = ReviewForm(request.POST, candidate=candidate)
    if not form.is_valid():
        return trail_page(request, run, choice, review_form=form, status=400)
    try:
        review(run, candidate, user, form.opinion())
        if candidate is None:
            give_back(run, user)
            messages.success(request, _("Your verdict on the answer is saved."))
    except ReviewRefused as refusal:
        return trail_page(request, run, choice, review_form=form, refusal=str(refusal), status=403)
    except ReviewConflict as conflict:
        return trail_page(request, run, choice, review_form=form, conflict=conflict, status=409)
    return redirect(address_after(run, candidate, after, user))


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
        following = replace(choice, blind=choice.blind or place.blind)
        return f"{reverse('audit:trail', args=[place.following])}{following.query()}"
    seen = reviews_of(run, unseen_by=user if choice.blind else None)
    candidate_id = next_unreviewed(list(run.candidates.all()), seen, candidate.candidate_id, blind=choice.blind)
    return f"{here}{choice.address(candidate_id)}" if candidate_id else f"{here}{choice.query()}#checks"


@require_safe
def queue(request: HttpRequest) -> HttpResponse:
    """The runs to review: by one sign of risk, any, or for a second time; and the samples."""
    if not is_auditor(request.user):
        raise Http404("There is nothing here for you.")
    name = request.GET.get("risk", "")
    name = name if name in RISKS or name == SECOND else ""
    is_mine = request.GET.get("mine") == "1"
    audited = KnowledgeBase.objects.with_role(request.user, "auditor", "owner")
    base = audited.filter(pk__in=ids_in(request.GET.get("base", ""))).first()
    only = (held_by(request.user) if is_mine else Q()) & (Q(base=base) if base else Q())
    runs = first_in_queue(request.user, name, only, with_rest=is_mine)
    signs = signs_of(runs[:QUEUE_SHOWN])
    words = {pk: [shown_sign(sign) for sign in names] for pk, names in signs.items()}
    is_blind = name == SECOND
    listed = list_runs(runs[:QUEUE_SHOWN])
    if is_blind:  # the second reviewer must not know what the first one said
        listed = [replace(each, verdict="", is_overruled=False) for each in listed]
    held = holders([each.run for each in listed])
    whole = first_in_queue(request.user, "", only, with_rest=is_mine) if name else runs
    record_list(request.user, "queue", risk=name, **({"base": str(base.pk)} if base else {}))
    shown = {
        "rows": [(each, words[each.run.pk], complaint_in(each.run, signs), held.get(each.run.pk)) for each in listed],
        "has_more": len(runs) > QUEUE_SHOWN,
        "risk": name,
        "is_mine": is_mine,
        "base": base,
        "bases": audited,
        "of_base": f"base={base.pk}&" if base else "",
        "own_waiting": own_waiting_for_second(request.user).count() if is_blind else 0,
        "opens": replace(OPENS.get(name, Choice()), queue=name or "risk").query(),
        "is_blind": is_blind,
        "risks": RISKS,
        "signs": signs_to_choose(whole, name),
        "second_meaning": SECOND_MEANING,
        "meaning": RISKS[name].meaning if name in RISKS else SECOND_MEANING if name else "",
        "samples": ReviewSample.objects.visible_to(request.user)[:20],
        "form": SampleForm(user=request.user, initial={"base": base}),
    }
    return render(request, "audit/queue.html", shown)


def complaint_in(run: RetrievalRun, signs: dict[UUID, list[str]]) -> str:
    """The comment of the last reader who complained."""
    if "complaint" not in signs[run.pk]:
        return ""
    last = standing_complaints().filter(turn__run=run).order_by("created").last()
    return f"{last.get_kind_display()}. {last.comment}".strip() if last else ""


@require_POST
def assign_run(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Give a run to somebody who may review it, or to nobody, and stay on it."""
    run, user = get_run_with_charge(request, run_id), user_of(request)
    if why_not(user, run):
        raise Http404("There is nothing here for you.")
    chosen = request.POST.get("to", "")
    person = next((each for each in people_for(run) if str(each.pk) == chosen), None)
    if chosen and person is None:
        raise BadRequest("Nobody of that name may review it.")
    with tell_refusal(request, CannotAssign):
        if person:
            assign(run, person, user)
            messages.success(request, _("%(person)s has this question now.") % {"person": person})
        else:
            give_back(run, user)
    # Opened from the queue it would be locked again for whoever gave it back.
    queue = request.POST.get("queue", "") if person else ""
    choice = Choice(queue=queue, blind=request.POST.get("blind") == "on")
    return redirect(f"{reverse('audit:trail', args=[run.pk])}{choice.query()}")


@require_POST
def draw_sample(request: HttpRequest) -> HttpResponse:
    form = SampleForm(request.POST, user=request.user)
    if not form.is_valid():
        return render(request, "audit/queue.html", {"form": form, "risks": {}, "is_only_form": True}, status=400)
    given = form.cleaned_data
    sample = take_sample(given["base"], given["size"], user_of(request), given["seed"])
    return redirect("audit:sample", sample.pk)


@require_safe
def sample(request: HttpRequest, sample_id: UUID) -> HttpResponse:
    """One sample, redrawn on every view and compared with the stored draw."""
    return sample_page(request, get_or_404(ReviewSample.objects.visible_to(request.user), sample_id))


def sample_page(request: HttpRequest, found: ReviewSample, refusal: str = "") -> HttpResponse:
    """The page of a sample; with `refusal` it says why it was not signed off."""
    subject, signed = signing.of_sample(found), found.sign_offs.filter(first=None).select_related("second")
    figures = signing.count_figures(subject)
    runs = RetrievalRun.objects.filter(pk__in=found.run_ids).defer(*HEAVY)
    by_id = {str(each.run.pk): each for each in list_runs(list(runs))}
    objections = Review.objects.filter(run__in=found.run_ids).exclude(outcome="agree")
    record_list(request.user, "sample", sample=str(found.pk))
    shown = {
        "sample": found,
        "rows": [by_id[pk] for pk in found.run_ids if pk in by_id],
        "opens": Choice(queue=str(found.pk)).query(),
        "quality": quality_of_sample(found),
        "overruled": objections.values("run").distinct().count(),
        "is_same": redraw_sample(found) == found.run_ids,
        "refusal": refusal,
        "obstacle": signing.find_sign_off_obstacle(subject, figures).why,
        "sign_offs": [(row, signing.describe_sign_off(row), signing.second_of(row)) for row in signed],
        "is_signed": signing.find_signed(subject, figures, signing.make_statement(subject, figures).digest) is not None,
    }
    return render(request, "audit/sample.html", shown, status=409 if refusal else 200)
