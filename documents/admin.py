"""Bases, documents and jobs for support: everything can be looked at, nothing changed past the pages and the gate."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from documents.models import Document, IngestJob, KnowledgeBase, Membership, Parse


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]  # one for all models
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(KnowledgeBase)
class KnowledgeBaseAdmin(ReadOnly):
    list_display = ["name", "id", "created_by", "created_at"]
    search_fields = ["name", "id"]


@admin.register(Membership)
class MembershipAdmin(ReadOnly):
    list_display = ["base", "user", "role", "created_at"]
    list_filter = ["role"]


@admin.register(Document)
class DocumentAdmin(ReadOnly):
    list_display = ["title", "file_name", "base", "state", "size_bytes", "created_at", "trashed_at"]
    list_filter = ["state", "media_type"]
    search_fields = ["title", "file_name", "sha256", "id"]
    list_select_related = ["base"]
    # The file's link would serve it past the gate.
    exclude = ["file"]


@admin.register(Parse)
class ParseAdmin(ReadOnly):
    list_display = ["document", "number", "page_count", "line_count", "toc_strength", "embedding_model", "created_at"]
    list_filter = ["toc_strength", "toc_origin", "language"]
    list_select_related = ["document"]


@admin.register(IngestJob)
class IngestJobAdmin(ReadOnly):
    list_display = [
        "document",
        "state",
        "stage",
        "attempts",
        "lease_owner",
        "heartbeat_at",
        "reason_code",
        "created_at",
    ]
    list_filter = ["state", "stage", "reason_code"]
    search_fields = ["id", "document__id"]
    list_select_related = ["document"]
