"""A slice of the trial of the API against its description, without a server between."""

from pathlib import Path

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from pytest_django import Settings

from benchmarks import contract
from chat.turns import demo

# They wait for a worker, which the command has and this process has not, or answer with a file its client leaves open.
LEFT_OUT = frozenset({"chat", "retrieve", "follow_turn", "read_original", "read_evidence"})


@pytest.mark.django_db(transaction=True)
def test_the_api_keeps_to_its_description(monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT, settings.API_RATE, settings.ASK_RATE = tmp_path / "files", 1_000_000, 1_000_000
    settings.ALLOWED_HOSTS = ["localhost"]
    monkeypatch.setattr(demo, "SAMPLES", ("information-security-policy.md",))
    monkeypatch.setattr(demo, "ASKED_OF", "information-security-policy.md")
    known, secret = contract.lay()
    # A client without a server between unpacks nothing.
    headers = {"Authorization": f"Bearer {secret}", "Accept-Encoding": "identity"}
    schema = schemathesis.openapi.from_wsgi(contract.SCHEMA, get_wsgi_application(), headers=headers)
    figures = contract.trial(schema, known, 100, skip=LEFT_OUT, headers=headers).figures()
    assert figures["breaks"] == {} and figures["server_errors"] == 0
    assert figures["operations"] >= 24 and figures["cases"] >= 100
    assert {"200", "400", "404"} <= figures["statuses"].keys()


def test_a_break_is_noticed() -> None:
    described = {
        "openapi": "3.0.3",
        "info": {"title": "Trial", "version": "1"},
        "paths": {"/": {"get": {"operationId": "read", "responses": {"200": {"description": "Well."}}}}},
    }
    schema = schemathesis.openapi.from_dict(described)

    def broken(environ: object, start: object) -> list[bytes]:
        start("500 Internal Server Error", [("Content-Type", "text/plain")])  # type: ignore[operator]
        return [b"broken"]

    schema.app = broken
    figures = contract.trial(schema, {}, 2).figures()
    assert figures["server_errors"] == 2 and figures["schema_breaks"] >= 1
