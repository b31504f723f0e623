"""Scripts in every text that people, documents and a model give, opened in a browser wherever it is shown."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from uuid import UUID

import requests
from markdown_it import MarkdownIt

from benchmarks.survives.packs import pack_of
from benchmarks.survives.sinks import signed_in
from benchmarks.survives.site import Person, Site, have_ended, wait_for
from benchmarks.survives.verdicts import Verdict, verdict_of

GOAL = "payloads in every text that is shown: 0 dialogs, 0 scripts, 0 requests elsewhere"
# CALL is replaced by a script that asks the canary, URL by its address.
PAYLOADS = (
    "<script>CALL</script>",
    "<img src=x onerror=CALL>",
    "<svg onload=CALL>",
    "<svg/onload=CALL>",
    "<svg><script>CALL</script></svg>",
    "<math><mtext><script>CALL</script>",
    "<<script>CALL//<</script>",
    '"><script>CALL</script>',
    "'><img src=x onerror=CALL>",
    '" autofocus tabindex=1 onfocus=CALL x="',
    "' autofocus tabindex=1 onfocus=CALL x='",
    "</title><script>CALL</script>",
    "</textarea><script>CALL</script>",
    "</script><script>CALL</script>",
    "</style><img src=x onerror=CALL>",
    "--><script>CALL</script>",
    '<iframe srcdoc="<script>CALL</script>">',
    '<iframe src="javascript:CALL">',
    "<iframe src=URL></iframe>",
    "<img src=URL>",
    "<link rel=stylesheet href=URL>",
    "<style>@import 'URL'</style>",
    "<object data=URL></object>",
    "<embed src=URL>",
    "<video src=URL autoplay></video>",
    "<details open ontoggle=CALL>x</details>",
    "<input autofocus onfocus=CALL>",
    "<body onload=CALL>",
    "<script src=URL></script>",
    "![x](URL) [y](javascript:CALL)",
)
CALL = "fetch('{url}'),alert(1)"
# Where people, documents and a model put them, and how many characters there is room for.
SINKS = {"title": 300, "file": 200, "heading": 300, "text": 3000, "base": 120, "person": 120, "value": 200, "word": 120}
SINKS |= {"question": 3500, "answer": 3500, "comment": 1900, "reason": 3900}
TRIES = 3  # where a full machine keeps the model waiting, its text is left out
SLOWEST_MS = 120_000
# An element that could only have come out of a payload.
BROKEN_OUT = """canary => [...document.querySelectorAll("*")].filter(element => {
  const of = name => element.getAttribute(name) || "";
  const leads = ["src", "href", "action", "data"].some(name => {
    try { const url = new URL(of(name), "http://nowhere.test");
          return url.host === canary || url.protocol === "javascript:"; } catch { return false; }
  });
  const acts = [...element.attributes].some(({ name, value }) => name.startsWith("on") && value.includes("alert(1)"));
  const holds = (element.tagName === "STYLE" || element.tagName === "SCRIPT" && !of("type").includes("json"))
    && /alert\\(1\\)|import '/.test(element.textContent);
  return leads || acts || holds || of("srcdoc").includes("alert(1)");
}).length"""


class Canary:
    """A server that nobody should ask; it counts who does."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.server.server_port}"

    @contextmanager
    def listening(self) -> Iterator[None]:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        try:
            yield
        finally:
            self.server.shutdown()
            self.server.server_close()

    def payload(self, number: int, sink: str = "") -> str:
        """A payload, and behind it a word by which it is known where it is shown."""
        url = f"http://{self.host}/"
        calls = PAYLOADS[number].replace("CALL", CALL.format(url=url)).replace("URL", url)
        return f"{calls} {sink}-{number}-"


class Opened(NamedTuple):
    """Something to open: an address of the site, with the session of who opens it, a file, or a text that is a page."""

    address: str
    session: str = ""
    html: str = ""


