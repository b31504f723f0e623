"""The trail page: complete, from stored rows alone, for those who may read it and nobody else."""

import csv
import json
import uuid
from typing import Any

import pytest
from django.utils import timezone

from audit.conftest import PASSAGE, RAW_REPLY, House, MakeAnswer, MakeRun, Tamper
from audit.models import RunSign
from audit.review.reviewing import Opinion, review
from audit.runs.signs import LOOKED
from audit.runs.tests.test_search import complain
from llm.exchange import request_digest
from retrieval.models import RetrievalRun
from retrieval.types import METHODS, POINTED
from tests.pages import on_one_line

# Six of them record that the trail was read, two ask whether the reader may review, five read signs and objections.
QUERIES_MAX = 38
UNREAD = {
    "intent": "section_retrieval",
    "shape": "single",
    "answer_type": "text",
    "language": "en",
    "parsed_by": "rules",
}
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def address(run: RetrievalRun, query: str = "") -> str:
    return f"/audit/runs/{run.pk}/{query}"


def text(response: Any) -> str:
    assert response.status_code == 200, response.content
    return on_one_line(response)


@pytest.mark.parametrize(
    ("name", "status"),
    [("owner", 200), ("auditor", 200), ("asker", 200), ("viewer", 404), ("stranger", 404), (None, 302)],
)
def test_it_opens_for_those_who_may_read_it(
    house: House, make_run: MakeRun, make_call: Any, browse: Any, name: str | None, status: int
) -> None:
    run = make_run(arbiter="model", llm_call=make_call())
    person = getattr(house, name) if name else None
    call = f"calls/{run.llm_call_id}"
    for query in ("", "?candidate=p1-l1-2", f"{call}/request/", f"{call}/reply/"):
        assert browse(person, address(run, query)).status_code == status
    # Half a page has no place for the page to sign in.
    assert browse(person, address(run), **{"HX-Request": "true"}).status_code == (status if person else 401)


def test_the_number_of_fixed_rules_is_called_theirs_and_the_asker_reads_a_word(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, make_call: Any, browse: Any
) -> None:
    run, judged = make_run(confidence=0.93), make_run(confidence=0.93, arbiter="model", llm_call=make_call())
    for each in (run, judged):
        make_answer(each)
    estimate, sure = "an estimate of the fixed rules: no model has read it", "likely, as far as rules can tell"
    page = text(browse(house.auditor, address(run)))
    assert "0.93 of 1" in page and estimate in page and "Fixed rules, no language model" in page and sure not in page
    page = text(browse(house.asker, address(run)))
    assert sure in page and "0.93 of 1" not in page
    for reader in (house.auditor, house.asker):
        page = text(browse(reader, address(judged)))
        assert "0.93 of 1" in page and estimate not in page and sure not in page


def test_it_lists_every_document_of_the_scope(house: House, make_run: MakeRun, browse: Any) -> None:
    run = make_run(states="read counted unreadable")
    page = text(browse(house.auditor, address(run)))
    assert "3 documents: 1 read, 1 searched for words, 1 not read" in page
    assert "it still waits to be read" in page and "2 of 30" in page
    assert page.index("=Paper 3") < page.index("=Paper 1") < page.index("=Paper 2"), (
        "what nobody could read comes first"
    )
    assert f'href="/documents/{house.document.pk}/"' in page and "document deleted" in page
    file = browse(house.auditor, address(run, "documents.csv"))
    rows = list(csv.reader(file.content.decode().splitlines()))
    assert [row[7] for row in rows] == ["state", "read", "counted", "unreadable"]
    assert "'=Paper 1" in rows[1], "a spreadsheet computes nothing of it"
    for name, status in (("asker", 200), ("viewer", 404), ("stranger", 404)):
        assert browse(getattr(house, name), address(run, "documents.csv")).status_code == status
    french = browse(house.auditor, address(run), **{"Accept-Language": "fr"})
    assert "1 lu" in text(french) and "il attend encore d’être lu" in text(french)


