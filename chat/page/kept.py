"""A question that was sent when its session was over (H18): kept until the same person has signed in again."""

from django.http import HttpRequest, QueryDict

from chat.page.forms import NARROWING

KEPT = "kept_question"
FIELD_MAX = 2_000  # more is in no form of ours
LONGER = {"question": 10_000, "documents": 50}
SentFields = dict[str, str | list[str]]  # of the form of a question, by name


def sent_fields(sent: QueryDict) -> SentFields:
    fields = {name: sent.get(name, "") for name in ("question", "scope", "mode", "edits", *NARROWING)}
    return {**fields, "documents": sent.getlist("documents")}


def keep_late_question(request: HttpRequest, person: int) -> bool:
    """Keep what was sent beside the session of nobody; return whether there was a question."""
    question = request.POST.get("question", "")
    if not question.strip() or len(question) > LONGER["question"]:
        return False
    fields = {name: value[: LONGER.get(name, FIELD_MAX)] for name, value in sent_fields(request.POST).items()}
    request.session[KEPT] = {"person": person, "path": request.path, "fields": fields}
    return True


def take_late_question(request: HttpRequest) -> SentFields:
    """The fields of a question that was kept for this page and person; another person's is dropped."""
    kept = request.session.get(KEPT)
    if kept is None or (kept["person"] == request.user.pk and kept["path"] != request.path):
        return {}
    del request.session[KEPT]
    fields: SentFields = kept["fields"]
    return fields if kept["person"] == request.user.pk else {}
