"""Sign people out whose session is over; a question they send then is kept until they have signed in again (W8)."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext

from accounts.models import User
from accounts.sessions import ENDED, end_of, has_begun, is_signed_in, note_activity
from chat.page.kept import keep_late_question
from docintel_site.http.problems import problem

ASKING = {"chat:home", "chat:conversation"}


class SessionEnds(MiddlewareMixin):
    """End a session before anything is done in its name; note activity, which polls and streams are not."""

    def process_request(self, request: HttpRequest) -> None:
        if not is_signed_in(request.session) or not isinstance(request.user, User):
            return
        if end := end_of(request.session, request.user):
            request.ended_of = request.user.pk  # type: ignore[attr-defined]
            logout(request)
            request.session[ENDED] = end  # for the sign-in page
        elif not is_by_itself(request):
            note_activity(request.session)

    def process_view(self, request: HttpRequest, view: Callable[..., Any], *_: Any) -> HttpResponse | None:
        """Keep a question, which Django's own middleware then answers with the sign-in page."""
        if request.user.is_authenticated or not getattr(view, "login_required", True):
            return None
        person, match = getattr(request, "ended_of", None), request.resolver_match
        if person and request.method == "POST" and match is not None and match.view_name in ASKING:
            keep_late_question(request, person)
        if "HX-Request" in request.headers or is_by_itself(request):
            # In a part of another page the sign-in page has no place; `static/site.js` loads it.
            words = gettext("You are signed out. A question you have typed is kept when you send it.")
            return problem(HTTPStatus.UNAUTHORIZED, "signed_out", words)
        return None

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        # Somebody may have signed in by this request. Where no session was looked at, none is read for this.
        session = request.session
        if session.accessed and is_signed_in(session) and not has_begun(session):
            note_activity(session)
        return response


def is_by_itself(request: HttpRequest) -> bool:
    """Whether a page asks without anybody doing anything: a stream, or a poll, of which `static/site.js` says so."""
    is_stream = request.headers.get("Accept") == "text/event-stream"
    return request.method in ("GET", "HEAD") and (is_stream or "X-By-Itself" in request.headers)
