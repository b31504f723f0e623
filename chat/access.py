"""The turn an address names, of those a person may see; else the same 404 as for an absent one."""

from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from accounts.requests import user_of
from chat.models import Turn
from chat.turns.waiting import ENDED


def get_visible_turn(request: HttpRequest | Request, turn_id: UUID) -> Turn:
    return get_object_or_404(Turn.objects.visible_to(user_of(request)), pk=turn_id)


def get_ended_turn(request: HttpRequest | Request, turn_id: UUID) -> Turn:
    return get_object_or_404(Turn.objects.visible_to(user_of(request)).filter(state__in=ENDED), pk=turn_id)
