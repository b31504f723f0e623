"""Figures count what the rows hold, for the runs a person may read and no other."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from operator import itemgetter
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from audit.conftest import House, MakeAnswer, MakeRun
from audit.review.queue import risky
from audit.review.reviewing import Opinion, review
from audit.statistics.charts import BAR_MAX, HEIGHT, LegendKey, Point, Series, bars, columns
from audit.statistics.coverage import coverage_by_section, coverage_of
from audit.statistics.period import compute_figures, percentile
from documents.models import Document, Membership, TocEntry
from llm.models import Charge
from retrieval.models import RetrievalRun

SignIn = Callable[[User], Client]
ALL = RetrievalRun.objects.all


def read(house: House) -> None:
    house.document.current_parse = house.parse
    house.document.save(update_fields=["current_parse"])


def test_it_counts_what_was_not_found_by_day_and_by_month(make_run: MakeRun) -> None:
    """R60."""
    day = timezone.now().replace(year=2026, month=3, day=5)
    for status, moment in [
        ("found", day),
        ("not_found", day),
        ("cannot_tell", day),
        ("found", day + timedelta(days=1)),
    ]:
        make_run("primary", status=status, created_at=moment)
    assert [tuple(rate) for rate in compute_figures(ALL(), 30).absent] == [("03-05", 2, 3), ("03-06", 0, 1)]
    assert [(rate.when, rate.percent) for rate in compute_figures(ALL(), 365).absent] == [("2026-03", 50.0)]


def test_it_holds_the_auditor_against_the_arbiter(house: House, make_run: MakeRun) -> None:
    run = make_run("primary primary supporting discarded")
    first, second, third, fourth = run.candidates.order_by("position")
    opinions = {first: "supporting", second: "", third: "discarded", fourth: ""}
    for candidate, role in opinions.items():
        review(run, candidate, house.auditor, Opinion("overrule" if role else "agree", role, "Because it says so."))
    standing = run.reviews.get(candidate=third)
    review(run, third, house.owner, Opinion("agree", previous_id=standing.pk))  # the last word counts
    review(run, first, house.owner, Opinion("agree", is_blind=True))
    review(run, second, house.owner, Opinion("agree", is_blind=True))
    figures = compute_figures(ALL(), 30)
    assert {row.role: row.cells for row in figures.matrix} == {
        "primary": (1, 1, 0, 0),
        "supporting": (0, 1, 0, 0),
        "tangential": (0, 0, 0, 0),
        "discarded": (0, 0, 0, 1),
        "unjudged": (0, 0, 0, 0),
    }
    assert (figures.agreement.part, figures.agreement.of, figures.agreement.percent) == (3, 4, 75.0)
    assert (figures.blind.part, figures.blind.of) == (1, 2)
    assert (figures.refused_reviewed, figures.is_cut) == (1, False)


def test_it_counts_repairs_detectors_times_and_tokens(
    make_run: MakeRun, make_answer: MakeAnswer, make_call: Any
) -> None:
    make_answer(
        make_run("primary discarded", llm_call=make_call(), arbiter="model"), llm_call=make_call(purpose="answer")
    )
    make_run("primary discarded tangential", timings_ms={"arbitrate": 10.0})
    figures = compute_figures(ALL(), 30)
    assert {row.who: row.counts["truncated"] for row in figures.repairs} == {
        "model-large-2-2026, prompt 14": 2,
        "Fixed rules": 3,
    }
    by_name = {row.method: row for row in figures.contributions}
    assert tuple(by_name["Vectors"]) == ("Vectors", 2, 2, 0, 0)
    assert tuple(by_name["Titles"]) == ("Titles", 3, 0, 2, 0)
    assert {row.step: (row.runs, row.p50, row.p95) for row in figures.latencies}["Arbiter"] == (2, 10.0, 3890.0)
    assert [(row["purpose"], row["number"], row["sent"], row["received"]) for row in figures.calls] == [
        ("answer", 1, 9412, 1806),
        ("arbiter", 1, 9412, 1806),
    ]


def test_it_counts_signs_of_risk_and_what_was_reviewed(house: House, make_run: MakeRun) -> None:
    reviewed, _waiting = make_run("", status="not_found"), make_run("", status="cannot_tell")
    review(reviewed, None, house.auditor, Opinion("agree"))
    signs = {sign.name: (sign.runs, sign.reviewed, sign.waiting) for sign in compute_figures(ALL(), 30).signs}
    assert signs["not_found"] == (2, 1, 1)
    assert signs["failed"] == (0, 0, 0)


def test_the_figures_say_how_many_of_those_that_wait_are_the_readers_own(
    house: House, make_run: MakeRun, signed_in: SignIn
) -> None:
    for asker in (house.auditor, house.auditor, house.asker):
        make_run("", status="not_found", asked_by=asker)
    figures = compute_figures(ALL(), 30, house.auditor)
    assert {(sign.waiting, sign.own) for sign in figures.signs if sign.name == "not_found"} == {(3, 2)}
    assert risky(house.auditor, "not_found").count() == 3 - 2, "what the number leads to"
    page = " ".join(signed_in(house.auditor).get("/audit/figures/").content.decode().split())
    assert "(2 your own, left to others)" in page
    assert "your own, left" not in signed_in(house.owner).get("/audit/figures/").content.decode()


def test_it_tells_agreement_by_judge_and_detector(house: House, make_run: MakeRun, make_call: Any) -> None:
    run = make_run("primary discarded", llm_call=make_call(), arbiter="model")
    agreed, overruled = run.candidates.all()
    review(run, agreed, house.auditor, Opinion("agree"))
    review(run, overruled, house.auditor, Opinion("overrule", "primary", "It states the rule itself."))
    figures = compute_figures(ALL(), 30)
    assert [tuple(rate) for rate in figures.by_judge] == [("model-large-2-2026, prompt 14", 1, 2)]
    assert {rate.when: (rate.part, rate.of) for rate in figures.by_detector} == {
        "Titles": (1, 1),
        "Keywords": (1, 1),
        "Vectors": (0, 1),
    }


def test_it_adds_up_what_priced_calls_cost(make_run: MakeRun, make_call: Any) -> None:
    call = make_call()
    make_run("primary", llm_call=call, arbiter="model")
    Charge.objects.create(call=call, amount=Decimal("0.0125"), currency="EUR", price={})
    (spent,) = compute_figures(ALL(), 30).costs
    assert (spent.calls, spent.amount, spent.currency) == (1, Decimal("0.0125"), "EUR")


def test_it_maps_the_pages_of_a_document(house: House, make_run: MakeRun, make_answer: MakeAnswer) -> None:
    make_answer(make_run("primary discarded"))
    read(house)
    assert [(tuple(page), page.state) for page in coverage_of(house.document, ALL())] == [
        ((1, 2, 1, 1), "cited"),
        ((2, 0, 0, 0), "never"),
    ]
    assert coverage_of(Document(base=house.base), ALL().none()) == []


def test_it_tells_which_sections_were_never_reached_or_always_discarded(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, signed_in: SignIn
) -> None:
    for index, parent, title in ((1, None, "Model"), (2, 1, "Stacks"), (3, 1, "Attention"), (4, None, "Training")):
        TocEntry.objects.create(
            parse=house.parse,
            index=index,
            level=1 if parent is None else 2,
            parent_index=parent,
            title=title,
            breadcrumb=title,
            first_line=index,
            last_line=index,
            first_page=1,
            last_page=2,
            origin="outline",
            confidence=1.0,
        )
    read(house)

    def states(days: str = "") -> list[str]:
        page = signed_in(house.auditor).get(f"/audit/coverage/{house.document.pk}/?days={days}")
        return [section.state for section in page.context["sections"]]

    assert states() == ["never"] * 4
    make_run("discarded tangential", created_at=timezone.now() - timedelta(days=60))  # all in Attention
    assert states() == ["proposed", "never", "proposed", "never"]
    assert states("30") == ["never"] * 4
    make_answer(make_run("primary discarded"))
    assert states() == states("7") == ["cited", "never", "cited", "never"]
    assert [each[1:] for each in coverage_by_section(house.document, ALL())] == [
        (4, 1, 1),
        (0, 0, 0),
        (4, 1, 1),
        (0, 0, 0),
    ]
    other = signed_in(house.viewer).get(f"/audit/coverage/{house.document.pk}/")
    assert {section.state for section in other.context["sections"]} == {"never"}, "of what one may read"
    assert "only proposed" in other.content.decode()
    assert signed_in(house.auditor).get(f"/audit/coverage/{house.document.pk}/?days=x").status_code == 400


def test_the_strip_of_a_base_is_for_those_who_audit_it(
    house: House, make_run: MakeRun, signed_in: SignIn, settings: Any
) -> None:
    address, page = f"/audit/quality/{house.base.pk}/", f"/bases/{house.base.pk}/"
    assert "reviewed" not in signed_in(house.owner).get(address).content.decode(), "nothing was asked yet"
    review(make_run(), None, house.auditor, Opinion("wrong", reason="The page says otherwise."))
    for person in (house.owner, house.auditor):
        assert "1 of 1 question reviewed" in signed_in(person).get(address).content.decode()
        assert address in signed_in(person).get(page).content.decode()
    for person in (house.viewer, house.stranger):
        assert signed_in(person).get(address).status_code == 404
    assert address not in signed_in(house.viewer).get(page).content.decode()


@pytest.mark.parametrize(("who", "count"), [("auditor", "1 question "), ("stranger", "0 questions"), ("viewer", "0 q")])
def test_it_counts_only_what_a_person_may_read(
    house: House, make_run: MakeRun, signed_in: SignIn, who: str, count: str
) -> None:
    make_run()
    page = signed_in(getattr(house, who)).get("/audit/figures/").content.decode()
    assert count in page
    assert "style=" not in page


def test_a_sign_of_risk_leads_to_the_queue_of_the_base_that_is_shown(
    house: House, make_run: MakeRun, signed_in: SignIn
) -> None:
    make_run("", status="failed")
    client = signed_in(house.auditor)
    assert 'href="/audit/queue/?risk=failed"' in client.get("/audit/figures/").content.decode()
    link = f"/audit/queue/?base={house.base.pk}&amp;risk=failed"
    assert f'href="{link}"' in client.get(f"/audit/figures/?base={house.base.pk}").content.decode()
    assert client.get(link.replace("&amp;", "&")).context["base"] == house.base
    Membership.objects.filter(user=house.auditor).update(role="viewer")
    assert "/audit/queue/?" not in client.get("/audit/figures/").content.decode()


def test_it_shows_figures_and_coverage_with_their_tables(
    house: House, make_run: MakeRun, make_answer: MakeAnswer, signed_in: SignIn
) -> None:
    run = make_run()
    read(house)
    make_answer(run)
    review(run, run.candidates.all()[0], house.auditor, Opinion("agree"))
    client = signed_in(house.auditor)
    page = client.get("/audit/figures/?days=90").content.decode()
    assert page.count('class="chart"') == 2
    assert page.count('class="drawn"') >= 9 + 4 + 1
    assert page.count('class="chartkey"') == 6
    assert page.count("<table") >= 9
    assert "Candidates reviewed one by one: 1. Auditors agreed with the role of 1" in page
    assert client.get("/audit/figures/?days=5").status_code == 400
    coverage = client.get(f"/audit/coverage/{house.document.pk}/").content.decode()
    assert "1 were cited" in coverage and "1 never proposed" in coverage
    assert signed_in(house.stranger).get(f"/audit/coverage/{house.document.pk}/").status_code == 404


def test_charts_keep_their_proportions() -> None:
    key = LegendKey("in-warn", "not found")
    drawn = columns([Point("a", 50, ""), Point("b", 100, ""), Point("c", 0, "")], key, "", unit=" %", most=100)
    heights = [rect.height for rect in drawn.rects if rect.css == key.css]
    assert heights[1] == 2 * heights[0] and heights[2] == 0
    assert all(rect.y + rect.height < HEIGHT and rect.x + rect.width <= 100 for rect in drawn.rects)
    assert [label.text for label in drawn.labels] == ["a", "50 %", "b", "100 %", "c", "0 %"]
    assert columns([], key, "").rects == ()


def test_bars_share_one_scale_and_end_in_their_number() -> None:
    both = Series("in-good", "kept", itemgetter(0)), Series("in-other", "refused", itemgetter(1))
    drawn = bars([(1, 3), (0, 0), (1500, 500.5)], *both, unit=" ms")
    assert drawn.keys == (("in-good", "kept"), ("in-other", "refused"))
    small, empty, full = (bar for _, bar in drawn.rows)
    assert small.rects[1].width == pytest.approx(3 * small.rects[0].width, abs=0.02)
    assert full.rects[1].x == full.rects[0].width and full.end == BAR_MAX
    assert (empty.rects, empty.end, empty.value, full.value) == ((), 0, "0 ms", "2,000.5 ms")
    assert small.words == "kept: 1 ms, refused: 3 ms"


@pytest.mark.parametrize(("values", "share", "value"), [([3, 1, 2], 50, 2), ([1], 95, 1), (range(1, 101), 95, 95)])
def test_percentiles(values: list[float], share: int, value: float) -> None:
    assert percentile(list(values), share) == value
