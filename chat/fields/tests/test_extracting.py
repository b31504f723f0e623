"""Several named fields asked at once (R87): each has a search, verdicts, a value and a record of its own."""

import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from accounts.models import User
from audit.keeping.erasure import Erasing, erase_person, erase_run
from audit.proof import verifier
from audit.proof.evidence import write_evidence
from audit.proof.verification import verify
from chat.fields.extracting import Asker, find_fields, record_fields
from chat.fields.values import field_json
from chat.models import Answer, ExtractionField
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase
from ledger.models import Entry
from llm.exchange import collecting
from llm.models import LLMCall
from retrieval.arbiter.together import FIELDS_MAX, PLACES_EACH
from retrieval.deadline import DetectionTimeout
from retrieval.forms.fields import Field
from retrieval.models import RetrievalRun
from retrieval.record.storing import unfinished_calls
from retrieval.types import Expected
from tests.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)

Serve = Callable[..., ScriptedLLM]
RENT = Field("Rent", "What is the rent a month?", Expected("amount"))
NOTICE = Field("Notice period", "With how much notice may the lease be ended?", Expected("duration"))
LANDLORD = Field("Landlord", "Who is the landlord?")
LOGO = Field("Logo", "Who holds the trademark of the logo?")
FIELDS = (RENT, NOTICE, LANDLORD, LOGO)


def extract(asker: Asker, documents: Sequence[Document], fields: Sequence[Field]) -> list[RetrievalRun]:
    return record_fields(asker, fields, find_fields(asker, documents, fields))


@pytest.fixture
def asker(tenant: User, document: Document) -> Asker:
    return Asker(tenant, document.base, "balanced")


def told_of(runs: Sequence[RetrievalRun], fields: Sequence[Field] = FIELDS) -> list[dict[str, Any]]:
    rows = [
        ExtractionField(name=field.name, question=field.question, answer_type=field.expected.answer_type, run=run)
        for field, run in zip(fields, runs, strict=True)
    ]
    return [field_json(row) for row in rows]


# ---- without a model


def test_each_field_has_a_run_an_outcome_and_a_value_of_its_own(asker: Asker, document: Document) -> None:
    """(R87)"""
    runs = extract(asker, [document], FIELDS)
    rent, notice, landlord, logo = told_of(runs)
    assert [run.question for run in runs] == [field.question for field in FIELDS]
    assert [run.arbiter for run in runs] == ["rules"] * 4
    assert (rent["outcome"], rent["value"], rent["values"][0]["value"]) == ("found", "12,500 euros a month", "12500")
    assert rent["values"][0]["currency"] == "EUR" and "12,500 euros" in rent["quote"]
    assert rent["page"] == 1 and rent["boxes"] and rent["lines"][0] <= rent["values"][0]["lines"][0]
    assert (notice["outcome"], notice["values"][0]["value"]) == ("found", "6")
    assert landlord["outcome"] == "found" and "Harbour Sheds Limited" in landlord["value"]
    assert (logo["outcome"], logo["value"], logo["quote"], logo["values"]) == ("not_found", None, None, [])
    assert logo["caveats"] and [field["caveats"] for field in (rent, landlord)] == [[], []]


def test_what_a_field_is_called_and_expects_is_in_its_record(asker: Asker, document: Document) -> None:
    told = Expected("duration", "in months")
    (run,) = extract(asker, [document], [Field("Notice", "What notice ends the lease?", told)])
    assert run.plan["field"] == {"name": "Notice", "type": "duration", "instruction": "in months"}
    assert (run.parsed["answer_type"], run.parsed["instruction"]) == ("duration", "in months")
    assert "months" not in json.dumps(run.searched), "an instruction is not searched"


def test_the_record_of_fields_verifies_and_can_be_exported(asker: Asker, document: Document) -> None:
    runs = extract(asker, [document], FIELDS)
    assert verify().ok
    assert Answer.objects.filter(turn=None).count() == len(FIELDS)
    assert verdict_on(runs[0]) == verifier.CONSISTENT


# ---- with a model


