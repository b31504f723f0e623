"""Turns in the admin, to see what is stuck or failed and why. Nothing can be changed here."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from chat.models import Turn


@admin.register(Turn)
class TurnAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # Django itself cannot subscript it
    list_display = ("question", "state", "attempts", "lease_owner", "created_at", "ended_at")
    list_filter = ("state", "mode")
    fields = ("question", "scope_name", "mode", "state", "attempts", "lease_owner", "heartbeat_at", "error_for_admins")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
