"""Words that a model missed are learned for the concept of a question, and searched the next time (R83, R84)."""

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User
from audit.keeping.erasure import Erasing, erase_run
from chat.asking import keep_question
from chat.models import Retrieval, Turn
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from chat.turns.evidence import retrieve_evidence
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase
from ledger.models import Event
from retrieval.dictionary.csv_format import WordRow
from retrieval.dictionary.editing import add_concept, rename_concept
from retrieval.dictionary.learned import learned_of, standings_of_words
from retrieval.models import Concept, LearnedWord, RetrievalRun, Term
from retrieval.question.by_model import ADDED_MAX
from retrieval.question.learned import LEARNED_MAX, LEARNED_WEIGHT
from tests.scripted_llm import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)
Serve = Callable[..., ScriptedLLM]

QUESTION = "How can the rent of the garden be ended?"
GOING = "You may go at any time, with three months of warning."
HEATING = "\n\n".join(
    f"Radiator {number} is in the hall, and whoever closes it tells the caretaker." for number in range(60)
)
FLATS = "\n\n".join(f"# Flat {flat}\n\nThe rent of flat {flat} is {flat}00 francs." for flat in range(1, 13))
LEASE = f"{FLATS}\n\n# Heating\n\n{HEATING}\n\n# Going away\n\n{GOING}\n\n# Hot water\n\n{HEATING}\n"


@pytest.fixture
def flats(base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings) -> Document:
    """A page on the rent of each flat, and one that says how to leave in other words."""
    KnowledgeBase.objects.filter(pk=base.pk).update(settings={"embeddings": "none", "pool_max": 5})
    base.refresh_from_db()
    settings.MEDIA_ROOT = tmp_path / "files"
    path = tmp_path / "flats.md"
    path.write_text(LEASE)
    return ingest_path(path, base, tenant)


def ask_of(document: Document, user: User, text: str = QUESTION, mode: str = "balanced") -> RetrievalRun:
    turn = keep_question(user, QuestionScope(document.base, (document,)), text, mode, form_id=uuid.uuid4())
    answer_turn(turn.pk)
    run = Turn.objects.select_related("run").get(pk=turn.pk).run
    assert run is not None
    return run


def wanting(serve: Serve, *words: str) -> ScriptedLLM:
    """A model that asks for these words, and for which only the passage on leaving is the answer."""
    server = serve()
    server.wanted = {"wanted_sections": [], "wanted_words": list(words)}
    server.favours = GOING
    return server


def learned_in(run: RetrievalRun) -> list[dict[str, Any]]:
    return [each for each in run.parsed["keywords"] if each["source"] == "learned"]


def rows() -> list[tuple[str, str, str]]:
    return list(LearnedWord.objects.order_by("pk").values_list("kind", "asked", "word"))


def test_what_was_missed_and_helped_is_searched_with_the_next_question(
    flats: Document, tenant: User, serve: Serve
) -> None:
    """(R83)"""
    server = wanting(serve, "months of warning", "cellar")
    first = ask_of(flats, tenant)
    assert learned_in(first) == [] and GOING in first.candidates.get(role="primary").anchor_text
    assert rows() == [("learned", "rent garden", "months of warning")], "the cellar led nowhere"
    assert LearnedWord.objects.get().run_id == first.pk
    server.wanted, asked = None, len(server.requests)
    second = ask_of(flats, tenant, "Can the garden's rent be ended?")
    (keyword,) = learned_in(second)
    assert (keyword["text"], keyword["weight"], keyword["priority"]) == (
        "months of warning",
        LEARNED_WEIGHT,
        "secondary",
    )
    primary = second.candidates.get(role="primary")
    assert GOING in primary.anchor_text and primary.methods == ["keywords"]
    assert primary.matched_keywords == ["months of warning"]
    judging = [request for request in server.requests[asked:] if "<candidate" in str(request.body)]
    assert len(judging) == 1, "one look was enough"
    assert [kind for kind, _, _ in rows()] == ["learned", "helped"]
    assert standings_of_words(flats.base)[0].helped == 1