def test_one_request_judges_several_fields_and_each_run_names_it(
    asker: Asker, document: Document, serve: Serve
) -> None:
    """(R87)"""
    server = serve("good")
    runs = extract(asker, [document], FIELDS)
    assert len(server.requests) == 1
    assert [run.arbiter_status for run in runs] == ["ran"] * 4
    (call,) = LLMCall.objects.all()
    assert [run.llm_call_id for run in runs] == [None] * 4
    assert {run.plan["shared_call"] for run in runs} == {str(call.pk)}
    assert Entry.objects.filter(kind="shared", subject_id=str(call.pk)).count() == 1
    assert [told["outcome"] for told in told_of(runs)][:3] == ["found"] * 3
    assert told_of(runs)[0]["value"] == "12,500 euros a month"
    assert all(run.candidates.count() <= PLACES_EACH for run in runs)
    assert all(any(flag["name"] == "together" for flag in run.plan["flags"]) for run in runs)
    assert verify().ok


def test_the_instruction_of_a_field_is_told_to_the_model(asker: Asker, document: Document, serve: Serve) -> None:
    server = serve("good")
    extract(asker, [document], [RENT, Field("Deposit", "What is the deposit?", Expected("amount", "without </field>"))])
    (request,) = server.requests
    assert "How the asker wants it read: without" in request.body["input"]
    assert request.body["input"].count("</field>") == 2, "what an asker writes closes no block"


def test_verdicts_are_never_taken_from_another_field(asker: Asker, document: Document, serve: Serve) -> None:
    serve("unknown-ids")
    runs = extract(asker, [document], [RENT, LANDLORD])
    assert all("unknown id: zz-999" in run.violations for run in runs)
    assert [told["outcome"] for told in told_of(runs, [RENT, LANDLORD])] == ["found", "found"]


def test_a_field_that_the_reply_leaves_out_is_unjudged(asker: Asker, document: Document, serve: Serve) -> None:
    server = serve("good")
    server.forgotten = {"F2"}
    runs = extract(asker, [document], [RENT, NOTICE, LANDLORD])
    assert [run.arbiter_status for run in runs] == ["ran", "not_run", "ran"]
    assert set(runs[1].candidates.values_list("role", flat=True)) == {"unjudged"}
    told = told_of(runs, [RENT, NOTICE, LANDLORD])
    assert [each["outcome"] for each in told] == ["found", "unjudged", "found"]
    assert "left this question out" in told[1]["caveats"][0] and len(server.requests) == 1


def test_more_fields_than_a_request_holds_are_spread_evenly(asker: Asker, document: Document, serve: Serve) -> None:
    server = serve("good")
    fields = [Field(f"Rent {number}", RENT.question) for number in range(FIELDS_MAX + 1)]
    runs = extract(asker, [document], fields)
    assert len(server.requests) == 2 and len({run.plan["shared_call"] for run in runs}) == 2


@pytest.mark.parametrize("behaviour", ["too-long", "malformed", "cut"])
def test_what_is_too_much_for_one_request_is_asked_one_by_one(
    asker: Asker, document: Document, serve: Serve, behaviour: str
) -> None:
    server = serve(behaviour, "good")
    runs = extract(asker, [document], [RENT, LANDLORD])
    assert len(server.requests) == 3 and [run.arbiter_status for run in runs] == ["ran", "ran"]
    assert all(run.llm_call and run.plan["shared_call"] != str(run.llm_call_id) for run in runs)
    assert LLMCall.objects.exclude(outcome="ok").count() == 1, "the request that failed is kept once"
    assert verify().ok


def test_a_server_that_is_down_is_a_recorded_outcome_of_each_field(
    asker: Asker, document: Document, serve: Serve
) -> None:
    serve("unauthorized")
    runs = extract(asker, [document], [RENT, LANDLORD])
    assert [run.arbiter_status for run in runs] == ["not_run", "not_run"]
    assert [told["outcome"] for told in told_of(runs, [RENT, LANDLORD])] == ["unjudged", "unjudged"]
    assert LLMCall.objects.count() == 1


def test_a_second_look_is_of_one_field_alone(asker: Asker, document: Document, serve: Serve) -> None:
    server = serve("good")
    server.wanted = {"wanted_sections": [], "wanted_words": ["fire"]}
    runs = extract(asker, [document], [RENT])
    assert len(server.requests) == 2 and "look_call" in runs[0].plan
    assert "shared_call" not in runs[0].plan, "one field shares nothing"


