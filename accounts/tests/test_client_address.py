"""Whose address counts: what our own proxies noted, and nothing that a client wrote itself."""

import pytest
from django.core.cache import cache
from django.test import Client, RequestFactory
from pytest_django import Settings

from accounts.adapter import UNKNOWN, AccountAdapter
from docintel_site.http.page_limits import client_address
from launch.children import commands
from tests.running import ROOT

PROXY, CLIENT, FORGED = "10.0.0.1", "203.0.113.7", "198.51.100.9"


@pytest.mark.parametrize(
    ("proxies", "noted", "address"),
    [
        (0, None, PROXY),
        (0, CLIENT, PROXY),
        (0, f"{FORGED}, {CLIENT}", PROXY),
        (1, CLIENT, CLIENT),
        (1, f"{FORGED}, {CLIENT}", CLIENT),
        (1, f"{FORGED},{FORGED},{CLIENT}", CLIENT),
        (1, None, PROXY),
        (1, "", PROXY),
        (1, "somebody", PROXY),
        (1, f"{FORGED}, ", PROXY),
        (1, "[2001:db8::7]:4711", "2001:db8::7"),
        (1, f"{CLIENT}:4711", CLIENT),
        (2, f"{CLIENT}, 10.0.0.2", CLIENT),
        (2, f"{FORGED}, {CLIENT}, 10.0.0.2", CLIENT),
        (2, FORGED, PROXY),  # it did not come by both: nothing of it is believed, and nothing breaks
        (2, None, PROXY),
    ],
)
def test_only_what_our_proxies_noted_is_believed(
    settings: Settings, proxies: int, noted: str | None, address: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    headers = {} if noted is None else {"X-Forwarded-For": noted}
    request = RequestFactory().get("/", REMOTE_ADDR=PROXY, headers=headers)
    assert AccountAdapter(request).get_client_ip(request) == client_address(request) == address


def test_a_unix_socket_has_no_address() -> None:
    assert client_address(RequestFactory().get("/", REMOTE_ADDR="")) == UNKNOWN


@pytest.mark.django_db
@pytest.mark.parametrize("proxies", [0, 1])
def test_a_forged_header_gives_no_further_attempts(settings: Settings, proxies: int) -> None:
    cache.clear()
    settings.TRUSTED_PROXIES, settings.LINK_RATE = proxies, 3
    codes = []
    for number in range(6):
        noted = f"198.51.100.{number}, {CLIENT}"
        codes.append(Client().get(f"/invitation/{number}/", headers={"X-Forwarded-For": noted}).status_code)
    assert codes == [404] * 3 + [429] * 3


@pytest.mark.django_db
def test_people_behind_a_proxy_do_not_count_as_one(settings: Settings) -> None:
    cache.clear()
    settings.TRUSTED_PROXIES, settings.LINK_RATE = 1, 1
    codes = [
        Client().get(f"/invitation/{number}/", headers={"X-Forwarded-For": f"198.51.100.{number}"}).status_code
        for number in range(4)
    ]
    assert codes == [404] * 4


def test_the_web_server_itself_believes_no_header() -> None:
    assert "--no-proxy-headers" in commands(8000)["web"]
    assert '"--no-proxy-headers"' in (ROOT / "Dockerfile").read_text()
