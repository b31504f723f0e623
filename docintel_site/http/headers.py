"""Headers of every answer: what browsers may keep of it, and what its page may use."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

from docintel_site.http.asgi_types import Send

KEPT_NOWHERE = "no-store, private"
# Nothing of a browser's is used but what a page has anyway; the list names what could spy or cost.
UNUSED = (
    *("accelerometer", "autoplay", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer"),
    *("microphone", "midi", "payment", "publickey-credentials-get", "screen-wake-lock", "usb", "xr-spatial-tracking"),
)
PERMISSIONS = ", ".join(f"{feature}=()" for feature in UNUSED)
BARE_HEADERS = [
    (b"cache-control", KEPT_NOWHERE.encode()),
    (b"permissions-policy", PERMISSIONS.encode()),
    (b"x-content-type-options", b"nosniff"),
]
STATIC_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"  # pictures have styles inside


class Headers(MiddlewareMixin):
    """Add what a response does not say itself; page images and static files say how long they are kept."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        response.headers.setdefault("Cache-Control", KEPT_NOWHERE)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        return response


async def send_bare(send: Send, status: HTTPStatus, media_type: str, body: bytes) -> None:
    """Give an answer without Django."""
    headers = [(b"content-type", media_type.encode()), (b"content-length", str(len(body)).encode()), *BARE_HEADERS]
    await send({"type": "http.response.start", "status": status.value, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def add_static_headers(headers: dict[str, str], path: str, url: str) -> None:
    """For WhiteNoise, which answers before the content security policy is added."""
    headers["Content-Security-Policy"] = STATIC_POLICY
