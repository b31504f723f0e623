"""The view that starts embedding a base again."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounts.requests import user_of
from documents import access
from documents.ingestion import reembedding
from documents.ingestion.tasks import start


@require_POST
def embed_again(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Compute the vectors of the model in the base's settings, in the background."""
    found = access.get_base(request.user, pk, *access.OWN)
    jobs = reembedding.begin_reembedding(found, user_of(request))
    for job in jobs:
        start(job)
    if jobs:
        told = ngettext("%(count)s document is being embedded.", "%(count)s documents are being embedded.", len(jobs))
        messages.success(request, told % {"count": len(jobs)})
    else:
        messages.info(request, _("There is nothing to embed: every document has the vectors this base wants."))
    return redirect("documents:settings", found.pk)