def test_words_that_were_added_to_a_question_wait_behind_a_count(house: House, make_run: MakeRun, browse: Any) -> None:
    words = [("rent", "direct", "rent"), ("hire", "dictionary", "rent"), ("lease fee", "learned", "rent")]
    keywords = [{"text": text, "source": source, "group": group} for text, source, group in words]
    run = make_run(parsed=make_run().parsed | {"keywords": keywords})
    page = browse(house.auditor, address(run))
    plan = text(page).partition('id="plan"')[2]
    inside = plan.index("2 words of the same meaning")
    assert plan.index("<b>rent</b>") < inside < plan.index("<b>hire</b>") < plan.index("<b>lease fee</b>")
    german = text(browse(house.auditor, address(run), **{"Accept-Language": "de"}))
    assert "Modus ausgewogen" in german and "<dt>Anker</dt>" in german


def test_a_long_scope_is_cut_on_the_page_and_whole_in_the_file(
    house: House, make_run: MakeRun, browse: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.page.scope_table.ROWS_MAX", 2)
    run = make_run(states="read counted counted unreadable")
    page = text(browse(house.auditor, address(run)))
    assert "These are 2 of 4 documents." in page and "=Paper 2" not in page
    assert len(browse(house.auditor, address(run, "documents.csv")).content.decode().splitlines()) == 5


def test_it_hides_a_run_from_an_asker_who_left_the_base(house: House, make_run: MakeRun, browse: Any) -> None:
    run = make_run()
    house.asker.membership_set.all().delete()
    assert browse(house.asker, address(run)).status_code == 404


def test_it_knows_no_run_that_is_not_there(house: House, browse: Any) -> None:
    assert browse(house.auditor, f"/audit/runs/{uuid.uuid4()}/").status_code == 404
    assert browse(house.auditor, "/audit/runs/1/").status_code == 404


def test_it_reads_from_question_to_citation(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, make_call: Any, browse: Any
) -> None:
    run = make_run(arbiter="model", llm_call=make_call())
    make_answer(run)
    page = text(browse(house.auditor, address(run)))
    for shown in (
        "How is attention computed?",
        "5 of 22 titles contain ‘attention’",
        "the keyword signal is clean",
        "212 hits on 3 of 3 keywords",
        "Scaled Dot-Product Attention",
        "model-large-2-2026, prompt 14, balanced mode",
        "confidence</button> 0.93 of 1",
        "It is computed from dot products.",
        "few of its words are in what it cites",
        "90 %",
        "3,890 ms",
        "9,412 tokens",
        "shortened",
        "19 → 15",
        "<del>This gives equation (1)</del>",
        house.document.sha256,
    ):
        assert shown in page, shown
    for position, role in enumerate(("Primary", "Supporting", "Tangential", "Discarded"), start=1):
        assert f"Reason {position}" in page
        assert role in page
    assert page.count("record unchanged</span>") == 2, "the run's entry and the answer's"


def test_it_shows_every_candidate_beside_its_page(house: House, make_run: MakeRun, browse: Any) -> None:
    run = make_run()
    page = text(browse(house.auditor, address(run, "?candidate=p1-l4-5")))
    assert 'aria-label="Selected candidate p1-l4-5"' in page
    assert f"/documents/{house.document.pk}/pages/1/image/" in page
    assert "hl-anchor" in page
    assert "hl-context" in page
    other = text(browse(house.auditor, address(run, "?candidate=p1-l4-5&page=2")))
    assert f"/documents/{house.document.pk}/pages/2/image/" in other
    assert "hl-anchor" not in other


def test_it_gives_htmx_the_open_candidate_only(house: House, make_run: MakeRun, browse: Any) -> None:
    run = make_run()
    part = browse(house.auditor, address(run, "?candidate=p1-l3-4"), **{"HX-Request": "true"})
    assert text(part).strip().startswith('<aside class="right"')
    assert "p1-l3-4" in text(part)
    assert "HX-Request" in part["Vary"]
    restored = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assert "<!doctype html>" in text(browse(house.auditor, address(run), **restored))


@pytest.mark.parametrize("query", ["?candidate=p9-l9-9", "?candidate=%00", "?candidate=" + "x" * 5000])
def test_it_knows_no_candidate_of_another_run(house: House, make_run: MakeRun, browse: Any, query: str) -> None:
    assert browse(house.auditor, address(make_run(), query)).status_code == 404


@pytest.mark.parametrize("query", ["?page=-1", "?page=99999999999999999999", "?page=²", "?role=boss", "?against_rrf=x"])
def test_it_leaves_out_what_cannot_be(house: House, make_run: MakeRun, browse: Any, query: str) -> None:
    assert "Reason 4" in text(browse(house.auditor, address(make_run(), query)))


def test_it_filters_candidates_by_role(house: House, make_run: MakeRun, browse: Any) -> None:
    page = browse(house.auditor, address(make_run(), "?role=discarded"))
    assert [row.candidate.role for row in page.context["trail"].table.rows] == ["discarded"]
    assert page.context["selected"].row.candidate.role == "discarded"


def test_it_shows_a_rules_run_with_the_rule_that_decided(house: House, make_run: MakeRun, browse: Any) -> None:
    run = make_run()
    page = text(browse(house.asker, address(run)))
    assert "Fixed rules, no language model" in page
    assert "rule 2" not in page and "Line score" not in page, "which rule it was is for auditors"
    of_auditor = text(browse(house.auditor, address(run)))
    assert "rule 2" in of_auditor and "Line score" in of_auditor
    assert "No model was asked: fixed rules judged." in page


def test_it_shows_what_no_detector_proposed(house: House, make_run: MakeRun, browse: Any) -> None:
    run = make_run(methods=[*METHODS, *POINTED], hit_counts=dict.fromkeys((*METHODS, *POINTED), 2))
    page = text(browse(house.auditor, address(run)))
    assert (
        "titles, keywords, patterns, vectors, page named, references, passed whole, asked for by the model, main parts"
        in page
    )
    assert "There were 18 hits" in page
    assert "2 on the page the question names, 2 because all of so short a document is judged, 2 where another" in page


def test_it_tells_the_words_of_the_asker_from_those_added(house: House, make_run: MakeRun, browse: Any) -> None:
    words = {"direct": ["cap"], "dictionary": ["limit", "ceiling", "maximum", "at most"], "llm_rewrite": ["bound"]}
    keywords = [{"text": text, "source": source} for source, texts in words.items() for text in texts]
    told = make_run(parsed={"keywords": keywords, "original": "", "corrected": "", "hints": {}} | UNREAD)
    page = text(browse(house.auditor, address(told)))
    assert "looked for the words of the question: “cap”." in page
    assert "The dictionary added words of the same meaning: “limit”, “ceiling”, “maximum” and 1 more." in page
    assert "A language model added words of the same meaning: “bound”." in page


def test_it_says_that_nearness_is_no_evidence(house: House, make_run: MakeRun, browse: Any) -> None:
    near = {"method": "vectors", "document_id": str(house.document.pk), "lines": [1, 2], "score": 0.22}
    run = make_run(
        "",
        status="not_found",
        not_found_reason="zero keyword hits",
        searched=[{"text": "revenue", "forms": ["revenue"], "count": 0}],
        hits=[near | {"matched_keywords": [], "toc_index": 1, "detail": "passage"}],
        hit_counts={"vectors": 1},
        arbiter_status="not_needed",
        confidence=0,
    )
    page = text(browse(house.auditor, address(run)))
    assert "None of these words stands there; 1 passage is near the question in meaning." in page
    assert "nearness alone is no evidence, so nothing was judged" in page
    assert "page 1, lines 1–2" in page
    assert f'href="/documents/{house.document.pk}/?parse=3&amp;line=1"' in page
    assert "nearness in meaning 0.22" in page
    assert "confidence</button>" not in page


@pytest.mark.parametrize(
    ("status", "tab", "heading"),
    [
        ("not_found", "Why not found", "Why nothing was found"),
        ("weak", "Why no clear answer", "Why no passage clearly answers this"),
        ("cannot_tell", "Why it cannot be told", "Why it cannot be told whether it is there"),
    ],
)
def test_each_outcome_without_an_answer_is_called_by_its_name(
    house: House, make_run: MakeRun, browse: Any, status: str, tab: str, heading: str
) -> None:
    run = make_run("tangential", status=status, not_found_reason="no page that was read mentions “helicopters”")
    page = text(browse(house.auditor, address(run)))
    assert f'aria-current="true">{tab}</a>' in page and f'<h2 id="h-dossier">{heading}</h2>' in page
    assert ("Why nothing was found" in page) is (status == "not_found")


def test_what_was_kept_is_not_called_no_evidence(house: House, make_run: MakeRun, browse: Any) -> None:
    run = make_run("supporting", status="not_found", not_found_reason="none of 1 candidates carries the answer")
    page = text(browse(house.auditor, address(run)))
    assert "Why nothing was found" in page
    assert "is no evidence" not in page


def test_it_says_that_the_arbiter_did_not_run(house: House, make_run: MakeRun, make_call: Any, browse: Any) -> None:
    run = make_run(
        "unjudged unjudged",
        arbiter="model",
        arbiter_status="not_run",
        arbiter_failure="The model did not answer within 45 s.",
        llm_call=make_call(outcome="timeout", raw_reply="", error="deadline"),
    )
    page = text(browse(house.auditor, address(run)))
    assert "The arbiter did not run: The model did not answer within 45 s." in page
    assert "2 of 2 candidates were not judged" in page
    assert "(nothing came back)" in page


def test_it_makes_a_dossier_of_a_run_that_found_nothing(house: House, make_run: MakeRun, browse: Any) -> None:
    run = make_run(
        "tangential discarded",
        status="not_found",
        not_found_reason="Zero hits over every form of every keyword.",
        searched=[{"text": "revenue", "forms": ["revenue", "revenues"], "count": 0}],
        coverage={"documents": 1, "pages": 2, "pages_with_text": 1, "sections": 22, "unreadable": ["paper p. 2"]},
        gates=[{"code": "G1", "name": "zero hits", "fired": True, "evidence": "0 hits"}],
        confidence=0,
    )
    page = text(browse(house.auditor, address(run)))
    for shown in (
        "Not found",
        "Zero hits over every form of every keyword.",
        "revenue, revenues",
        "1 of 2 pages with text",
        "paper p. 2",
        "What came nearest",
        "Reason 2",
    ):
        assert shown in page, shown


def test_it_shows_a_failed_run_that_got_nowhere(house: House, make_run: MakeRun, browse: Any) -> None:
    run = make_run(
        "",
        status="failed",
        failure="The database was away.",
        parsed={},
        plan={},
        scope=[],
        gates=[],
        hits=[],
        hit_counts={},
        searched=[],
        coverage={},
        settings={},
        timings_ms={},
        toc_shown="",
    )
    page = text(browse(house.auditor, address(run)))
    assert "The database was away." in page
    assert "No candidate was proposed" in page
    assert 'id="cand"' not in page


def test_it_gives_request_and_reply_byte_for_byte(house: House, make_run: MakeRun, make_call: Any, browse: Any) -> None:
    call = make_call()
    run = make_run(arbiter="model", llm_call=call)
    reply = browse(house.auditor, address(run, f"calls/{call.pk}/reply/"))
    assert reply.content.decode() == RAW_REPLY
    assert reply["Content-Type"].startswith("text/plain")
    assert "attachment" in reply["Content-Disposition"]
    request = browse(house.auditor, address(run, f"calls/{call.pk}/request/"))
    assert request_digest(json.loads(request.content)) == call.request_sha256
    other = make_run(arbiter="model", llm_call=make_call())
    assert browse(house.auditor, address(other, f"calls/{call.pk}/reply/")).status_code == 404


@pytest.mark.parametrize(
    "statement", ["UPDATE retrieval_runcandidate SET role = 'primary'", "DELETE FROM ledger_entry"]
)
def test_it_says_when_the_record_was_changed(
    house: House, make_run: MakeRun, browse: Any, tamper: Tamper, statement: str
) -> None:
    run = make_run()
    assert "record unchanged" in text(browse(house.auditor, address(run)))
    tamper(statement)
    page = text(browse(house.auditor, address(run)))
    assert "record not as it was stored" in page
    assert "record unchanged</span>" not in page
    assert 'role="alert"' in page


def test_it_still_shows_everything_when_the_document_is_in_the_trash(
    house: House, make_run: MakeRun, browse: Any
) -> None:
    run = make_run()
    house.document.trashed_at = timezone.now()
    house.document.save()
    page = text(browse(house.auditor, address(run)))
    assert "in the trash" in page
    assert PASSAGE in page


def test_it_still_shows_everything_when_the_document_is_deleted(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, browse: Any
) -> None:
    """AT14."""
    run = make_run()
    make_answer(run)
    house.document.delete()
    page = text(browse(house.auditor, address(run)))
    assert "document deleted" in page
    assert PASSAGE in page
    assert "hl-anchor" in page
    assert "/image/" not in page
    assert "record not as it was stored" not in page


def test_it_escapes_whatever_others_wrote(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, make_call: Any, browse: Any
) -> None:
    call = make_call(raw_reply=f'{{"reason": "{HOSTILE}"}}', error=HOSTILE, request={"input": HOSTILE})
    house.document.title = HOSTILE
    house.document.save()
    run = make_run(
        question=HOSTILE,
        arbiter="model",
        llm_call=call,
        base_name=HOSTILE,
        asked_by_name=HOSTILE,
        toc_shown=f"[1] {HOSTILE}",
        violations=[HOSTILE],
        contradictions=[{"candidate_ids": ["p1-l1-2"], "point": HOSTILE}],
        arbiter_failure=HOSTILE,
        settings={"name": HOSTILE},
    )
    make_answer(run, text=HOSTILE, note=HOSTILE)
    page = text(browse(house.auditor, address(run)))
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert page.count("&lt;script&gt;alert(1)") >= 10
    assert "script-src 'self'" in browse(house.auditor, address(run))["Content-Security-Policy"]


def test_it_asks_the_database_a_bounded_number_of_times(
    house: House,
    make_run: MakeRun,
    make_answer: MakeAnswer,
    make_call: Any,
    signed_in: Any,
    django_assert_max_num_queries: Any,
) -> None:
    run = make_run(" ".join(["primary"] + ["discarded"] * 59), arbiter="model", llm_call=make_call())
    make_answer(run)
    client = signed_in(house.auditor)
    client.get("/bases/")  # the first request of a session notes when it began
    with django_assert_max_num_queries(QUERIES_MAX):
        assert client.get(address(run)).status_code == 200


def test_it_lists_what_was_found_and_not_judged(house: House, make_run: MakeRun, browse: Any) -> None:
    left = {
        "candidate_id": "p2-l9-9",
        "document_id": str(house.document.pk),
        "page_number": 2,
        "section_title": "Training data",
        "rrf_rank": 41,
        "matched_keywords": ["attention", "computed"],
        "reason": "the 40 places judged rank higher, or are the first of their page",
    }
    page = text(browse(house.auditor, address(make_run(plan={"flags": [], "left_out": [left]}))))
    assert "1 more place was not" in page and "each judged once" not in page
    assert "1 more place was found and not judged; it is listed below the candidates." in page
    assert all(words in page for words in ("Training data", "attention, computed", "The 40 places judged rank higher"))


def test_a_run_that_recorded_no_cut_says_nothing_of_one(house: House, make_run: MakeRun, browse: Any) -> None:
    page = text(browse(house.auditor, address(make_run())))
    assert "not judged" not in page and "each judged once with a reason" in page


@pytest.mark.parametrize(
    ("check", "told"),
    [
        ({"verdict": "supported", "finding": "", "problems": []}, "its quotes say so"),
        (
            {"verdict": "contradicted", "finding": "it says may", "left_out": True, "problems": []},
            "its quotes say otherwise – it says may",
        ),
        ({"problems": []}, "no fault found"),
    ],
)
def test_the_verdict_of_the_claim_check_is_shown(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, browse: Any, check: dict[str, Any], told: str
) -> None:
    run = make_run()
    make_answer(run, checks=[{"sentence": "It may.", "markers": [1], "supported": 0.9, "numbers": []} | check])
    page = text(browse(house.auditor, address(run)))
    assert told in page
    assert ("Left out of the answer." in page) is bool(check.get("left_out"))
    assert ("no fault found" in page) is ("verdict" not in check)


def judge(house: House, run: RetrievalRun, outcome: str = "wrong", **opinion: Any) -> None:
    review(run, None, house.auditor, Opinion(outcome, reason="Another contract.", **opinion))


def test_the_head_and_the_checks_lose_their_ticks_over_an_answer_judged_wrong(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, browse: Any
) -> None:
    run = make_run()
    make_answer(run)
    assert "Judged wrong" not in text(browse(house.owner, address(run))).partition('class="termbox"')[0]
    judge(house, run)
    page = text(browse(house.owner, address(run))).partition('class="termbox"')[0]
    assert "Judged wrong" in page and "the program said Passages found" in page
    assert "A reviewer judged this answer wrong." in page and "<q>Another contract.</q>" in page
    assert 's-ok"><svg class="i" aria-hidden="true"><use href="#i-check"/></svg>no fault found' not in page


def test_a_complaint_that_was_taken_back_warns_of_nothing(house: House, make_run: MakeRun, browse: Any) -> None:
    run = make_run()
    complain(run, house, comment="The page says otherwise.")
    said = on_one_line(browse(house.auditor, address(run))).partition("What readers said")[2]
    assert "s-warn" in said.partition("otherwise.")[0] and "withdrawn" not in said
    complain(run, house, kind="helpful")
    said = on_one_line(browse(house.auditor, address(run))).partition("What readers said")[2]
    before, _, after = said.partition("otherwise.")
    assert "s-none" in before and "withdrawn" in before and "s-warn" not in before
    assert "s-ok" in after and "withdrawn" not in after


def test_a_blind_reviewer_is_not_told_what_others_hold_against_an_answer(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, browse: Any
) -> None:
    run = make_run()
    make_answer(run)
    judge(house, run)
    page = text(browse(house.owner, address(run, "?blind=1")))
    assert "Another contract." not in page and "the program said" not in page


def test_the_head_names_the_signs_of_risk_and_where_they_show(house: House, make_run: MakeRun, browse: Any) -> None:
    """AT11: whoever comes from the queue sees on the trail why the question was in it."""
    run = make_run(contradictions=[{"candidate_ids": ["p1-l1-2", "p1-l2-3"], "point": "the rent"}])
    page = text(browse(house.auditor, address(run)))
    assert "Signs of risk:" in page and "sources differ" in page and "are still to come" in page
    RunSign.objects.bulk_create([RunSign(run=run, name=name) for name in (LOOKED, "against_detectors")])
    page = text(browse(house.auditor, address(run)))
    assert "are still to come" not in page and 'href="?against_detectors=1#candidates"' in page
    assert "Signs of risk:" not in text(browse(house.asker, address(run))), "signs are for who reviews"