def test_a_question_of_something_else_is_asked_without_it(flats: Document, tenant: User, serve: Serve) -> None:
    wanting(serve, "months of warning").favours = GOING
    ask_of(flats, tenant)
    assert learned_in(ask_of(flats, tenant, "What is the rent of flat 3?")) == []
    assert learned_in(ask_of(flats, tenant, "Where is the garden?")) == [], "it has a part of the topic only"


def test_a_word_is_learned_once_in_whatever_inflection(flats: Document, tenant: User, serve: Serve) -> None:
    server = wanting(serve, "warning", "rented", "three", "2024")
    server.favours = GOING
    ask_of(flats, tenant)
    server.wanted = {"wanted_sections": [], "wanted_words": ["Warnings"]}
    ask_of(flats, tenant, QUESTION + " Say it.", mode="thorough")
    learned = LearnedWord.objects.filter(kind="learned")
    assert "warning" in learned.values_list("word", flat=True)
    assert learned.filter(stems="warn").count() == 1
    assert not learned.filter(word__in=["rented", "2024", "three"]).exists(), "a word of the question, and figures"


def test_nothing_is_learned_where_the_place_was_no_answer(flats: Document, tenant: User, serve: Serve) -> None:
    server = serve()
    server.wanted = {"wanted_sections": [], "wanted_words": ["months of warning"]}
    run = ask_of(flats, tenant)
    assert any(hit["wanted_words"] for hit in run.hits) and not LearnedWord.objects.exists()


def test_a_concept_of_the_dictionary_learns_for_all_its_terms(flats: Document, tenant: User, serve: Serve) -> None:
    add_concept(flats.base, WordRow("Ending", "en", "be ended"))
    concept = Concept.objects.get(base=flats.base, name="Ending")
    Term.objects.create(concept=concept, language="en", text="moving out", priority="primary")
    wanting(serve, "warning")
    ask_of(flats, tenant)
    row = LearnedWord.objects.get()
    assert (row.concept, row.topic, row.asked) == ("Ending", "", "Ending")
    assert [each["text"] for each in learned_in(ask_of(flats, tenant, "Is moving out allowed?"))] == ["warning"]
    rename_concept(concept, "Leaving")
    assert [each["text"] for each in learned_in(ask_of(flats, tenant, "When is moving out allowed?"))] == ["warning"]


def test_what_is_added_stays_bounded(flats: Document, tenant: User, serve: Serve) -> None:
    """(R84)"""
    for number in range(20):
        LearnedWord.objects.create(
            base=flats.base,
            topic="garden rent",
            asked="rent garden",
            word=f"word{number}",
            stems=f"word{number}",
            language="en",
            kind="learned",
            created_at=timezone.now(),
        )
    server = serve()
    words = [f"other {number}" for number in range(20)]
    server.reading = {
        "corrected": QUESTION,
        "intent": "open_scoped",
        "shape": "single",
        "answer_type": "text",
        "parts": [],
        "rewrites": [{"of": "rent", "words": words}],
    }
    run = ask_of(flats, tenant, mode="thorough")
    added = [each for each in run.parsed["keywords"] if each["source"] in ("learned", "llm_rewrite")]
    assert len(learned_in(run)) == LEARNED_MAX and len(added) == ADDED_MAX
    assert {"rent", "garden", "ended"} <= {
        each["text"] for each in run.parsed["keywords"] if each["source"] == "direct"
    }


def test_a_learned_word_is_no_word_of_the_question_for_what_is_absent(flats: Document, tenant: User) -> None:
    LearnedWord.objects.create(
        base=flats.base,
        topic="helicopt",
        asked="helicopter",
        word="warning",
        stems="warn",
        language="en",
        kind="learned",
        created_at=timezone.now(),
    )
    run = ask_of(flats, tenant, "Who flies the helicopter?")
    assert len(learned_in(run)) == 1
    assert run.status == "not_found" and [each["text"] for each in run.searched] == ["flies", "helicopter"]


def test_the_evidence_for_a_program_teaches_too(flats: Document, tenant: User, serve: Serve) -> None:
    wanting(serve, "warning")
    retrieval = Retrieval.objects.create(base=flats.base, user=tenant, question=QUESTION, mode="balanced")
    retrieve_evidence(retrieval.pk)
    assert rows() == [("learned", "rent garden", "warning")]


