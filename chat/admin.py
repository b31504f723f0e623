"""Turns in the admin, to see which are stuck or failed, and why."""

from django.contrib import admin

from chat.models import Turn

admin.site.register(
    Turn,
    list_display=("question", "state", "attempts", "lease_owner", "created_at", "ended_at"),
    list_filter=("state", "mode"),
    fields=("question", "scope_name", "mode", "state", "attempts", "lease_owner", "heartbeat_at", "error_for_admins"),
)