class Planted:
    """A share of the payloads in a base, a document, a question and its answer, all of their own."""

    def __init__(self, site: Site, canary: Canary, numbers: list[int], folder: Path) -> None:
        self.site, self.canary, self.numbers, self.folder = site, canary, numbers, folder

    def fit(self, sink: str, numbers: list[int] | None = None) -> str:
        """As many payloads of the share as there is room for, one after the other."""
        told = ""
        for number in numbers or self.numbers:
            payload = self.canary.payload(number, sink)
            if len(told) + len(payload) < SINKS[sink]:
                told += f"{payload} "
        return told.strip()

    def pages(self) -> list[Opened]:
        """Put the payloads everywhere, by the ways people have; return what shows them."""
        base = self.site.new_base(self.fit("base"))
        owner = self.site.person()
        user = self.site.new_member(base, f"{len(self.site.people)}@example.org", "viewer")
        user.name = self.fit("person")
        user.save()
        document = self.document(owner, base)
        turn = self.asked(self.site.person(user), owner, base)
        pack = self.folder / f"{turn.run_id}.html"
        files = pack_of(owner, str(turn.run_id))
        pack.write_bytes(files["report.html"])
        (self.folder / "report.css").write_bytes(files["report.css"])
        asked, trail = f"/ask/{turn.conversation_id}/", f"/audit/runs/{turn.run_id}/"
        of_base = [f"/bases/{base}/{name}" for name in ("", "members/", "fields/", "dictionary/", "settings/")]
        of_document = [f"/documents/{document}/", f"/bases/{base}/search/?q=clause"]
        lists = ["/bases/", "/audit/", "/audit/queue/", "/ask/"]
        of_reader = [asked, "/ask/", f"/documents/{document}/"]
        with signed_in(self.site) as session, signed_in(self.site, user) as reader:
            pages = self.by(session, [*of_base, *of_document, trail, *lists]) + self.by(reader, of_reader)
            markdown = taken(reader.get(f"{self.site.address}{asked}export.md", timeout=60)).text
        exported = MarkdownIt("commonmark", {"html": True}).render(markdown)
        return [*pages, Opened(pack.as_uri()), Opened("", html=exported)]

    def by(self, session: requests.Session, addresses: list[str]) -> list[Opened]:
        return [Opened(self.site.address + address, str(session.cookies["sessionid"])) for address in addresses]

    def document(self, owner: Person, base: UUID) -> str:
        from documents.models import IngestJob

        sections = [
            f"# {self.canary.payload(number, 'heading')}\n\n{self.sentence(number)}\n\n" for number in self.numbers
        ]
        # A name has no slash.
        plain = [number for number in self.numbers if "/" not in PAYLOADS[number].replace("CALL", "")]
        name = f"{self.fit('file', plain) if plain else 'clauses'}.md".replace("/", "")
        outcome = owner.upload(base, name, "".join(sections).encode())
        document = str(outcome["document_id"])
        wait_for(lambda: have_ended(IngestJob.objects.filter(document__base=base)))
        metadata = []
        for number in self.numbers:
            field = {"name": f"Field {number}", "kind": "text"}
            known = taken(owner.send("POST", f"/api/v1/bases/{base}/fields", json=field)).json()
            [made] = [each["id"] for each in known if each["name"] == field["name"]]
            metadata.append({"field": made, "value": self.canary.payload(number, "value")})
        words = [self.canary.payload(number, "word") for number in self.numbers]
        rows = [{"concept": word, "term": word} for word in words]
        taken(owner.send("POST", f"/api/v1/bases/{base}/dictionary", json={"rows": rows}))
        change = {"title": self.fit("title"), "metadata": metadata}
        taken(owner.send("PATCH", f"/api/v1/documents/{document}", json=change))
        return document

    def sentence(self, number: int) -> str:
        return f"The clause says that {self.canary.payload(number, 'text')} is so."

    def asked(self, reader: Person, owner: Person, base: UUID) -> Any:
        """A turn with a written answer, a comment and a review."""
        written = [f"{self.sentence(number).replace('text-', 'answer-')[:-1]} [1]." for number in self.numbers]
        for _ in range(TRIES):
            self.site.model.written = ["\n\n".join(written)]
            question = f"What does the clause say of {self.fit('question')}?"
            turn = answered(reader.ask(question, knowledge_base_id=base))
            if turn.answer.kind == "generated":
                break
        comment = {"kind": "incomplete", "comment": self.fit("comment")}
        taken(reader.send("POST", f"/api/v1/turns/{turn.pk}/feedback", json=comment))
        opinion = {"outcome": "wrong", "reason": self.fit("reason")}
        taken(owner.send("POST", f"/api/v1/runs/{turn.run_id}/reviews", json=opinion))
        return turn


def answered(turn_id: str) -> Any:
    """The turn once it has ended."""
    from chat.models import Turn

    turns = Turn.objects.filter(pk=turn_id)
    wait_for(lambda: have_ended(turns))
    return turns.select_related("answer").get()


def taken(reply: Any) -> Any:
    assert reply.ok, (reply.url, reply.status_code, reply.text[:300])
    return reply