# ---- its owners


def learn(flats: Document, tenant: User, serve: Serve) -> LearnedWord:
    wanting(serve, "warning")
    ask_of(flats, tenant)
    return LearnedWord.objects.get()


def change(client: Client, row: LearnedWord, **sent: str) -> int:
    return client.post(reverse("retrieval:learned_word", args=[row.base_id, row.pk]), sent).status_code


def test_an_owner_switches_it_off_and_on(client: Client, flats: Document, tenant: User, serve: Serve) -> None:
    row = learn(flats, tenant, serve)
    client.force_login(tenant)
    page = client.get(reverse("retrieval:dictionary", args=[flats.base_id])).content.decode()
    assert "Learned words" in page and "rent garden" in page
    assert reverse("audit:trail", args=[row.run_id]) in page
    assert [change(client, row, action="off") for _ in range(2)] == [302, 302]
    assert learned_of(flats.base) == () and learned_in(ask_of(flats, tenant, QUESTION + " Now?")) == []
    assert change(client, row, action="on") == 302
    assert [each.word for each in learned_of(flats.base)] == ["warning"]
    kinds = list(LearnedWord.objects.order_by("pk").values_list("kind", flat=True))
    assert kinds == ["learned", "off", "on"], "the second click changed nothing"
    told = Event.objects.filter(kind="learned_word_changed").order_by("created_at").values_list("details", flat=True)
    assert [each["change"] for each in told] == ["off", "on"]
    assert [change(client, row, action="burn"), change(client, row)] == [404, 404]


def test_an_owner_takes_it_into_the_dictionary(client: Client, flats: Document, tenant: User, serve: Serve) -> None:
    row = learn(flats, tenant, serve)
    client.force_login(tenant)
    assert change(client, row, action="take", concept_name="") == 302
    assert not Term.objects.filter(text="warning").exists(), "a concept needs a name"
    assert [change(client, row, action="take", concept_name="Ending the rent") for _ in range(2)] == [302, 302]
    concept = Concept.objects.get(name="Ending the rent", base=flats.base)
    assert sorted(concept.terms.values_list("text", "priority")) == [
        ("Ending the rent", "primary"),
        ("warning", "secondary"),
    ]
    assert learned_of(flats.base) == () and standings_of_words(flats.base)[0].is_taken


def test_nobody_else_sees_or_changes_it(
    client: Client, flats: Document, tenant: User, viewer: User, stranger: User, serve: Serve
) -> None:
    row = learn(flats, tenant, serve)
    there = reverse("retrieval:dictionary", args=[flats.base_id])
    client.force_login(viewer)
    assert "Learned words" not in client.get(there).content.decode()
    assert change(client, row, action="off") == 404
    client.force_login(stranger)
    assert (client.get(there).status_code, change(client, row, action="off")) == (404, 404)
    other = KnowledgeBase.objects.get(name="Elsewhere")
    assert client.post(reverse("retrieval:learned_word", args=[other.pk, row.pk]), {"action": "off"}).status_code == 404
    assert Client(enforce_csrf_checks=True).post(there).status_code in (302, 403)
    assert LearnedWord.objects.count() == 1


def test_the_trail_marks_it(client: Client, flats: Document, tenant: User, serve: Serve) -> None:
    learn(flats, tenant, serve)
    second = ask_of(flats, tenant, "Can the garden's rent be ended?")
    client.force_login(tenant)
    page = client.get(reverse("audit:trail", args=[second.pk])).content.decode()
    assert "warning (learned)" in page and "words learned from earlier questions" in page


def test_no_row_is_changed_but_by_an_erasure(flats: Document, tenant: User, serve: Serve) -> None:
    row = learn(flats, tenant, serve)
    with pytest.raises(DatabaseError), transaction.atomic():
        LearnedWord.objects.update(word="else")
    run = RetrievalRun.objects.get(learned_words=row)
    erase_run(run, Erasing("console", "asked for"))
    row.refresh_from_db()
    assert (row.topic, row.asked, row.word, row.stems) == ("", "", "", "")
    assert learned_of(flats.base) == ()
