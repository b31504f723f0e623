"""A document made to be slow, in one person's base, stops nobody's questions in another."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pymupdf
import pytest
import requests

from tests.running import ROOT, Running, fresh_home, manage, started
from tests.test_api import make_token

DIGITS = 60_000
SLOW_QUESTIONS = [
    "What percentage is the fee?",
    "What is the contact email?",
    "What amount is the fee?",
    "At what rate per day?",
]
ANSWER_S = 45  # of an ordinary question while the slow ones are asked; alone it takes a second or two


def write_slow_pdf(path: Path) -> Path:
    """One page with lines of tens of thousands of signs, small enough to lie on the page."""
    document = pymupdf.open()
    page = document.new_page(width=14_000, height=800)
    for number, text in enumerate(
        [f"fee {'1' * DIGITS}", f"contact email {'a' * DIGITS}", f"fee rate day {'1,' * (DIGITS // 2)}"]
    ):
        page.insert_text((10, 100 + 100 * number), text, fontsize=0.35)
    document.save(path)
    return path


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with fresh_home() as home, started(home) as instance:
        yield instance


def test_another_base_is_answered_meanwhile(running: Running, tmp_path: Path) -> None:
    token = make_token(running)
    slow, plain = write_slow_pdf(tmp_path / "slow.pdf"), ROOT / "samples" / "information-security-policy.md"
    for base, path in (("Slow", slow), ("Plain", plain)):
        taken = manage(running.environment, "ingest", str(path), "--base", base, "--user", "ada@example.org")
        assert taken.returncode == 0, taken.stderr
    api = f"http://127.0.0.1:{running.port}/api/v1"
    head = {"Authorization": f"Bearer {token}"}
    bases = {
        base["name"]: base["id"] for base in requests.get(f"{api}/bases", headers=head, timeout=30).json()["results"]
    }

    def ask(base: str, question: str) -> tuple[dict[str, object], float]:
        began = time.monotonic()
        asked = {"message": question, "knowledge_base_id": bases[base]}
        reply = requests.post(f"{api}/chat", json=asked, headers=head, timeout=120)
        return reply.json(), time.monotonic() - began

    with ThreadPoolExecutor(8) as pool:
        slow_turns = [pool.submit(ask, "Slow", question) for question in SLOW_QUESTIONS]
        turn, seconds = ask("Plain", "How often are passwords changed?")
        assert turn["state"] == "done" and seconds < ANSWER_S
        ended = [each.result()[0] for each in slow_turns]
    assert [turn["state"] for turn in ended] == ["done"] * len(SLOW_QUESTIONS), [turn["error"] for turn in ended]