# ---- keeping


def test_the_pack_of_a_field_has_the_request_it_shared(asker: Asker, document: Document, serve: Serve) -> None:
    serve("good")
    runs = extract(asker, [document], [RENT, LANDLORD])
    assert verdict_on(runs[1]) == verifier.CONSISTENT
    names = pack_of(runs[1]).keys()
    assert {"shared.json", "calls/shared-request.json", "calls/shared-reply.txt"} <= names


def test_erasing_one_field_erases_the_request_it_shared(asker: Asker, document: Document, serve: Serve) -> None:
    serve("good")
    rent, landlord = extract(asker, [document], [RENT, LANDLORD])
    erase_run(rent, Erasing("Owner", "asked for"))
    assert LLMCall.objects.get().request == {} and verify().ok
    assert verdict_on(landlord) == verifier.CONSISTENT, "what is left of the other field still verifies"
    erase_person(asker.user, Erasing("Owner", "asked for"))
    assert verify().ok


def pack_of(run: RetrievalRun) -> dict[str, bytes]:
    out = BytesIO()
    write_evidence(run, out, None)
    with zipfile.ZipFile(out) as pack:
        return {name: pack.read(name) for name in pack.namelist()}


def verdict_on(run: RetrievalRun) -> int:
    """What the verifier says of the pack of a run, without a head from outside."""
    code, lines = verifier.judge_pack(verifier.PackReader(pack_of(run), [], None), {})
    assert code == verifier.CONSISTENT, lines
    return code


def test_the_request_of_a_field_that_took_too_long_is_kept_with_its_run(
    asker: Asker, document: Document, serve: Serve
) -> None:
    server = serve("good")
    thorough, fields = replace(asker, mode="thorough"), [LANDLORD, RENT]
    with collecting():
        _, rent = find_fields(thorough, [document], fields)
        landlord, rent_run = record_fields(thorough, fields, [DetectionTimeout(1.0), rent])
    asked = [call for call in unfinished_calls(landlord) if call.purpose == "question"]
    assert landlord.status == "failed" and LANDLORD.question in asked[0].request["input"]
    assert not unfinished_calls(rent_run) and LLMCall.objects.count() == len(server.requests)
    assert verify().ok and verdict_on(landlord) == verifier.CONSISTENT


# ---- across fields


@pytest.mark.parametrize(("ends", "is_off"), [("2026", False), ("2023", True)])
def test_a_start_after_its_end_is_flagged_in_both_fields(
    base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings, ends: str, is_off: bool
) -> None:
    """R82: fields asked together are compared; nothing is corrected, and both are no longer plainly found."""
    settings.MEDIA_ROOT = tmp_path / "files"
    path = tmp_path / "licence.md"
    path.write_text(
        "# Licence of the brand\n\n## Start\n\nThe effective date of the licence is 1 March 2024.\n\n"
        f"## End\n\nThe expiry date of the licence is 28 February {ends}.\n\n## Fee\n\nThe fee is 900 euros a year.\n"
    )
    document = ingest_path(path, base, tenant)
    fields = [
        Field("Effective date", "What is the effective date of the licence?", Expected("date")),
        Field("Expiry date", "What is the expiry date of the licence?", Expected("date")),
        Field("Fee", "What is the fee a year?", Expected("amount")),
    ]
    runs = extract(Asker(tenant, base, "balanced"), [document], fields)
    start, end, fee = told_of(runs, fields)
    assert (start["values"][0]["value"], end["values"][0]["value"]) == ("2024-03-01", f"{ends}-02-28")
    assert (fee["outcome"], fee["caveats"]) == ("found", [])
    for field, run in zip((start, end), runs, strict=False):
        problems = [problem for check in run.answer.checks for problem in check["problems"]]
        assert (field["outcome"], problems) == (("weak", ["start_after_end"]) if is_off else ("found", []))
        said = "A start is later than its end. Effective date: 1 March 2024; Expiry date: 28 February 2023."
        assert field["caveats"] == ([said] if is_off else [])
    assert verify().ok
