"""The claim gate over HTTP: what its quotes do not say is written again once, then left out, and kept in the record."""

import json
from functools import partial
from typing import Any

import pytest

from chat import stream
from chat.answer_record import other_calls_of
from chat.conftest import Ask, Serve
from chat.figures.across import conflicts_in_sentences
from chat.models import Answer
from chat.page.stages import say_stage
from chat.turns.compose import NOT_BACKED
from chat.turns.conductor import answer_turn
from chat.turns.gating import MENDED, REWRITTEN, GatedDraft, WriterReply, pass_gate
from chat.writing.claims import FINDING_MAX, check_claims
from chat.writing.excerpts import Excerpt
from chat.writing.writer import StreamedReply
from documents.models import KnowledgeBase
from ledger.models import Entry
from llm.window import CHARACTERS_PER_TOKEN
from retrieval.record.ledger_forms import EXCHANGE
from tests.scripted_llm import ScriptedLLM

TEXT = "The rent is 12,500 euros a month. The tenant pays the rent by bank transfer."
EXCERPTS = [Excerpt(1, "Lease", "Rent", "1", TEXT, TEXT)]
WRONG, RIGHT = "The tenant need not pay by transfer [1].", "The rent is 12,500 euros a month [1]."
FAULT = {"need not pay": "the tenant pays the rent by bank transfer"}


def written(text: str) -> WriterReply:
    reply = StreamedReply([1])
    reply.feed(text)
    reply.finish()
    return WriterReply(reply, None)


def gate(first: str, second: str = "") -> tuple[GatedDraft, list[str]]:
    """The answer after the gate, and what the writer was told of its first draft."""
    told: list[str] = []

    def rewrite(findings: str) -> WriterReply:
        told.append(findings)
        return written(second)

    return pass_gate(written(first), EXCERPTS, rewrite, lambda sentences: {}), told


def asked(server: ScriptedLLM) -> list[str]:
    return [str(request.body["input"]) for request in server.requests]


def test_what_the_quotes_say_is_shown_as_it_was_written(serve: Serve) -> None:
    server = serve()
    gated, told = gate(f"{RIGHT} The tenant pays the rent by bank transfer [1].")
    assert gated.text == f"{RIGHT} The tenant pays the rent by bank transfer [1]." and not told and not gated.notes
    assert [(check["verdict"], check["problems"]) for check in gated.checks] == [("supported", [])] * 2
    assert len(server.requests) == len(gated.others) == 1
    assert '<sentence number="2" cites="1">The tenant pays the rent by bank transfer.</sentence>' in asked(server)[0]
    assert TEXT in asked(server)[0]


def test_in_a_narrow_window_sentences_are_checked_in_parts(serve: Serve) -> None:
    """No request of the check has more than 70 % of the window (R111), and each sentence has its verdict."""
    server = serve()
    server.told = {"max_model_len": 4096}
    long = [Excerpt(number, "Lease", "Rent", "1", TEXT * 40, TEXT * 40) for number in (1, 2)]
    sentences = [{"sentence": f"The rent is due, part {number}.", "markers": [number]} for number in (1, 2)]
    checked = check_claims(sentences, long)
    assert {number: each.verdict for number, each in checked.findings.items()} == {1: "supported", 2: "supported"}
    assert len(server.requests) == len(checked.exchanges) == 2
    assert all(len(json.dumps(each.body)) <= 0.7 * 4096 * CHARACTERS_PER_TOKEN for each in server.requests)


def test_a_draft_is_written_again_with_what_was_found(serve: Serve) -> None:
    server = serve()
    server.refused = FAULT
    gated, told = gate(f"{RIGHT} {WRONG}", RIGHT)
    assert "need not pay by transfer.”: contradicted. the tenant pays the rent by bank transfer" in told[0]
    assert RIGHT not in told[0] and gated.text == RIGHT and gated.notes == (REWRITTEN,)
    assert [(check["verdict"], check.get("left_out", False)) for check in gated.checks] == [
        ("supported", False),
        ("contradicted", True),
    ]
    assert len(gated.others) == 2, "two checks"


def test_what_is_refused_twice_is_left_out_and_counted(serve: Serve) -> None:
    serve().refused = FAULT
    gated, _ = gate(WRONG, f"- {RIGHT}\n- {WRONG}")
    assert gated.text == f"- {RIGHT}"
    assert gated.notes[1].startswith("1 sentence the model wrote is left out")
    assert sum(bool(check.get("left_out")) for check in gated.checks) == 2


@pytest.mark.parametrize("second", ["NOT FOUND: nothing is said of it.", "No marker at all.", ""])
def test_a_second_draft_that_cannot_be_used_leaves_the_first_cut(serve: Serve, second: str) -> None:
    serve().refused = FAULT
    gated, _ = gate(f"{RIGHT} {WRONG}", second)
    assert gated.text == RIGHT


