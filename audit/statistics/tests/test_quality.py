"""How many answers were reviewed and how many of them are wrong: counted from the verdicts that stand."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from audit.conftest import House, MakeAnswer, MakeRun, look_for_signs
from audit.review.reviewing import Opinion, review
from audit.review.sampling import take_sample
from audit.review.signing import count_figures, describe_sign_off, of_period, of_sample, sign
from audit.runs.tests.test_verdicts import Given, give
from audit.statistics.quality import quality_of, quality_of_sample, quality_over
from chat.models import Turn
from chat.turns.conductor import STOPPED_BY_ASKER
from retrieval.models import RetrievalRun

Counts = tuple[int, int, int, int]  # answers, reviewed, wrong, faulty


def counts_of(*found: Any) -> list[Counts]:
    return [(each.answers, each.reviewed, each.wrong, each.faulty) for each in found]


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([], (0, 0, 0, 0)),
        ([[]], (1, 0, 0, 0)),
        ([[("owner", "agree", False)], []], (2, 1, 0, 0)),
        ([[("owner", "wrong", False)], [("owner", "unsupported", False)], []], (3, 2, 1, 1)),
        ([[("owner", "absent", False)]], (1, 1, 1, 0)),
        ([[("owner", "wrong", False), ("auditor", "agree", False)]], (1, 1, 0, 0)),
        ([[("owner", "agree", False), ("auditor", "wrong", False)]], (1, 1, 1, 0)),
        ([[("owner", "agree", False), ("auditor", "wrong", True)]], (1, 1, 0, 0)),
        ([[("owner", "wrong", True), ("auditor", "incomplete", True)]], (1, 1, 0, 1)),
    ],
)
def test_it_counts_each_answer_once_by_what_stands(
    house: House, make_run: MakeRun, verdicts: list[Given], expected: Counts
) -> None:
    for given in verdicts:
        give(house, make_run(), given)
    assert counts_of(quality_of(RetrievalRun.objects.all(), "")) == [expected]


def test_a_review_of_a_candidate_is_none_of_the_answer(house: House, make_run: MakeRun) -> None:
    run = make_run()
    review(run, run.candidates.order_by("position")[0], house.auditor, Opinion("agree"))
    assert counts_of(quality_of(RetrievalRun.objects.all(), "")) == [(1, 0, 0, 0)]


@pytest.mark.parametrize(
    ("days", "expected"),
    [(7, [(1, 1, 1, 0), (1, 0, 0, 0)]), (30, [(2, 1, 1, 0), (2, 1, 0, 0)]), (90, [(4, 2, 1, 0), (0, 0, 0, 0)])],
)
def test_the_time_before_is_as_long(house: House, make_run: MakeRun, days: int, expected: list[Counts]) -> None:
    outcomes = {1: "wrong", 10: "", 40: "agree", 59: ""}
    for age, outcome in outcomes.items():
        run = make_run(created_at=timezone.now() - timedelta(days=age))
        give(house, run, [("owner", outcome, False)] if outcome else [])
    assert counts_of(*quality_over(RetrievalRun.objects.all(), days)) == expected


def test_a_sample_stands_beside_the_one_before(house: House, make_run: MakeRun) -> None:
    give(house, make_run(), [("owner", "wrong", False)])
    first = take_sample(house.base, 5, house.auditor)
    make_run()
    second = take_sample(house.base, 5, house.auditor)
    assert counts_of(*quality_of_sample(first)) == [(1, 1, 1, 0)]
    assert counts_of(*quality_of_sample(second)) == [(2, 1, 1, 0), (1, 1, 1, 0)]


def words_of(page: str) -> str:
    strip = page[page.index('<ul class="quality"') :]
    return " ".join(strip[: strip.index("</ul>")].split())


@pytest.mark.parametrize(
    ("outcome", "words", "kind"),
    [
        ("", ["0 of 2 questions reviewed,", "0 wrong"], ""),
        ("wrong", ["1 of 2 questions reviewed,", "1 wrong"], "s-fail"),
        ("unsupported", ["0 wrong", "1 incomplete or not supported"], "s-warn"),
        ("agree", ["1 of 2 questions reviewed,", "0 wrong"], ""),
    ],
)
@pytest.mark.parametrize("place", ["list", "figures", "sample"])
def test_the_strip_is_on_list_figures_and_sample(
    house: House, make_run: MakeRun, browse: Any, place: str, outcome: str, words: list[str], kind: str
) -> None:
    give(house, make_run(), [("owner", outcome, False)] if outcome else [])
    make_run()
    sample = take_sample(house.base, 5, house.auditor)
    address = {"list": "/audit/", "figures": "/audit/figures/", "sample": f"/audit/queue/{sample.pk}/"}[place]
    strip = words_of(browse(house.auditor, address).content.decode())
    assert all(each in strip for each in words)
    assert [name for name in ("s-ok", "s-fail", "s-warn") if name in strip] == ([kind] if kind else [])


@pytest.mark.parametrize(
    ("person", "query", "answers"),
    [
        ("auditor", "", 1),
        ("owner", "?base={base}", 1),
        ("stranger", "", 0),
        ("stranger", "?base={base}", 0),
        ("asker", "", None),
        ("viewer", "", None),
    ],
)
def test_the_list_counts_the_bases_a_person_audits(
    house: House, make_run: MakeRun, browse: Any, person: str, query: str, answers: int | None
) -> None:
    make_run()
    page = browse(getattr(house, person), "/audit/" + query.format(base=house.base.pk))
    shown = page.context["quality"]
    assert (shown[0].answers if shown else None) == answers
    assert ('class="quality"' in page.content.decode()) is bool(shown)


UNANSWERED: dict[str, dict[str, Any]] = {
    "asked back": {"status": "clarify", "roles": "", "hits": []},
    "stopped": {"status": "failed", "roles": "", "failure": STOPPED_BY_ASKER},
}


@pytest.mark.parametrize("how", UNANSWERED)
def test_what_has_no_answer_to_review_is_counted_nowhere(
    house: House, make_run: MakeRun, browse: Any, how: str
) -> None:
    """The figures, the list, the sample and the strip of the base say one number, and so does the period's sign-off."""
    give(house, make_run(), [("owner", "agree", False)])
    make_run(**UNANSWERED[how])
    sample, today = take_sample(house.base, 5, house.auditor), timezone.now().date()
    addresses = ["/audit/", "/audit/figures/", f"/audit/queue/{sample.pk}/", f"/audit/quality/{house.base.pk}/"]
    for address in addresses:
        assert "1 of 1 question reviewed," in words_of(browse(house.auditor, address).content.decode()), address
    for subject in (of_period(house.base, today, today), of_sample(sample)):
        figures = count_figures(subject)
        assert (figures["runs"], figures["answers"], figures["reviewed"]) == (2, 1, 1)
    look_for_signs()
    told = describe_sign_off(sign(of_period(house.base, today, today), house.auditor))
    assert told.startswith("Questions: 2; read, with a verdict: 1,") and "; not read, only not flagged: 0;" in told
    assert told.endswith("1 question had no answer to review: it was asked back, or stopped.")
    assert describe_sign_off(sign(of_sample(sample), house.auditor)).startswith("2 of 2 questions, drawn")


@pytest.mark.parametrize("how", UNANSWERED)
def test_what_somebody_judged_without_an_answer_is_counted(house: House, make_run: MakeRun, how: str) -> None:
    give(house, make_run(**UNANSWERED[how]), [("owner", "wrong", False)])
    assert counts_of(quality_of(RetrievalRun.objects.all(), "")) == [(1, 1, 1, 0)]


def test_an_answer_that_was_stopped_halfway_can_be_reviewed(
    house: House, make_run: MakeRun, make_answer: MakeAnswer
) -> None:
    answer = make_answer(make_run(), ended="stopped")
    assert answer.turn
    Turn.objects.filter(pk=answer.turn.pk).update(state=Turn.State.STOPPED)
    assert counts_of(quality_of(RetrievalRun.objects.all(), "")) == [(1, 0, 0, 0)]
