"""What a person saves: a response that the browser keeps as a file instead of showing it."""

from django.http import HttpResponse


def named_file(name: str) -> dict[str, str]:
    """The header that makes a response a file; its name is one of our own making, without quotation marks."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def attachment(content: bytes | str, name: str, media_type: str) -> HttpResponse:
    return HttpResponse(content, content_type=media_type, headers=named_file(name))
