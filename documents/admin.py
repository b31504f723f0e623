"""Bases, documents and jobs in the admin, for support."""

from django.contrib import admin

from documents.models import Document, IngestJob, KnowledgeBase, Membership, Parse

admin.site.register(
    KnowledgeBase, list_display=["name", "id", "created_by", "created_at"], search_fields=["name", "id"]
)
admin.site.register(Membership, list_display=["base", "user", "role", "created_at"], list_filter=["role"])
admin.site.register(
    Document,
    list_display=["title", "file_name", "base", "state", "size_bytes", "created_at", "trashed_at"],
    list_filter=["state", "media_type"],
    search_fields=["title", "file_name", "sha256", "id"],
    list_select_related=["base"],
    exclude=["file"],  # a link to it would bypass access control
)
admin.site.register(
    Parse,
    list_display=["document", "number", "page_count", "line_count", "toc_strength", "embedding_model", "created_at"],
    list_filter=["toc_strength", "toc_origin", "language"],
    list_select_related=["document"],
)
admin.site.register(
    IngestJob,
    list_display=[
        *("document", "state", "stage", "attempts", "lease_owner", "heartbeat_at", "reason_code", "created_at")
    ],
    list_filter=["state", "stage", "reason_code"],
    search_fields=["id", "document__id"],
    list_select_related=["document"],
)
