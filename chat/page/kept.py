"""A question that was sent when its session was over (H18): kept until the same person has signed in again."""

from typing import Any

from django.http import HttpRequest, QueryDict

from chat.page.forms import NARROWING

KEPT = "kept_question"
QUESTION_MAX, FIELD_MAX, DOCUMENTS_MAX = 10_000, 2_000, 50  # more is in no form of ours


def sent_fields(sent: QueryDict) -> dict[str, Any]:
    fields: dict[str, Any] = {name: sent.get(name, "") for name in ("question", "scope", "mode", "edits", *NARROWING)}
    return fields | {"documents": sent.getlist("documents")}


def keep_late_question(request: HttpRequest, person: int) -> bool:
    """Keep what was sent beside the session of nobody; return whether there was a question."""
    fields = sent_fields(request.POST)
    fields["documents"] = fields["documents"][:DOCUMENTS_MAX]
    if not fields["question"].strip() or len(fields["question"]) > QUESTION_MAX:
        return False
    short = {name: value[:FIELD_MAX] for name, value in fields.items() if name not in ("question", "documents")}
    request.session[KEPT] = {"person": person, "path": request.path, "fields": fields | short}
    return True


def take_late_question(request: HttpRequest) -> dict[str, Any]:
    """The fields of a question that was kept for this page and person; another person's is dropped."""
    kept = request.session.get(KEPT)
    if kept is None or (kept["person"] == request.user.pk and kept["path"] != request.path):
        return {}
    del request.session[KEPT]
    fields: dict[str, Any] = kept["fields"]
    return fields if kept["person"] == request.user.pk else {}
