"""Headers of every answer: what browsers may keep of it, and what its page may use."""

from django.http import HttpRequest, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

KEPT_NOWHERE = "no-store, private"
# Nothing of a browser's is used but what a page has anyway; the list names what could spy or cost.
UNUSED = (
    *("accelerometer", "autoplay", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer"),
    *("microphone", "midi", "payment", "publickey-credentials-get", "screen-wake-lock", "usb", "xr-spatial-tracking"),
)
PERMISSIONS = ", ".join(f"{feature}=()" for feature in UNUSED)
# For answers that are given without Django.
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


def add_static_headers(headers: dict[str, str], path: str, url: str) -> None:
    """For WhiteNoise, which answers before the content security policy is added."""
    headers["Content-Security-Policy"] = STATIC_POLICY
