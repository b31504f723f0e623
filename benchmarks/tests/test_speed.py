"""What is compared in one run is taken in turns, and what is not installed is told and left out."""

import pytest

from benchmarks import peers, speed


def test_each_is_first_as_often_as_the_others() -> None:
    done: list[str] = []
    acts = {name: lambda task, name=name: done.append(f"{name}{task}") for name in ("a", "b")}
    spent = speed.in_turns(acts, (1, 2))
    assert done == ["a1", "b1", "b2", "a2"] and [len(each) for each in spent.values()] == [2, 2]


def test_a_ratio_is_of_the_middle_times() -> None:
    spent = {"ours": [9.0, 1.0, 2.0], "peer": [4.0, 4.0, 1.0]}
    assert speed.ratio(spent, "ours", "peer") == 0.5
    assert speed.ratio(spent, "ours", "absent") is None


def test_what_is_missing_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "PACKAGES", ("json",))
    assert peers.tell_missing() == ""
    monkeypatch.setattr(peers, "PACKAGES", ("json", "docintel_absent"))
    assert peers.tell_missing().startswith("docintel_absent missing: ")