class Watched:
    """A page of a browser, and what the payloads in it did."""

    def __init__(self, context: Any, site: Site, canary: Canary) -> None:
        self.canary, self.site = canary, site
        self.dialogs: list[str] = []
        self.elsewhere: list[str] = []
        self.broken_out: list[str] = []
        self.reached: dict[str, set[str]] = {sink: set() for sink in SINKS}
        self.refused: list[str] = []
        self.opened = 0
        self.context, self.page = context, context.new_page()
        self.page.on("dialog", self.note_dialog)
        self.page.on("request", self.note_request)

    def note_dialog(self, dialog: Any) -> None:
        self.dialogs.append(self.page.url)
        dialog.dismiss()

    def note_request(self, request: Any) -> None:
        if not request.url.startswith((f"{self.site.address}/", "file:", "data:", "blob:", "about:")):
            self.elsewhere.append(f"{request.url} in {self.page.url}")

    def open(self, what: Opened) -> None:
        if what.html:
            self.page.set_content(what.html, wait_until="load")
        else:
            if what.session:
                cookie = {"name": "sessionid", "value": what.session, "url": self.site.address}
                self.context.add_cookies([cookie])
            reply = self.page.goto(what.address, wait_until="load", timeout=SLOWEST_MS)
            self.refused += [] if reply is None or reply.ok else [what.address]
        content = self.page.content()
        for sink, number in re.findall(rf"\b({'|'.join(SINKS)})-(\d+)-", content.replace("\\", "")):
            self.reached[sink].add(number)
        if found := self.page.evaluate(BROKEN_OUT, self.canary.host):
            self.broken_out.append(f"{found} in {what.address or 'exported Markdown'}")
        self.opened += 1


def drill(site: Site, rounds: int) -> Iterator[Verdict]:
    """Each round has a share of the payloads; with as many rounds as payloads every one stands alone everywhere."""
    goal = f"{len(PAYLOADS)} {GOAL}"
    try:
        from tests.browsers import chromium
    except ImportError:
        yield Verdict("scripts in texts", goal, "not tried: the package playwright is not installed", None)
        return
    if chromium() is None:
        yield Verdict("scripts in texts", goal, "not tried: Chromium is not installed", None)
        return
    canary = Canary()
    with canary.listening(), TemporaryDirectory() as folder:
        shares = [list(range(len(PAYLOADS)))[first::rounds] for first in range(rounds)]
        try:
            pages = [page for share in shares for page in Planted(site, canary, share, Path(folder)).pages()]
        finally:
            site.model.written = []
        yield opened(site, canary, pages, goal)


def opened(site: Site, canary: Canary, pages: list[Opened], goal: str) -> Verdict:
    from playwright.sync_api import sync_playwright

    from tests.browsers import CHROMIUM_FLAGS, chromium

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_FLAGS)
        context = browser.new_context()
        bare = Watched(context, site, canary)
        unguarded = sum(strikes(bare, canary.payload(number)) for number in range(len(PAYLOADS)))
        canary.asked.clear()
        seen = Watched(context, site, canary)
        for page in dict.fromkeys(pages):
            seen.open(page)
        browser.close()
    counts: dict[str, Any] = {
        "that act where nothing guards": unguarded,
        "pages": seen.opened,
        "shown": {sink: len(found) for sink, found in seen.reached.items()},
        "not opened": seen.refused,
        "dialogs": len(seen.dialogs),
        "elements of theirs": seen.broken_out,
        "requests elsewhere": seen.elsewhere + canary.asked,
    }
    none = ("not opened", "dialogs", "elements of theirs", "requests elsewhere")
    is_met = all(seen.reached.values()) and unguarded == len(PAYLOADS)
    return verdict_of("scripts in texts", goal, counts, *none, reached=is_met)


def strikes(bare: Watched, payload: str) -> bool:
    """Whether a payload does anything in a page that shows it as it is: as text, in attributes, as Markdown."""

    def seen() -> tuple[int, ...]:
        return len(bare.dialogs), len(bare.broken_out), len(bare.elsewhere)

    before = seen()
    shown = [f"<p>{payload}</p>", f'<input value="{payload}">', f"<input value='{payload}'>"]
    shown.append(MarkdownIt("commonmark", {"html": True}).render(payload))
    for html in shown:
        bare.open(Opened("", html=f"<!doctype html><title>Bare</title>{html}"))
        if seen() != before:
            return True
    return False
