"""What each risk that an owner may choose promises, as a table on the page of a base's settings."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.translation import gettext_lazy as _

from audit.statistics.own_risk import JudgedQuestion, judged_questions
from documents.base_settings import BaseSettings
from documents.models import KnowledgeBase
from documents.pages.plain_choices import PLAIN
from retrieval.arbiter.promised import Promised, promises_of

register = template.Library()

KINDS = {
    "contracts": _("Contracts"),
    "ndas": _("Non-disclosure agreements"),
    "documents": _("Papers and policies"),
    "together": _("Contracts, agreements, papers and policies together"),
}


@register.inclusion_tag("documents/_risk.html")
def risk_table(base: KnowledgeBase, is_own_told: bool) -> dict[str, Any]:
    """For each risk of the plain choices and that in force: absent questions answered by kind of document, and, where
    the reader may know, those of the base with a verdict and its right answers that would be held back.

    A question counts for the risk it was asked at and for smaller ones: with a greater one it may have had an answer.
    """
    settings = BaseSettings.from_json(base.settings)
    names = {int(option.sets["risk_max"]): str(option.name) for option in PLAIN["care"].values()}
    names.setdefault(settings.risk_max, "")  # of an own mixture
    risks = sorted(names)
    measured: dict[str, list[Promised]] = {}
    for risk in risks:
        for each in promises_of(risk, is_read=settings.cross_encoder == "on"):
            measured.setdefault(each.kind, []).append(each)
    judged = list(judged_questions(base)) if is_own_told else []
    absent, held_back = ([own_counts(judged, risk, has_answer) for risk in risks] for has_answer in (False, True))
    return {
        "risks": [(risk, names[risk], risk == settings.risk_max) for risk in risks],
        "measured": [(KINDS.get(kind, kind), row) for kind, row in measured.items()],
        "absent": absent if any(each.asked for each in absent) else [],
        "held_back": held_back if any(each.asked for each in held_back) else [],
    }


def own_counts(judged: Sequence[JudgedQuestion], risk: int, has_answer: bool) -> Promised:
    """Of the questions without an answer those that would get one, or of the others those that would get none."""
    known = [each for each in judged if each.has_answer == has_answer and each.risk_max >= risk]
    return Promised("own", len(known), sum(each.is_answered(risk) != has_answer for each in known))
