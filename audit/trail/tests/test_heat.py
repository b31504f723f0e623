"""The heatmap of a page: shades by nearness, what was searched, lines left out, and what is said without an encoder."""

from uuid import uuid4

import pytest

from audit.conftest import PASSAGE, House, MakeRun
from audit.trail import heat
from audit.trail.heat import COLDEST, HOTTEST, NEAREST_SHOWN, STEPS, find_searched_text, heat_of, shade_line
from documents.models import Line
from llm.embeddings import bundled
from llm.embeddings.encoder import EncoderMissing
from retrieval.models import RetrievalRun

needs_encoder = pytest.mark.skipif(not bundled.is_available(), reason="the encoder's weights are not installed")


@pytest.mark.parametrize(
    ("cosine", "step"),
    [
        (-1.0, 0),
        (0.0, 0),
        (COLDEST, 0),
        (0.41, STEPS // 2),
        (HOTTEST - 0.001, STEPS - 1),
        (HOTTEST, STEPS - 1),
        (1.0, STEPS - 1),
        (1.5, STEPS - 1),
    ],
)
def test_a_line_has_the_shade_of_its_nearness(cosine: float, step: int) -> None:
    box = shade_line(Line(x0=10.04, y0=20.06, x1=110.04, y1=32.06), cosine)
    assert box.css == f"heat heat-{step}" and box[:4] == (10.0, 20.1, 100.0, 12.0)


def test_shades_never_fall_when_nearness_rises() -> None:
    line = Line(x0=0, y0=0, x1=1, y1=1)
    shades = [shade_line(line, number / 100).css for number in range(-100, 101)]
    assert shades == sorted(shades) and len(set(shades)) == STEPS


@pytest.mark.parametrize(
    ("parsed", "text"),
    [
        ({"topic": "rent", "corrected": "the rent"}, "rent"),
        ({"topic": "", "corrected": "the rent"}, "the rent"),
        ({"corrected": ""}, "What?"),
        ({}, "What?"),
        ({"topic": 7}, "7"),
    ],
)
def test_what_is_compared_is_what_was_searched(parsed: dict[str, object], text: str) -> None:
    assert find_searched_text(RetrievalRun(parsed=parsed, question="What?")) == text


@pytest.mark.django_db
def test_a_page_that_is_gone_has_no_heat(house: House, make_run: MakeRun) -> None:
    run = make_run()
    for parse_id, page in ((house.parse.pk, 2), (house.parse.pk, 99), (uuid4(), 1)):
        assert heat_of(run, parse_id, page) == heat.Heat(note="gone")
    Line.objects.update(text="  ")
    assert heat_of(run, house.parse.pk, 1).note == "gone"


@pytest.mark.django_db
def test_without_an_encoder_the_page_says_so(house: House, make_run: MakeRun, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(texts: tuple[str, ...]) -> None:
        raise EncoderMissing("not installed")

    monkeypatch.setattr(bundled, "embed_texts", fail)
    heat.cosines_of.cache_clear()
    found = heat_of(make_run(), house.parse.pk, 1)
    assert (found.note, found.boxes, found.nearest) == ("no_encoder", (), ())


@needs_encoder
@pytest.mark.django_db
def test_the_nearest_lines_come_first_and_running_headers_not_at_all(house: House, make_run: MakeRun) -> None:
    """R34."""
    Line.objects.filter(number=2).update(text="How is attention computed?")
    Line.objects.filter(number=3).update(text="How is attention computed?", kind="furniture")
    Line.objects.filter(number=4).update(text="")
    heat.cosines_of.cache_clear()
    found = heat_of(make_run(), house.parse.pk, 1)
    assert [line.number for line in found.nearest] == [2, 1] and found.nearest[0].cosine > 0.9
    assert found.nearest[1].text == PASSAGE and len(found.boxes) == 2 and found.note == ""
    assert found.boxes[0].css == f"heat heat-{STEPS - 1}" and len(found.nearest) <= NEAREST_SHOWN
