"""The proposed changes of a base: what waits for a golden check, what the check said, and how each ended."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.requests import user_of
from audit.access_log import record_list
from audit.models import Rejudgement
from audit.review import tasks
from audit.review.golden import has_changed_since_check, read_names
from audit.review.proposed import (
    QUESTIONS_MAX,
    WHYS,
    CheckedQuestion,
    Standing,
    basis_of,
    count_golden,
    find_proposal_check,
    standing_of_proposal,
    take_effect,
)
from audit.review.rejudging import ask_for_proposal_check
from documents.access import AUDIT, OWN, get_base, get_or_404
from documents.forms import EXPLAINED, REASON_MAX
from documents.guarding.guard import KINDS, ProposalRefused, requires_check
from documents.guarding.proposals import withdraw as give_up
from documents.models import KnowledgeBase, ProposedChange
from documents.views import describe_base, tell_refusal
from reading.characters import clean_name
from retrieval.told.outcomes import Outcome

VALUES_SHOWN = 100
ENDED_SHOWN = 20


@dataclass(frozen=True)
class ShownProposal:
    """An open proposal as the page has it: its values as (name, before, after), its last check and what that says."""

    proposal: ProposedChange
    words: str
    values: list[tuple[str, str, str]]
    more: int
    job: Rejudgement | None
    standing: Standing
    outcome: Outcome | None
    questions: list[dict[str, object]]


@require_safe
def proposals(request: HttpRequest, base_id: UUID) -> HttpResponse:
    """What is proposed, what its check says, and the last proposals that ended."""
    base = get_base(request.user, base_id, *AUDIT)
    record_list(request.user, "proposals", base=str(base.pk))
    of_base, basis = ProposedChange.objects.filter(base=base), cache(partial(basis_of, base))
    ended = of_base.exclude(end=None).select_related("end").order_by("-end__created_at")[:ENDED_SHOWN]
    shown = {
        **describe_base(request, base),
        "is_required": requires_check(base),
        "golden_count": count_golden(base),
        "is_outdated": has_changed_since_check(base.pk),
        "questions_max": QUESTIONS_MAX,
        "kinds": [kind.words for kind in KINDS.values()],
        "open": [describe_proposal(proposal, basis) for proposal in of_base.open()],
        "ended": [(proposal, name_kind(proposal), describe_values(proposal)) for proposal in ended],
    }
    return render(request, "audit/proposals.html", shown)


@require_POST
def check(request: HttpRequest, base_id: UUID, proposal_id: UUID) -> HttpResponse:
    """Have the golden questions searched with a proposed change, by a worker."""
    proposal = get_proposal(get_base(request.user, base_id, *AUDIT), proposal_id)
    tasks.start(ask_for_proposal_check(user_of(request), proposal))
    return redirect("audit:proposals", base_id)


@require_POST
def effect(request: HttpRequest, base_id: UUID, proposal_id: UUID) -> HttpResponse:
    """Put a proposed change into effect: its check has passed, or an owner says why in spite of it."""
    reason = clean_name(request.POST.get("reason", "")[:REASON_MAX])
    said = gettext("The change is in effect. It holds from the next question on.")
    return end_proposal(request, base_id, proposal_id, partial(take_effect, reason=reason), said)


@require_POST
def withdraw(request: HttpRequest, base_id: UUID, proposal_id: UUID) -> HttpResponse:
    said = gettext("The proposed change is withdrawn. Nothing of it was in effect.")
    return end_proposal(request, base_id, proposal_id, give_up, said)


def end_proposal(
    request: HttpRequest, base_id: UUID, proposal_id: UUID, end: Callable[[ProposedChange, User], None], said: str
) -> HttpResponse:
    proposal = get_proposal(get_base(request.user, base_id, *OWN), proposal_id)
    with tell_refusal(request, ProposalRefused):
        end(proposal, user_of(request))
        messages.success(request, said)
    return redirect("audit:proposals", base_id)


def get_proposal(base: KnowledgeBase, proposal_id: UUID) -> ProposedChange:
    return get_or_404(ProposedChange.objects.filter(base=base), proposal_id)


# ---- words


def describe_proposal(proposal: ProposedChange, basis: Callable[[], str]) -> ShownProposal:
    job = find_proposal_check(proposal)
    standing = standing_of_proposal(job, basis)
    values = describe_values(proposal)
    result = job.result if job and job.result else None
    return ShownProposal(
        proposal=proposal,
        words=name_kind(proposal),
        values=values,
        more=len(proposal.changed) - len(values),
        job=job,
        standing=standing,
        outcome=say_counts(result["counts"]) if result else None,
        questions=describe_questions(result["questions"]) if result else [],
    )


def name_kind(proposal: ProposedChange) -> str:
    kind = KINDS.get(proposal.kind)
    return str(kind.words) if kind else proposal.kind


def describe_values(proposal: ProposedChange) -> list[tuple[str, str, str]]:
    """What a proposal changes, by the names of the settings page where it has one."""
    pairs = list(proposal.changed.items())[:VALUES_SHOWN]
    return [(name_of(proposal, name), show_value(before), show_value(after)) for name, (before, after) in pairs]


def name_of(proposal: ProposedChange, name: str) -> str:
    return str(EXPLAINED[name][0]) if proposal.kind == "settings" and name in EXPLAINED else name.replace("_", " ")


def show_value(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {each}" for name, each in value.items()) or "–"
    return "–" if value in ("", None) else value if isinstance(value, str) else json.dumps(value)


def say_counts(counts: dict[str, int]) -> Outcome:
    """How a check ended, in words: what gets worse first."""
    checked = sum(counts[fate] for fate in ("right", "better", "wrong", "worse"))
    told = [gettext("%(count)s worse") % {"count": counts["worse"]} if counts["worse"] else gettext("none worse")]
    told += [gettext("%(count)s better") % {"count": counts["better"]}] if counts["better"] else []
    told.append(gettext("%(count)s right as before") % {"count": counts["right"]})
    told += [gettext("%(count)s wrong as before") % {"count": counts["wrong"]}] if counts["wrong"] else []
    told += [gettext("%(count)s not checked") % {"count": counts["failed"]}] if counts["failed"] else []
    of = ngettext("%(count)s question", "%(count)s questions", checked) % {"count": checked}
    kind = "fail" if counts["worse"] else "warn" if counts["failed"] or not checked else "ok"
    return Outcome(kind, f"{of}: {', '.join(told)}")


def describe_questions(questions: list[CheckedQuestion]) -> list[dict[str, object]]:
    """What a check says of each question; question and section come from the records as they are now."""
    asked, titles = read_names({each["run_id"] for each in questions})
    return [
        each
        | {
            "why": WHYS.get(each["why"], ""),
            "question": asked.get(each["run_id"], ""),
            "fate_kind": {"worse": "fail", "failed": "warn", "wrong": "warn", "left_out": "warn"}.get(
                each["fate"], "ok"
            ),
            "held": [held | {"title": titles.get((each["run_id"], held["candidate_id"]), "")} for held in each["held"]],
        }
        for each in questions
    ]
