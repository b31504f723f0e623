"""A change that waits for a golden check: nothing is in effect before, whichever way it was sent."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from audit.conftest import House
from audit.models import AuditEvent, Rejudgement
from audit.proof.verification import verify
from audit.review.proposed import (
    FATES,
    Expectation,
    basis_of,
    find_proposal_check,
    has_passed,
    judge_fate,
    standing_of_proposal,
    take_effect,
)
from audit.review.rejudging import ask_for_proposal_check, judge_stored
from audit.review.reviewing import Opinion, review
from audit.review.tests.test_replay import Ask, ask, lease  # noqa: F401  (fixtures)
from chat.prompts.guidance import change_guidance
from documents.access import change_settings, set_role
from documents.base_settings import BaseSettings, SettingsError
from documents.guarding.guard import KINDS, AlreadyProposed, ChangeProposed, ProposalRefused, trial_of
from documents.guarding.proposals import withdraw
from documents.models import Document, KnowledgeBase, ProposalEnd, ProposedChange
from documents.tests.test_views import GOOD
from ledger.models import Event
from llm.conftest import Serve
from llm.models import LLMCall
from retrieval.corpus import retrieve_among
from retrieval.dictionary.csv_format import WordRow
from retrieval.dictionary.editing import add_concept, delete_term, put_term
from retrieval.dictionary.load import ensure_dictionary
from retrieval.models import LearnedWord, RetrievalRun, Term
from retrieval.question.kinds import RuleRow
from retrieval.reading_rules.editing import change_rules
from retrieval.record.storing import store_run

SignedIn = Callable[[User], Client]
DUES = "What are the zibeline a month?"  # a word that only the dictionary knows


@pytest.fixture
def editor(house: House) -> User:
    user = User.objects.create_user("editor@example.org", name="Editor")
    set_role(house.base, user, "editor")
    return user


@pytest.fixture
def term(house: House, lease: Document) -> Term:  # noqa: F811
    """A dictionary in which `zibeline` is the rent."""
    KnowledgeBase.objects.filter(pk=house.base.pk).update(settings={"embeddings": "none"})
    house.base.refresh_from_db()
    concept = add_concept(house.base, WordRow("zibeline", "en", "zibeline"))
    return put_term(concept, WordRow("zibeline", "en", "rent"))


def confirmed(house: House, question: str, document: Document) -> RetrievalRun:
    """A question asked as the base is, whose best passage an auditor found right."""
    base = KnowledgeBase.objects.get(pk=house.base.pk)
    settings = BaseSettings.from_json(base.settings)
    found = retrieve_among(question, [document], settings=settings, dictionary=ensure_dictionary(base))
    run = store_run(found, base=base, user=house.asker, mode="balanced")
    best = run.candidates.order_by("position").first()
    assert best is not None and best.role == "primary", question
    review(run, best, house.auditor, Opinion("agree"))
    return run


@pytest.fixture
def golden(house: House, term: Term, lease: Document) -> RetrievalRun:  # noqa: F811
    """A base with a golden question that needs its dictionary, and which requires a check."""
    run = confirmed(house, DUES, lease)
    change_settings(house.base, house.base.name, BaseSettings(embeddings="none", golden_check="on"), house.owner)
    return run


def state_of(base: KnowledgeBase) -> dict[str, Any]:
    found = KnowledgeBase.objects.get(pk=base.pk)
    return {name: kind.state(found) for name, kind in KINDS.items()}


def proposed(change: Callable[..., Any], *arguments: Any, **named: Any) -> ProposedChange:
    with pytest.raises(ChangeProposed) as told:
        change(*arguments, **named)
    return told.value.proposal


def standing(proposal: ProposedChange) -> str:
    return standing_of_proposal(
        find_proposal_check(proposal), partial(basis_of, KnowledgeBase.objects.get(pk=proposal.base_id))
    )


def checked(proposal: ProposedChange, by: User) -> tuple[str, dict[str, Any]]:
    job = ask_for_proposal_check(by, proposal)
    judge_stored(job.pk)
    job.refresh_from_db()
    assert job.state == "done" and job.result, job.error
    return standing(proposal), job.result


# ---- whichever way a change is sent


def api(method: str, path: str, body: Any) -> Callable[[Client, House], Any]:
    def send(client: Client, house: House) -> Any:
        address = f"/api/v1/bases/{house.base.pk}{path}"
        return getattr(client, method)(address, json.dumps(body), content_type="application/json")

    return send


def form(path: str, **fields: Any) -> Callable[[Client, House], Any]:
    def send(client: Client, house: House) -> Any:
        return client.post(f"/bases/{house.base.pk}{path}", fields)

    return send


RULE = {"kind": "vague", "name": "", "language": "en", "text": "ledger"}
CSV = b"concept,language,term,priority,weight\nzibeline,en,dues,primary,1\n"
PAGES: dict[str, Callable[[Client, House], Any]] = {
    "settings": form("/settings/", **{**GOOD, "name": "Renamed", "golden_check": "on"}),
    "settings and the check off at once": form("/settings/", **{**GOOD, "name": "Renamed", "golden_check": "off"}),
    "model": form("/model/choose/", model="better"),
    "tier": form("/dictionary/models/", what="default", tier="small"),
    "guidance": form("/prompts/arbiter/", text="Amounts are net.", why="House style", seen=0),
    "concept": form("/dictionary/", concept_name="loan", term="loan", language="en", priority="primary", weight="1"),
    "file": form("/dictionary/import/", csv=CSV.decode(), confirmed="1"),
    "packs": form("/dictionary/packs/", pack=["contracts"]),
    "rule": form("/reading-rules/", **RULE, seen=0, why="It is vague here"),
    "rules by file": lambda client, house: client.post(
        f"/bases/{house.base.pk}/reading-rules/import/",
        {
            "seen": 0,
            "why": "x",
            "file": SimpleUploadedFile("r.csv", b"kind,name,language,text,on\nvague,,en,ledger,yes\n"),
        },
    ),
}
PROGRAMS: dict[str, Callable[[Client, House], Any]] = {
    "settings": api("patch", "", {"settings": {"risk_max": 20}}),
    "settings and the check off at once": api("patch", "", {"settings": {"risk_max": 20, "golden_check": "off"}}),
    "model": api("patch", "", {"name": "Renamed", "settings": {"model": "better"}}),
    "tiers": api("put", "/tiers", {"default": "small"}),
    "guidance": api("post", "/prompts/arbiter", {"text": "Amounts are net.", "why": "House style", "seen": 0}),
    "terms": api("post", "/dictionary", {"rows": [{"concept": "loan", "term": "loan"}]}),
    "rules": api("put", "/reading-rules", {"rows": [RULE], "why": "It is vague here", "seen": 0}),
}


def test_no_way_of_sending_a_change_lets_it_take_effect(
    house: House, golden: RetrievalRun, term: Term, signed_in: SignedIn, settings: Settings
) -> None:
    settings.LLM_MODELS = ("better",)
    word = LearnedWord.objects.create(
        base=house.base,
        concept="zibeline",
        word="dues",
        stems="due",
        language="en",
        kind="learned",
        created_at=golden.created_at,
    )
    concept = f"/dictionary/{term.concept_id}"
    one = f"{concept}/terms/{term.pk}/"
    pages = PAGES | {
        "rename": form(f"{concept}/", name="other"),
        "delete concept": form(f"{concept}/delete/"),
        "new term": form(f"{concept}/terms/", language="en", term="dues", priority="primary", weight="1"),
        "change term": form(
            f"{concept}/terms/{term.pk}/", language="en", term="rent", priority="secondary", weight="0.5"
        ),
        "delete term": form(one, action="delete"),
        "learned word off": form(f"/dictionary/learned/{word.pk}/", action="off"),
        "learned word taken": form(f"/dictionary/learned/{word.pk}/", action="take", concept_name="zibeline"),
    }
    programs = PROGRAMS | {"delete concept": api("delete", concept, {})}
    client, before = signed_in(house.owner), state_of(house.base)
    kinds = set()
    for ways, status in ((pages, 302), (programs, 202)):
        for name, send in ways.items():
            response = send(client, house)
            assert (name, response.status_code) == (name, status), response.content[:500]
            assert (name, state_of(house.base)) == (name, before)
            [proposal] = ProposedChange.objects.open()
            assert proposal.changed and proposal.by == house.owner and proposal.by_name == str(house.owner)
            kinds.add(proposal.kind)
            if status == 302:
                assert response["Location"] == f"/audit/proposals/{house.base.pk}/"
            else:
                told = response.json()
                assert response["Location"] == told["address"] and told["proposal_id"] == str(proposal.pk)
                assert client.get(told["address"]).json()["check"] == "unchecked"
            again = send(client, house)
            assert again.status_code == (302 if status == 302 else 409), "a second one of the kind"
            assert ProposedChange.objects.open().count() == 1 and state_of(house.base) == before
            withdraw(proposal, house.owner)
    assert kinds == set(KINDS), "every kind of change that is guarded was tried"
    assert KnowledgeBase.objects.get(pk=house.base.pk).name == house.base.name
    kept = Event.objects.filter(kind__in=["settings_changed", "guidance_changed", "reading_rules_changed"])
    assert [event.details for event in kept] == [{"golden_check": ["off", "on"]}]


def test_a_proposal_that_would_be_refused_is_refused_and_one_that_changes_nothing_is_done(
    house: House, golden: RetrievalRun, signed_in: SignedIn
) -> None:
    client = signed_in(house.owner)
    wrong = client.patch(
        f"/api/v1/bases/{house.base.pk}", '{"settings": {"risk_max": 1000}}', content_type="application/json"
    )
    assert wrong.status_code == 400
    assert form("/prompts/arbiter/", text="<question>", why="x", seen=0)(client, house).status_code == 400
    assert form("/dictionary/", concept_name="zibeline", language="en", weight="1")(client, house).status_code == 400
    named = api("patch", "", {"name": "Renamed", "settings": {"outside_links": "on", "chunking": "page"}})(
        client, house
    )
    assert named.status_code == 200 and named.json()["name"] == "Renamed"
    assert not ProposedChange.objects.exists()
    off = api("patch", "", {"settings": {"golden_check": "off"}})(client, house)
    assert off.status_code == 200 and Event.objects.filter(kind="settings_changed", details__golden_check=["on", "off"])


def test_it_can_be_required_only_where_there_is_something_to_check_by(house: House, signed_in: SignedIn) -> None:
    with pytest.raises(SettingsError, match="needs test questions"):
        change_settings(house.base, house.base.name, BaseSettings(golden_check="on"), house.owner)
    client = signed_in(house.owner)
    page = form("/settings/", **{**GOOD, "name": "Named", "golden_check": "on"})(client, house)
    assert page.status_code == 400 and b"needs test questions" in page.content
    assert api("patch", "", {"settings": {"golden_check": "on"}})(client, house).status_code == 400


def test_an_editor_proposes_and_is_led_back_and_the_admin_changes_nothing(
    house: House, golden: RetrievalRun, term: Term, editor: User, signed_in: SignedIn
) -> None:
    response = form("/dictionary/packs/", pack=["contracts"])(signed_in(editor), house)
    assert response["Location"] == f"/bases/{house.base.pk}/dictionary/"
    page = signed_in(editor).get(response["Location"]).content.decode()
    assert "Nothing has changed yet" in page and ProposedChange.objects.get().by == editor
    chief = get_user_model().objects.create_superuser("chief@example.org", "x")
    client, before = signed_in(chief), state_of(house.base)
    address = f"/admin/documents/knowledgebase/{house.base.pk}/change/"
    assert client.post(address, {"name": "x", "settings": "{}"}).status_code == 403
    assert client.post(f"/admin/retrieval/concept/{term.concept_id}/delete/", {"post": "yes"}).status_code == 403
    assert state_of(house.base) == before


# ---- what the check says


def test_a_change_that_breaks_a_question_is_told_and_needs_a_reason(
    house: House, golden: RetrievalRun, term: Term, signed_in: SignedIn
) -> None:
    """The questions are searched anew: a stored brief would know nothing of a word that is gone."""
    proposal = proposed(delete_term, term, by=house.owner)
    assert proposal.changed == {"zibeline: rent (en)": ["primary, 1", None]}
    client = signed_in(house.owner)
    address = f"/audit/proposals/{house.base.pk}/{proposal.pk}"
    client.post(f"{address}/effect/", {"reason": "because"})
    assert Term.objects.filter(pk=term.pk).exists(), "it was not checked"
    client.post(f"{address}/check/")
    page = client.get(f"/audit/proposals/{house.base.pk}/").content.decode()
    assert "Waiting for a worker" in page and "Put into effect" not in page
    judge_stored(Rejudgement.objects.get().pk)
    result: Any = Rejudgement.objects.get().result
    [question] = result["questions"]
    [held] = question["held"]
    assert (question["fate"], held["wanted"], held["now"]) == ("worse", "primary", "primary")
    assert held["then"] != "primary" and question["run_id"] == str(golden.pk)
    assert Term.objects.filter(pk=term.pk).exists() and standing(proposal) == "worse"
    page = client.get(f"/audit/proposals/{house.base.pk}/").content.decode()
    assert "1 worse" in page and DUES in page and "in spite of the check" in page
    assert f"/audit/runs/{golden.pk}/" in page
    client.post(f"{address}/effect/", {"reason": " \u200b "})
    assert Term.objects.filter(pk=term.pk).exists(), "no reason was given"
    client.post(f"{address}/effect/", {"reason": "The word is not used any more."})
    assert not Term.objects.filter(pk=term.pk).exists()
    event = Event.objects.get(kind="proposal_effect")
    assert event.details["reason"] == "The word is not used any more." and event.actor == str(house.owner)
    assert event.details["check"] == str(find_proposal_check(proposal).pk)  # type: ignore[union-attr]
    assert Event.objects.get(kind="proposal_check").details["fates"] == {str(golden.pk): "worse"}
    assert DUES not in json.dumps(Event.objects.get(kind="proposal_check").details)
    assert verify().ok


def test_a_change_that_harms_nothing_takes_effect_once(
    house: House, golden: RetrievalRun, term: Term, signed_in: SignedIn
) -> None:
    proposal = proposed(put_term, term.concept, WordRow("zibeline", "en", "monthly charge"), by=house.owner)
    found, result = checked(proposal, house.auditor)
    assert found == "passed" and result["counts"]["right"] == 1
    client = signed_in(house.auditor)
    address = f"/audit/proposals/{house.base.pk}/{proposal.pk}"
    assert client.post(f"{address}/effect/").status_code == 404, "owners put into effect"
    page = client.get(f"/audit/proposals/{house.base.pk}/").content.decode()
    assert "Owners of this base put changes into effect" in page and "effect/" not in page
    client = signed_in(house.owner)
    for _ in range(2):
        client.post(f"{address}/effect/")
    assert term.concept.terms.filter(text="monthly charge").count() == 1
    assert ProposalEnd.objects.get().reason == "" and Event.objects.filter(kind="proposal_effect").count() == 1
    assert client.get(f"/api/v1/bases/{house.base.pk}/proposals/{proposal.pk}").json()["ended"] == "effect"
    with pytest.raises(ProposalRefused):
        withdraw(proposal, house.owner)


def test_an_answer_where_reviewers_confirmed_that_there_is_none_is_worse(
    house: House,
    golden: RetrievalRun,
    term: Term,
    lease: Document,  # noqa: F811
) -> None:
    base = KnowledgeBase.objects.get(pk=house.base.pk)
    absent = retrieve_among(
        "What is the quillon a month?",
        [lease],
        settings=BaseSettings.from_json(base.settings),
        dictionary=ensure_dictionary(base),
    )
    run = store_run(absent, base=base, user=house.asker, mode="balanced")
    assert run.status != "found"
    review(run, None, house.auditor, Opinion("agree"))
    quillon = WordRow("zibeline", "en", "quillon")
    found, result = checked(proposed(put_term, term.concept, quillon, by=house.owner), house.owner)
    fates = {each["run_id"]: each["fate"] for each in result["questions"]}
    assert (found, fates[str(golden.pk)], fates[str(run.pk)]) == ("worse", "right", "worse"), result


def test_a_check_of_another_state_says_nothing_any_more(house: House, golden: RetrievalRun, term: Term) -> None:
    new = WordRow("zibeline", "en", "monthly charge")
    proposal = proposed(put_term, term.concept, new, by=house.owner)
    other = proposed(change_guidance, house.base, "arbiter", "Amounts are net.", "Style", house.owner, seen=0)
    assert checked(proposal, house.owner)[0] == checked(other, house.owner)[0] == "passed"
    take_effect(proposal, house.owner, "")
    assert standing(other) == "stale"
    with pytest.raises(ProposalRefused, match="has changed since"):
        take_effect(other, house.owner, "All the same")
    assert checked(other, house.owner)[0] == "passed"
    take_effect(other, house.owner, "")
    assert KINDS["guidance"].state(house.base) == {"arbiter": "Amounts are net."}


def test_what_is_changed_may_be_gone_by_then(house: House, golden: RetrievalRun, term: Term) -> None:
    proposal = proposed(delete_term, term, by=house.owner)
    Term.objects.filter(pk=term.pk).delete()
    job = ask_for_proposal_check(house.owner, proposal)
    judge_stored(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", "What this changes is not there any more.")
    withdraw(proposal, house.owner)
    assert ProposalEnd.objects.get().how == "withdrawn" and Event.objects.filter(kind="proposal_withdrawn").exists()


def test_a_second_of_the_kind_is_refused_and_others_are_not(house: House, golden: RetrievalRun, term: Term) -> None:
    proposed(delete_term, term, by=house.owner)
    with pytest.raises(AlreadyProposed, match="dictionary"):
        put_term(term.concept, WordRow("zibeline", "en", "dues"), by=house.owner)
    rule = RuleRow("vague", "", "en", "ledger")
    assert proposed(change_rules, house.base, iter([rule]), "Vague here", house.owner, seen=0).kind == "rules"


# ---- with a model


def test_another_model_is_asked_by_the_check_alone(
    house: House,
    golden: RetrievalRun,
    lease: Document,  # noqa: F811
    serve: Serve,
    settings: Settings,
) -> None:
    server = serve("good")
    settings.LLM_MODELS = ("empty-ranking", "malformed")
    worse = proposed(change_settings, house.base, house.base.name, chosen(house, model="empty-ranking"), house.owner)
    found, result = checked(worse, house.owner)
    asked = [request.body["model"] for request in server.requests if request.body]
    assert set(asked) == {"scripted-model", "empty-ranking"}
    assert found == "worse" and result["counts"]["worse"] + result["counts"]["failed"] == 1
    assert KINDS["settings"].state(KnowledgeBase.objects.get(pk=house.base.pk))["model"] == ""
    calls = AuditEvent.objects.filter(action="replay", run_id=golden.pk).values_list("detail__calls", flat=True)
    assert {call for each in calls for call in each} == {str(pk) for pk in LLMCall.objects.values_list("pk", flat=True)}


def test_a_request_that_is_the_same_is_sent_once_and_a_failure_is_no_pass(
    house: House,
    golden: RetrievalRun,
    serve: Serve,
) -> None:
    server = serve("good")
    same = proposed(change_settings, house.base, house.base.name, chosen(house, repeats="off"), house.owner)
    assert checked(same, house.owner)[0] == "passed"
    assert len([request for request in server.requests if request.body]) == 1
    serve("malformed")
    found, result = checked(same, house.owner)
    assert (found, result["counts"]["failed"], result["counts"]["right"]) == ("worse", 1, 0)


def test_settings_that_judge_nothing_are_worse(house: House, golden: RetrievalRun) -> None:
    wanted = chosen(house, ranking="none")
    proposal = proposed(change_settings, house.base, house.base.name, wanted, house.owner)
    found, result = checked(proposal, house.owner)
    assert (found, result["questions"][0]["held"][0]["then"]) == ("worse", "unjudged")


def test_what_would_be_is_seen_by_nobody_else(house: House, golden: RetrievalRun, term: Term) -> None:
    proposal = proposed(delete_term, term, by=house.owner)
    before, events = state_of(house.base), Event.objects.count()
    with trial_of(proposal) as changed:
        assert "zibeline: rent (en)" not in KINDS["dictionary"].state(changed)
    assert state_of(house.base) == before and Event.objects.count() == events


def chosen(house: House, **changes: Any) -> BaseSettings:
    stored = KnowledgeBase.objects.get(pk=house.base.pk).settings
    return BaseSettings.from_json(stored | changes)


def held(*pairs: tuple[bool, bool]) -> list[Expectation]:
    nothing = Expectation(candidate_id="", wanted="", now="", then="", is_right_now=False, is_right_then=False)
    return [{**nothing, "is_right_now": now, "is_right_then": then} for now, then in pairs]


def test_what_is_mended_does_not_outweigh_what_breaks() -> None:
    right, mended, broken, wrong = (True, True), (False, True), (True, False), (False, False)
    told = [judge_fate(held(*pairs)) for pairs in ([right], [mended, right], [mended, broken], [wrong, right], [wrong])]
    assert told == ["right", "better", "worse", "wrong", "wrong"]
    counts = dict.fromkeys(FATES, 0)
    assert not has_passed(counts) and not has_passed(counts | {"left_out": 3})
    assert has_passed(counts | {"wrong": 1}) and has_passed(counts | {"better": 1, "left_out": 1})
    assert not has_passed(counts | {"right": 9, "worse": 1}) and not has_passed(counts | {"right": 9, "failed": 1})
