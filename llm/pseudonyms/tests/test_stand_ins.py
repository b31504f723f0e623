"""Stand-ins of one request: whom they stand for, what they cannot be mistaken for, and how they are put back."""

from collections.abc import Iterator, Sequence

import pytest
from pytest_django import Settings

from llm.dialect import Ask
from llm.pseudonyms.stand_ins import Personal, StandIns, StreamedPutBack, hide_body, hiding, make_stand_ins, spelling_at

NAMES = {"Jane Roe": ("person", ("Jane", "Roe")), "j@example.org": ("email", ()), "Will Smith": ("person", ("Will",))}


def find_listed(text: str, known: Sequence[str]) -> Iterator[Personal]:
    """A finder of three fixed names; the last of them is not sure."""
    for name, (kind, parts) in NAMES.items():
        if name in text:
            yield Personal(kind, (name, *parts), name != "Will Smith")


@pytest.fixture(autouse=True)
def _listed(settings: Settings) -> Iterator[None]:
    settings.PERSONAL_DATA_FINDER = f"{__name__}.find_listed"
    with hiding(()):
        yield


def test_each_spelling_of_one_somebody_has_a_stand_in_of_its_own_and_is_put_back_as_it_stood() -> None:
    text = "Jane Roe pays. ROE owes jane  roe's fee, and roe_1 is j@example.org; J@Example.org."
    stand_ins = make_stand_ins([text])
    hidden = stand_ins.hide(text)
    assert hidden == (
        "[Person 1] pays. [Person 1b] owes [Person 1c]'s fee, and [Person 1d]_1 is [E-mail 1]; [E-mail 1b]."
    )
    assert stand_ins.put_back(hidden) == text and stand_ins.counts == {"person": 1, "email": 1}


def test_a_word_that_may_be_a_name_is_hidden_only_with_a_capital() -> None:
    text = "Will Smith signs. Will that do? It will."
    assert make_stand_ins([text]).hide(text) == "[Person 1] signs. [Person 1b] that do? It will."


def test_a_stand_in_that_is_printed_in_a_document_is_nobodys() -> None:
    text = "[Person 1] and [Person 2b] are printed here; Jane Roe signs."
    stand_ins = make_stand_ins([text])
    assert stand_ins.hide(text) == "[Person 1] and [Person 2b] are printed here; [Person 3] signs."
    assert stand_ins.put_back("[Person 3] and [Person 1] met [Person 4].") == "Jane Roe and [Person 1] met [Person 4]."


def test_what_stands_for_somebody_is_never_read_as_a_stand_in_itself() -> None:
    stand_ins = StandIns({"[Person 1]": "[Person 2]", "[Person 2]": "Jane Roe"})
    assert stand_ins.put_back("[Person 1]") == "[Person 2]"


def test_a_stored_request_is_written_again_from_its_text_and_its_stand_ins(settings: Settings) -> None:
    ask = Ask("m", "Names: Jane Roe.\n<guidance>\nJane Roe is the tenant.\n</guidance>", "Jane Roe, Roe, j@example.org")
    stand_ins = make_stand_ins([ask.instructions, ask.prompt])
    sent = stand_ins.hide_ask(ask)
    assert sent.instructions == "Names: Jane Roe.\n<guidance>\n[Person 1] is the tenant.\n</guidance>"
    settings.PERSONAL_DATA_FINDER = "whatever.finds.them.now"
    assert StandIns(dict(stand_ins.originals)).hide_ask(ask) == sent


@pytest.mark.parametrize("length", range(1, 8))
def test_a_stand_in_cut_anywhere_is_put_back_whole(length: int) -> None:
    stand_ins = StandIns({"[Person 1]": "Jane Roe", "[Person 12]": "John Doe", "[E-mail 1]": "j@example.org"})
    text = "[Person 1] [1] and [Person 12][Person 3] write [[E-mail 1]] [Pers"
    put_back, shown = StreamedPutBack(stand_ins), []
    for start in range(0, len(text), length):
        shown.append(put_back.feed(text[start : start + length]))
        assert "[Person 1" not in "".join(shown)
    assert "".join([*shown, put_back.rest()]) == "Jane Roe [1] and John Doe[Person 3] write [j@example.org] [Pers"


def test_a_piece_that_begins_no_stand_in_is_shown_at_once() -> None:
    put_back = StreamedPutBack(StandIns({"[Person 1]": "Jane Roe"}))
    assert put_back.feed("The rent [1") == "The rent [1" and put_back.feed("]. [P") == "]. "


def test_texts_to_embed_do_not_depend_on_each_other_and_those_to_rerank_do() -> None:
    body, stand_ins, counts = hide_body({"model": "m", "input": ["Jane Roe", "Roe alone", "Roe of Jane Roe"]})
    assert body["input"] == ["[Person]", "Roe alone", "[Person] of [Person]"] and counts == {"person": 2}
    assert not stand_ins.originals
    body, stand_ins, _ = hide_body({"model": "m", "query": "Roe?", "documents": ["Jane Roe"]})
    assert (body["query"], body["documents"]) == ("[Person 1]?", ["[Person 1b]"])
    assert stand_ins.originals == {"[Person 1]": "Roe", "[Person 1b]": "Jane Roe"}


def test_outside_the_block_nothing_is_hidden() -> None:
    with hiding(None):
        assert make_stand_ins(["Jane Roe"]).originals == {}
        assert hide_body({"input": ["Jane Roe"]})[0] == {"input": ["Jane Roe"]}


def test_no_two_spellings_share_a_stand_in() -> None:
    assert len({spelling_at(number) for number in range(200)}) == 200
    assert [spelling_at(number) for number in (0, 1, 24, 25)] == ["", "b", "y", "zb"]
