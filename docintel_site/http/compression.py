"""Pages travel compressed: a trail is mostly markup that repeats."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.gzip import GZipMiddleware

COMPRESSED = ("text/", "application/json", "application/problem+json")


class CompressPages(GZipMiddleware):
    """Compress whole pages and JSON; pictures and archives are compressed already, and events must not wait.

    Django adds random bytes and masks its tokens, so that the length of a page tells nothing of them (BREACH).
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        is_page = isinstance(response, HttpResponse) and response.headers.get("Content-Type", "").startswith(COMPRESSED)
        return super().process_response(request, response) if is_page else response
