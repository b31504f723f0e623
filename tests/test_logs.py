"""No log of a running DocIntel holds a token, a question or a word somebody searched for."""

import json
import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import requests
import yaml
from django.conf import settings

from docintel_site.backups.programs import address_of
from embedded import postgres
from launch.children import commands
from tests.running import CSRF, PATIENCE_S, ROOT, Running, environment, manage, new_person, web_server

FORM_ID = "6b7a7a4e-60a5-4c1f-8f3e-9f6d2c1b0a99"


@dataclass
class Visit:
    """Somebody at the site, and every secret that was in an address or a body."""

    address: str
    secrets: list[str] = field(default_factory=list)
    asked_by: str = ""  # the id of the request that asked as a person
    session: requests.Session = field(default_factory=requests.Session)

    def secret(self) -> str:
        """A word that occurs nowhere else."""
        self.secrets.append(f"canary{len(self.secrets):03}{os.urandom(4).hex()}")
        return self.secrets[-1]

    def get(self, path: str, **options: object) -> requests.Response:
        return self.session.get(f"{self.address}{path}", allow_redirects=False, **options)  # type: ignore[arg-type]

    def post(self, form: str, path: str = "", **values: object) -> requests.Response:
        """Send a form of a page, to where it goes or to the page itself."""
        token = CSRF.search(self.get(form).text)
        assert token is not None, form
        data = {"csrfmiddlewaretoken": token[1], **values}
        return self.session.post(f"{self.address}{path or form}", data=data, allow_redirects=False)


@pytest.fixture(scope="module")
def visit(running: Running) -> Visit:
    """Everything with a secret in it, asked of a real server: what works, what is refused and what is not there."""
    visit = Visit(running.address)
    arrive(visit, running)
    base = visit.post("/bases/", name="Suppliers").headers["Location"]
    look_around(visit, base)
    be_refused(visit, base)
    ask(visit, base.removeprefix("/bases/").strip("/"))
    return visit


def arrive(visit: Visit, running: Running) -> None:
    """Somebody signs in, finds the first owner's link used, and makes one for somebody else."""
    person = new_person(running, "visitor@example.org")
    welcome = running.welcome.removeprefix(running.address)
    visit.secrets += [person.token, welcome.split("/")[2]]
    form = {"login": person.email, "password": person.password}
    assert visit.post("/accounts/login/", **form).status_code == 302
    assert visit.get(welcome).status_code == 404
    made = visit.post("/people/", email="bo@example.org", name="Bo").text
    invitation = re.search(r"/invitation/([^/\"<]+)/", made)
    assert invitation is not None, made
    visit.secrets.append(invitation[1])
    assert visit.get(invitation[0]).status_code == 200


def look_around(visit: Visit, base: str) -> None:
    """Addresses with a secret in the query or the path."""
    queries = (
        *(f"{base}?q=", f"{base}?page=", f"{base}dictionary/?q=", "/ask/?question=", "/ask/?find=", "/audit/?text="),
        *("/audit/export.csv?text=", "/nowhere/?q=", "/api/v1/bases?cursor=", "/accounts/login/?next=/x/"),
    )
    paths = ("/welcome/{}/", "/invitation/{}/", "/nowhere/{}/", "/accounts/password/reset/key/1-{}/", "/static/{}")
    for address in (*(query + visit.secret() for query in queries), *(path.format(visit.secret()) for path in paths)):
        assert visit.get(address).status_code < 500, address


def be_refused(visit: Visit, base: str) -> None:
    """By the method, for the missing token of a form, by the name of the host, for the size of the body."""
    refusals: list[tuple[int, str, dict[str, str]]] = [
        (405, f"{base}?q={visit.secret()}", {"X-CSRFToken": str(visit.session.cookies["csrftoken"])}),
        (403, f"/invitation/{visit.secret()}/", {}),
        (400, f"/invitation/{visit.secret()}/", {"Host": "elsewhere.example"}),
        (413, f"/invitation/{visit.secret()}/", {"Content-Length": "99999999999"}),
    ]
    for status, path, headers in refusals:
        request = visit.session.prepare_request(requests.Request("POST", visit.address + path))
        request.headers.update(headers)
        assert visit.session.send(request, allow_redirects=False, timeout=PATIENCE_S).status_code == status


def ask(visit: Visit, base: str) -> None:
    """Ask as a program and as a person, whose form arrives twice: the database refuses the second one."""
    made = visit.post("/accounts/tokens/", name="Client", scopes=["read", "write", "ask"], days="7").text
    [token] = set(re.findall(r"dit_[\w-]{30,}", made))
    visit.secrets.append(token)
    documents = f"{visit.address}/api/v1/bases/{base}/documents"
    bearer = {"Authorization": f"Bearer {token}"}
    file = {"files": ("policy.md", b"# Records\n\nThe records of a supplier are kept for six years.\n")}
    assert requests.post(documents, files=file, headers=bearer, timeout=PATIENCE_S).status_code == 201
    until = time.monotonic() + PATIENCE_S
    while not requests.get(documents, headers=bearer, timeout=PATIENCE_S).json()["results"][0]["parse"]:
        assert time.monotonic() < until, "the document was not read in time"
        time.sleep(0.2)
    for secret, status in ((token, 200), (visit.secret(), 401)):
        question = {"message": f"What of the records of {visit.secret()}?", "knowledge_base_id": base}
        headers = {"Authorization": f"Bearer {secret}"}
        asked = requests.post(f"{visit.address}/api/v1/retrieve", json=question, headers=headers, timeout=PATIENCE_S)
        assert asked.status_code == status, asked.text
    form = {"question": f"And what of {visit.secret()}?", "scope": f"base:{base}", "mode": "fast", "form_id": FORM_ID}
    first, second = (visit.post("/ask/", **form) for _ in range(2))
    assert (first.status_code, second.status_code) == (302, 302), first.text
    assert first.headers["Location"] == second.headers["Location"]
    visit.asked_by = first.headers["X-Request-ID"]