def test_a_check_that_fails_is_said(serve: Serve) -> None:
    serve("prose")
    gated, told = gate(WRONG)
    assert gated.text == WRONG and not told
    assert gated.notes[0].startswith("The sentences could not be checked against what they cite: ")


def test_a_sentence_nobody_spoke_of_is_not_vouched_for(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve()
    monkeypatch.setattr(server, "check", lambda prompt: {"claims": [{"number": 9, "verdict": "supported"}]})
    gated, _ = gate(RIGHT)
    assert gated.text == "" and gated.checks[0]["finding"] == "the check said nothing of it"


def test_a_finding_is_kept_on_one_line_without_control_characters(serve: Serve) -> None:
    serve().refused = {"need not pay": "it\x00 pays\n" + "by transfer " * 100}
    gated, _ = gate(WRONG)
    finding = gated.checks[0]["finding"]
    assert finding.startswith("it pays by transfer") and len(finding) == FINDING_MAX


def test_a_sentence_without_a_marker_is_held_against_all_that_is_cited(serve: Serve) -> None:
    server = serve()
    server.refused = FAULT
    gated, _ = gate(f"The tenant need not pay. {RIGHT} [2]", "")
    assert '<sentence number="1" cites="1">The tenant need not pay.</sentence>' in asked(server)[0]
    assert gated.text.startswith(RIGHT) and "need not" not in gated.text


# ---- a whole turn


def answer_of(ask: Ask) -> Answer:
    turn = ask()
    answer_turn(turn.pk)
    return Answer.objects.get(turn=turn.pk)


def test_every_exchange_is_kept_and_vouched_for(ask: Ask, serve: Serve) -> None:
    server = serve()
    answer = answer_of(ask)
    (check,) = other_calls_of(answer)
    assert (answer.kind, check.purpose) == ("generated", "claims")
    assert [request.body["model"] for request in server.requests] == ["scripted-model"] * 3, "judge, write, check"
    assert Entry.objects.filter(kind="exchange", subject_id=str(check.pk)).count() == 1
    assert EXCHANGE.read([check.pk])[check.pk]


def test_an_answer_of_which_nothing_is_left_is_quoted(ask: Ask, serve: Serve) -> None:
    serve().refused = dict.fromkeys(["The document says", "bank transfer"], "it says no such thing")
    answer = answer_of(ask)
    assert answer.kind == "extractive" and answer.note.startswith(NOT_BACKED)
    assert len(answer.other_calls) == 3, "the first draft and two checks"
    sentences = [check for check in answer.checks if "verdict" in check]
    assert sentences and all(check["left_out"] for check in sentences), "none of what was written is shown"


def says_draft(answer: Answer) -> bool:
    """Whether a reader was told, before the first word, that a draft appears."""
    entries: Any = stream.shared_client().xrange(stream.stream_key(answer.turn.pk))
    told = [json.loads(fields["data"]) for _, fields in entries if fields["type"] == "stage"]
    return any("is a draft" in each.get("note", "") for each in map(say_stage, told))


def test_a_reader_is_told_that_a_draft_appears(ask: Ask, serve: Serve) -> None:
    serve()
    assert says_draft(answer_of(ask))


def test_a_base_can_do_without_the_check(ask: Ask, serve: Serve, base: KnowledgeBase) -> None:
    KnowledgeBase.objects.filter(pk=base.pk).update(settings={"embeddings": "none", "claim_check": "off"})
    serve().refused = {"The document says": "it says no such thing"}
    answer = answer_of(ask)
    assert (answer.kind, answer.other_calls) == ("generated", [])
    assert not says_draft(answer)


def test_dates_the_wrong_way_round_are_told_once_and_then_flagged(serve: Serve) -> None:
    """R82: nothing is corrected and nothing left out; the writer was told why."""
    serve()
    wrong = "The lease begins on 1 March 2025 and ends on 1 March 2024 [1]."
    told: list[str] = []

    def rewrite(findings: str) -> WriterReply:
        told.append(findings)
        return written(wrong)

    find_conflicts = partial(conflicts_in_sentences, quotes=[], contents={})
    gated = pass_gate(written(wrong), EXCERPTS, rewrite, find_conflicts)
    assert "a start is later than its end (1 March 2025 – 1 March 2024)" in told[0] and len(told) == 1
    assert gated.text == wrong and gated.notes == (MENDED,)
    assert ["start_after_end" in check["problems"] for check in gated.checks] == [True, True]
    assert [check.get("left_out", False) for check in gated.checks] == [False, True]
