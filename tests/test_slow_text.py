"""A document made to be slow, in one person's base, stops nobody's questions in another."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pymupdf
import requests

from tests.running import PATIENCE_S, ROOT, Running, manage, new_person

DIGITS = 60_000
SLOW_QUESTIONS = [
    "What percentage is the fee?",
    "What is the contact email?",
    "What amount is the fee?",
    "At what rate per day?",
]


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


def test_another_base_is_answered_meanwhile(running: Running, tmp_path: Path) -> None:
    person = new_person(running, "slow@example.org")
    slow, plain = write_slow_pdf(tmp_path / "slow.pdf"), ROOT / "samples" / "information-security-policy.md"
    for base, path in (("Slow", slow), ("Plain", plain)):
        taken = manage(running.environment, "ingest", str(path), "--base", base, "--user", person.email)
        assert taken.returncode == 0, taken.stderr
    api = f"{running.address}/api/v1"
    head = {"Authorization": f"Bearer {person.token}"}
    bases = {
        base["name"]: base["id"] for base in requests.get(f"{api}/bases", headers=head, timeout=60).json()["results"]
    }

    def ask(base: str, question: str) -> dict[str, object]:
        """The turn as it is when the server answers, or has waited long enough for it."""
        asked = {"message": question, "knowledge_base_id": bases[base]}
        reply = requests.post(f"{api}/chat", json=asked, headers=head, timeout=PATIENCE_S)
        turn: dict[str, object] = reply.json()
        return turn

    with ThreadPoolExecutor(8) as pool:
        slow_turns = [pool.submit(ask, "Slow", question) for question in SLOW_QUESTIONS]
        assert ask("Plain", "How often are passwords changed?")["state"] == "done"
        ended = [each.result() for each in slow_turns]
    assert [turn["state"] for turn in ended] == ["done"] * len(SLOW_QUESTIONS), [turn["error"] for turn in ended]
