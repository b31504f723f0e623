"""Formulas in every text that people give, and every CSV that goes out read back as a spreadsheet would."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any
from uuid import UUID

import requests

from benchmarks.survives.site import Person, Site, have_ended, wait_for
from benchmarks.survives.verdicts import Verdict, verdict_of
from documents.tests.test_spreadsheet import FORMULAS, SEPARATORS, cells_of, is_computed

TABLES = ("lines", "toc", "passages", "pages", "images", "objects", "references")
HOLDING = (
    "lines",
    "toc",
    "passages",
    "dictionary",
    "rules of reading",
    "runs",
    "documents",
    "extraction",
)  # text of people
BETWEEN = ("{}", "word;{}", "word\t{}", "word,{}")  # where a formula begins a cell with one of the separators
SHOWN = 5


def drill(site: Site) -> Iterator[Verdict]:
    base, person = site.new_base("=1+1 Sinks"), site.person()
    document = plant(person, base)
    texts = exports(site, person, base, document)
    formulas: list[tuple[str, str, str]] = []
    reached = {}
    for name, text in texts.items():
        reached[name] = sum(formula.strip() in restored(text) for formula in FORMULAS)
        for separator in SEPARATORS:
            formulas += [(name, separator, cell) for cell in cells_of(text, separator) if is_formula(cell)]
    counts: dict[str, Any] = {
        "exports": len(texts),
        "formulas in each": reached,
        "cells that compute": len(formulas),
        "such as": formulas[:SHOWN],
    }
    goal = f"{len(FORMULAS)} formulas, every CSV export, read with ',', ';' and tab: none computes"
    is_met = all(reached[name] for name in HOLDING)
    yield verdict_of("formulas in exports", goal, counts, "cells that compute", reached=is_met)


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet would compute a cell; a plain number with its sign is none."""
    try:
        float(cell)
    except ValueError:
        return is_computed(cell)
    return False


def restored(text: str) -> str:
    """The text without what writing it as CSV added."""
    from documents.spreadsheet import restore

    return "\n".join(restore(cell) for cell in cells_of(text, ","))


def planted() -> list[str]:
    """Every formula in every place, on one line each."""
    return [place.format(formula) for formula in FORMULAS for place in BETWEEN]


def plant(person: Person, base: UUID) -> str:
    """A document, questions, terms and fields that hold the formulas; the document's id."""
    from chat.models import Turn
    from documents.models import IngestJob

    content = "".join(f"# {text.strip()}\n\n{text.strip()} is what the table says.\n\n" for text in planted())
    outcome = person.upload(base, "=1+1.md", content.encode())
    document = str(outcome["document_id"])
    wait_for(lambda: have_ended(IngestJob.objects.filter(document__base=base)))
    person.send("PATCH", f"/api/v1/documents/{document}", json={"title": f"{FORMULAS[0]} @SUM(A1)"})
    for formula in FORMULAS:
        person.ask(f"{formula} is what the table says?", knowledge_base_id=base)
        row = {"concept": f"{formula} concept", "term": f"{formula} term"}
        person.send("POST", f"/api/v1/bases/{base}/dictionary", json={"rows": [row]})
    rows = [{"kind": "asks", "name": "policy_number", "text": "@x"}]
    rules = {"rows": rows, "why": "=1+1", "seen": 0}
    person.send("PUT", f"/api/v1/bases/{base}/reading-rules", json=rules)
    wait_for(lambda: have_ended(Turn.objects.filter(conversation__base=base)))
    return document


def exports(site: Site, person: Person, base: UUID, document: str) -> dict[str, str]:
    """The text of every CSV export, by a name of ours."""
    from chat.models import Extraction, Turn

    fields = [{"name": f"{formula} {n}", "question": f"{formula} says what?"} for n, formula in enumerate(FORMULAS)]
    reply = person.insist("POST", "/api/v1/extract", json={"knowledge_base_id": str(base), "fields": fields})
    extraction = str(reply.json()["extraction_id"])
    wait_for(lambda: have_ended(Extraction.objects.filter(pk=extraction)))
    run = Turn.objects.filter(conversation__base=base, run__isnull=False)[0].run_id
    of_programs = {name: f"/api/v1/documents/{document}/{name}?format=csv" for name in TABLES}
    of_programs |= {
        "dictionary of the API": f"/api/v1/bases/{base}/dictionary?format=csv",
        "extraction": f"/api/v1/extractions/{extraction}?format=csv",
    }
    of_pages = {
        "runs": "/audit/export.csv",
        "documents": f"/audit/runs/{run}/documents.csv",
        "dictionary": f"/bases/{base}/dictionary/dictionary.csv",
        "rules of reading": f"/bases/{base}/reading-rules/reading-rules.csv",
        "extraction of the page": f"/ask/fields/{extraction}/export.csv",
    }
    browser = signed_in(site)
    replies = {name: person.send("GET", path) for name, path in of_programs.items()}
    replies |= {name: browser.get(site.address + path, timeout=60) for name, path in of_pages.items()}
    browser.close()
    told = {}
    for name, reply in replies.items():
        assert reply.ok and reply.headers["Content-Type"].startswith("text/csv"), (name, reply.status_code)
        told[name] = reply.content.decode("utf-8-sig")
    return told


def signed_in(site: Site, user: Any = None) -> requests.Session:
    """A browser of somebody who has signed in; without a user, of the owner."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

    user = user or site.owner
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY], session[HASH_SESSION_KEY] = str(user.pk), user.get_session_auth_hash()
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session.save()
    browser = requests.Session()
    browser.cookies.set("sessionid", session.session_key, domain="127.0.0.1")
    return browser
