"""Records in the admin: to be read, never added, changed or deleted there."""

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from chat.models import Answer, Citation
from ledger.models import Entry
from llm.models import LLMCall
from retrieval.models import RetrievalRun, RunCandidate


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # Django itself cannot subscript it
    """Looking is all there is. The database would refuse the rest; here the buttons are missing, too."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(RetrievalRun)
class RetrievalRunAdmin(ReadOnlyAdmin):
    list_display = ["question", "status", "arbiter", "base_name", "asked_by_name", "created_at"]
    list_filter = ["status", "arbiter"]


@admin.register(RunCandidate)
class RunCandidateAdmin(ReadOnlyAdmin):
    list_display = ["candidate_id", "run", "role", "reason", "document_title"]
    list_select_related = ["run"]
    list_filter = ["role"]


@admin.register(Answer)
class AnswerAdmin(ReadOnlyAdmin):
    list_display = ["text", "kind", "ended", "created_at"]


@admin.register(Citation)
class CitationAdmin(ReadOnlyAdmin):
    list_display = ["marker", "quote", "page"]


@admin.register(LLMCall)
class LLMCallAdmin(ReadOnlyAdmin):
    list_display = ["purpose", "model", "outcome", "latency_ms", "started_at"]
    list_filter = ["purpose", "outcome"]


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    list_display = ["sequence", "kind", "subject_id", "hash", "created_at"]
    list_filter = ["kind"]
