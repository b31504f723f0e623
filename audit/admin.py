"""Records in the admin."""

from django.contrib import admin

from chat.models import Answer, Citation
from ledger.models import Entry
from llm.models import LLMCall
from retrieval.models import RetrievalRun, RunCandidate

admin.site.register(
    RetrievalRun,
    list_display=["question", "status", "arbiter", "base_name", "asked_by_name", "created_at"],
    list_filter=["status", "arbiter"],
)
admin.site.register(
    RunCandidate,
    list_display=["candidate_id", "run", "role", "reason", "document_title"],
    list_select_related=["run"],
    list_filter=["role"],
)
admin.site.register(Answer, list_display=["text", "kind", "ended", "created_at"])
admin.site.register(Citation, list_display=["marker", "quote", "page"])
admin.site.register(
    LLMCall,
    list_display=["purpose", "model", "outcome", "latency_ms", "started_at"],
    list_filter=["purpose", "outcome"],
)
admin.site.register(Entry, list_display=["sequence", "kind", "subject_id", "hash", "created_at"], list_filter=["kind"])
