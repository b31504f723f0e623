"""A pack of evidence as the site hands it out, forged in many ways, and judged by the script that lies in it."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from benchmarks.forging import BAD, CONSISTENT, FORGERIES, OK, Files, Forger, check, read, write
from benchmarks.survives.sinks import signed_in
from benchmarks.survives.site import Person, Site, have_ended, wait_for
from benchmarks.survives.sources import questions
from benchmarks.survives.verdicts import Verdict, verdict_of

FOUND_BY_ITSELF = (
    "report replaced",
    "report replaced, manifest made to fit",
    "report replaced, record of the pack made to fit",
    "answer left out",
    "run changed",
    "answer changed",
    "entry dropped from the middle",
    "two entries swapped and numbered anew",
    "entry of another run put first",
    "review of another run",
    "page image replaced",
    "chain cut before the record of the pack",
)
# The whole chain is computed anew: without a head that somebody kept it looks like one that was invented or like none.
FOUND_BY_A_HEAD = ("report replaced, chain made to fit", "invented from beginning to end")


def drill(site: Site) -> Iterator[Verdict]:
    with TemporaryDirectory() as folder:
        yield judged(forger(site, Path(folder)), Path(folder))


def judged(forged: Forger, folder: Path) -> Verdict:
    script, pack = folder / "verify.py", folder / "pack.zip"
    script.write_bytes(forged.files["verify.py"])
    found: dict[str, tuple[int, int]] = {}
    for name in ("", *FOUND_BY_ITSELF, *FOUND_BY_A_HEAD):
        write(pack, FORGERIES[name][0](forged) if name else forged.files)
        found[name] = check(script, pack, "--head", forged.heads)[0], check(script, pack)[0]
    genuine = found.pop("")
    counts: dict[str, Any] = {
        "kinds": len(FOUND_BY_ITSELF),
        "found with a head": sum(found[name][0] == BAD for name in FOUND_BY_ITSELF),
        "found without": sum(found[name][1] == BAD for name in FOUND_BY_ITSELF),
        "chain invented": len(FOUND_BY_A_HEAD),
        "found by the head": sum(found[name] == (BAD, CONSISTENT) for name in FOUND_BY_A_HEAD),
        "missed": [name for name in FOUND_BY_ITSELF if found[name] != (BAD, BAD)]
        + [name for name in FOUND_BY_A_HEAD if found[name] != (BAD, CONSISTENT)],
        "genuine": {OK: "OK with the head"}.get(genuine[0], f"{genuine}"),
    }
    goal = (
        f"{len(FOUND_BY_ITSELF)} kinds of forged packs found with and without a head, "
        f"{len(FOUND_BY_A_HEAD)} with an invented chain by the head; the genuine one passes"
    )
    return verdict_of("forged packs", goal, counts, "missed", reached=genuine == (OK, CONSISTENT))


def forger(site: Site, folder: Path) -> Forger:
    """The packs of two runs and the heads, all as the site gives them."""
    from audit.keeping.tasks import export_head

    person, (earlier, run) = asked_and_reviewed(site, "Packs")
    pack, other = pack_of(person, run), pack_of(person, earlier)
    export_head()  # as each hour does
    heads = folder / "heads.jsonl"
    with signed_in(site) as browser:
        heads.write_bytes(browser.get(f"{site.address}/audit/verify/heads.jsonl", timeout=60).content)
    return Forger(pack, heads, other)


def asked_and_reviewed(site: Site, name: str) -> tuple[Person, list[str]]:
    """Somebody who may have packs of a new base, and its two runs, both reviewed."""
    base, person = site.new_base(name), site.person()
    # Nobody reviews what they have asked.
    asker = site.person(site.new_member(base, f"{len(site.people)}@example.org", "viewer"))
    person.fill(base, 1)
    return person, [reviewed(asker, person, base, question) for question in questions(2)]


def reviewed(asker: Person, person: Person, base: UUID, question: str) -> str:
    """The run of a question that was answered and reviewed."""
    from chat.models import Turn

    turns = Turn.objects.filter(pk=asker.ask(question, knowledge_base_id=base))
    wait_for(lambda: have_ended(turns))
    run = str(turns.get().run_id)
    said = person.send("POST", f"/api/v1/runs/{run}/reviews", json={"outcome": "agree", "reason": "It says so."})
    assert said.ok, said.text
    return run


def pack_of(person: Person, run: str) -> Files:
    reply = person.insist("GET", f"/api/v1/runs/{run}/evidence")
    assert reply.ok, reply.text
    return read(reply.content)
