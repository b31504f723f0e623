"""Pages whose change became a proposal, or was refused as one: the person is told and led to where it waits."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.deprecation import MiddlewareMixin

from docintel_site.http.problems import handle, wants_json
from documents.access import AUDIT, role_in
from documents.guarding.guard import AlreadyProposed, ChangeProposed
from documents.models import KnowledgeBase


class ProposedChanges(MiddlewareMixin):
    """Answer for a view whose change waits for a golden check. The API's views answer by themselves."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        if not isinstance(exception, ChangeProposed | AlreadyProposed):
            return None
        if wants_json(request):
            return handle(exception, {})
        tell = messages.info if isinstance(exception, ChangeProposed) else messages.error
        tell(request, str(exception))
        return lead(request, exception.base)


def lead(request: HttpRequest, base: KnowledgeBase) -> HttpResponse:
    """To the proposed changes; editors, who may not see those, back to the dictionary they changed."""
    may_see = role_in(request.user, base) in AUDIT
    return redirect("audit:proposals" if may_see else "retrieval:dictionary", base.pk)
