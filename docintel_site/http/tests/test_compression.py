"""What travels compressed, and what does not."""

import gzip

import pytest
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.test import Client

from docintel_site.http.compression import CompressPages

pytestmark = pytest.mark.django_db

PAGE = "<p>Every candidate keeps its reason.</p>" * 40


def compressed(response: HttpResponseBase) -> bool:
    request = HttpRequest()
    request.META["HTTP_ACCEPT_ENCODING"] = "gzip, br"
    sent = CompressPages(lambda _: response).process_response(request, response)
    return sent.headers.get("Content-Encoding") == "gzip"


def test_a_page_says_the_same(client: Client) -> None:
    plain = client.get("/accounts/login/", headers={"Accept-Encoding": ""})
    small = client.get("/accounts/login/", headers={"Accept-Encoding": "gzip"})
    assert small.headers["Content-Encoding"] == "gzip" and "Accept-Encoding" in small.headers["Vary"]
    assert len(small.content) < len(plain.content) / 2
    assert b"<!doctype html>" in gzip.decompress(small.content)


def test_only_whole_pages_and_json_are_compressed() -> None:
    assert compressed(HttpResponse(PAGE)) and compressed(HttpResponse(PAGE, content_type="application/problem+json"))
    assert not compressed(HttpResponse(PAGE, content_type="image/webp"))
    nothing = HttpResponse(status=204)
    del nothing.headers["Content-Type"]
    assert not compressed(nothing)
    assert not compressed(HttpResponse(PAGE, content_type="application/zip"))
    assert not compressed(StreamingHttpResponse([PAGE], content_type="text/event-stream"))
    assert not compressed(StreamingHttpResponse([PAGE], content_type="text/csv"))