def logs_of(running: Running) -> dict[str, str]:
    """What every process of an installation has written."""
    files = {file.name: file for file in (running.home / "logs").iterdir()}
    files |= {"postgres": postgres._root(running.home) / "log", "redis": running.home / "redis" / "log"}
    return {name: file.read_text(errors="replace") for name, file in files.items()}


def test_no_log_holds_a_token_a_question_or_a_search(running: Running, visit: Visit) -> None:
    logs = logs_of(running)
    assert {"web.log", "ask.log", "ingest.log"} <= logs.keys()
    assert "duplicate key value" in logs["postgres"], "PostgreSQL told of the form that came twice"
    assert [(name, secret) for name, text in logs.items() for secret in visit.secrets if secret in text] == []


def test_a_question_has_one_id_in_the_web_and_in_the_worker(running: Running, visit: Visit) -> None:
    """The worker's lines name the request that asked, the turn and its run."""
    named = re.compile(rf"\[{visit.asked_by} turn=([\w-]{{36}})(?: run=([\w-]{{36}}))?\] (.*)$", re.MULTILINE)
    ended = f"[{visit.asked_by}] Task chat.tasks.answer_turn"
    running.wait_for(lambda: ended in logs_of(running)["ask.log"])
    logs = logs_of(running)
    [(turn, run, said)] = [line for line in named.findall(logs["ask.log"]) if "left after" in line[2]]
    assert run and said.startswith("turn left after")
    assert re.search(rf"\[{visit.asked_by} turn={turn}\] POST /ask/ 302", logs["web.log"])


def test_as_json_every_line_is_an_object_with_its_ids(tmp_path: Path) -> None:
    database, broker = settings.DATABASES["default"], settings.EVENTS_REDIS_URL
    own = environment(tmp_path) | {"DATABASE_URL": address_of(database), "REDIS_URL": broker}
    log = tmp_path / "web.log"
    with web_server(own | {"DOCINTEL_LOG_FORMAT": "json"}, log) as (address, _):
        answered = requests.get(f"{address}/healthz", timeout=PATIENCE_S)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    [told] = [line for line in lines if line["message"].startswith("GET /healthz 200")]
    assert told["request"] == answered.headers["X-Request-ID"] and told["level"] == "INFO"
    assert told["logger"] == "docintel_site.http.access_log" and told["time"].endswith("+00:00")
    refused = manage(own | {"DOCINTEL_LOG_FORMAT": "xml"}, "status")
    assert refused.returncode == 1 and "it must be one of line, json" in refused.stderr


def test_every_request_has_a_line_with_its_route(running: Running, visit: Visit) -> None:
    lines = re.findall(
        r"docintel_site\.http\.access_log \[\w{32}[^\]]*\] (\S+ .*) \d+ ms$", logs_of(running)["web.log"], re.MULTILINE
    )
    assert set(lines) >= {
        "GET /welcome/<str:token>/ 200",
        "POST /welcome/<str:token>/ 302",
        "GET /welcome/<str:token>/ 404",
        "GET /invitation/<str:token>/ 200",
        "GET (no such address) 404",
        "GET /static/ 404",
        "GET /ask/ 200",
        "POST /bases/<uuid:pk>/ 405",
        "POST /invitation/<str:token>/ 403",
        "POST /invitation/<str:token>/ 400",
        "POST /invitation/<str:token>/ 413",
        "POST /api/v1/retrieve 401",
    }


def test_an_answer_names_the_lines_of_its_request(running: Running, visit: Visit) -> None:
    answer = visit.get("/nowhere/", headers={"X-Request-ID": visit.secret()})
    found = answer.headers["X-Request-ID"]
    assert found in answer.text
    running.wait_for(lambda: f"[{found}] GET (no such address) 404" in logs_of(running)["web.log"])


def test_a_server_started_by_hand_keeps_quiet_too(running: Running) -> None:
    log = running.home / "by-hand.txt"
    with web_server(running.environment, log) as (address, _):
        assert requests.get(f"{address}/welcome/canary/?q=canary", timeout=PATIENCE_S).status_code == 404
    assert "GET /welcome/<str:token>/ 404" in log.read_text()
    assert "canary" not in log.read_text()


def test_uvicorn_is_told_to_keep_no_log_of_its_own() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["web"]
    assert "--no-access-log" in commands(8000)["web"]
    assert '"--no-access-log"' in (ROOT / "Dockerfile").read_text()
    assert "command" not in compose, "the web is what the image starts"
