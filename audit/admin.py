"""Records in the admin."""

from django.contrib import admin

from chat.models import Answer, Citation
from ledger.models import Entry
from llm.models import LLMCall
from retrieval.models import RetrievalRun, RunCandidate


@admin.register(RetrievalRun)
class RetrievalRunAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["question", "status", "arbiter", "base_name", "asked_by_name", "created_at"]
    list_filter = ["status", "arbiter"]


@admin.register(RunCandidate)
class RunCandidateAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["candidate_id", "run", "role", "reason", "document_title"]
    list_select_related = ["run"]
    list_filter = ["role"]


@admin.register(Answer)
class AnswerAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["text", "kind", "ended", "created_at"]


@admin.register(Citation)
class CitationAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["marker", "quote", "page"]


@admin.register(LLMCall)
class LLMCallAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["purpose", "model", "outcome", "latency_ms", "started_at"]
    list_filter = ["purpose", "outcome"]


@admin.register(Entry)
class EntryAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["sequence", "kind", "subject_id", "hash", "created_at"]
    list_filter = ["kind"]
