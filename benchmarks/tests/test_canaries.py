"""A slice of the canaries: nothing crosses, everybody sees their own, and a leak would be noticed."""

import pytest

from benchmarks import canaries
from benchmarks.canaries import Watch


@pytest.mark.django_db(transaction=True)
def test_nothing_of_one_base_reaches_the_other() -> None:
    figures = canaries.run(10)
    assert figures["leaked"] == []
    assert figures["questions"] == 10 and figures["facts"] == 100
    assert figures["facts_seen_by_their_own"] > 5
    ways = {"chat", "stream", "retrieve", "page", "follow-up", "lists", "exports", "audit", "documents"}
    assert figures["texts"].keys() == ways | {"errors", "after leaving", "prompts"}


def test_a_leak_is_noticed() -> None:
    watch = Watch()
    watch.look("chat", "The code is canary1, not canary2.", {"own": "canary1"}, {"foreign": "canary2"})
    assert (watch.leaks, watch.own) == (["chat: foreign"], {"canary1"})
