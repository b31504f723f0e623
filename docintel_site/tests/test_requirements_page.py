"""The page of the requirements: a row for every number, narrowed by state and words, for whoever is signed in."""

import re
from pathlib import Path

import pytest
from django.test import Client

from accounts.models import User
from docintel_site import requirements_page, views
from docintel_site.requirements import PAGE, STATES, Requirement, cited_in_tests, read_rules
from docintel_site.requirements_page import group_by_family, narrow, show_rules

RULES = read_rules(PAGE)
ROW = re.compile(r'<tr id="(\w+)"')


@pytest.fixture
def reader(client: Client, db: None) -> Client:
    client.force_login(User.objects.create_user(email="reader@example.org"))
    return client


def page_of(client: Client, address: str = "/requirements/") -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def row_of(page: str, number: str) -> str:
    return page.partition(f'<tr id="{number}"')[2].partition("</tr>")[0]


def test_a_stranger_is_asked_to_sign_in(client: Client, db: None) -> None:
    assert client.get("/requirements/").status_code == 302


def test_every_rule_has_a_row_with_its_state_and_a_test(reader: Client) -> None:
    page = page_of(reader)
    assert sorted(ROW.findall(page)) == sorted(rule.number for rule in RULES)
    for rule in RULES:
        row = row_of(page, rule.number)
        assert rule.state.capitalize() in row, rule.number
        assert all(f"<code>{place}</code>" in row for place in rule.places), rule.number
        assert rule.state != "holds" or re.search(r"<code>[\w/]*test_\w+\.py(::test_\w+)?</code>", row), rule.number


def test_the_test_that_proves_a_rule_is_named_and_not_only_its_file(reader: Client) -> None:
    proof = "chat/tests/test_api.py::test_curl_asks_with_a_key_a_message_a_base_and_a_mode"
    assert f"<code>{proof}</code>" in row_of(page_of(reader, f"/requirements/?q={proof}"), "R97")


def test_a_number_is_cited_by_the_test_around_it_or_with_its_cases() -> None:
    text = """
'By R1, R2.'

CASES = [case(1, id="R6")]  # R7


@cases(case(1, id="R3"))
def test_it() -> None:
    'R1.'
    # R4
    assert True


# R5
@cases(CASES)
def test_more() -> None: ...
"""
    assert sorted(cited_in_tests(text)) == [
        ("R1", ""), ("R1", "test_it"), ("R2", ""), ("R3", "test_it"), ("R4", "test_it"), ("R5", ""),
        ("R6", "test_more"), ("R7", "test_more"),
    ]  # fmt: skip


def test_it_leads_there_from_the_status(reader: Client) -> None:
    assert 'href="/requirements/"' in page_of(reader, "/status/")


@pytest.mark.parametrize("state", STATES)
def test_it_is_narrowed_by_state(reader: Client, state: str) -> None:
    shown = ROW.findall(page_of(reader, f"/requirements/?state={state}"))
    assert sorted(shown) == sorted(rule.number for rule in RULES if rule.state == state)


def test_it_is_narrowed_by_words_numbers_and_files(reader: Client) -> None:
    found = ROW.findall(page_of(reader, "/requirements/?q=FUSION+constant"))
    assert "R44" in found and len(found) < 6
    assert "G1" in ROW.findall(page_of(reader, "/requirements/?q=retrieval/tests/test_absence.py"))
    assert "AT15" in ROW.findall(page_of(reader, "/requirements/?q=at15"))
    by_words = set(ROW.findall(page_of(reader, "/requirements/?q=page")))
    holding = {rule.number for rule in RULES if rule.state == "holds"}
    both = set(ROW.findall(page_of(reader, "/requirements/?q=page&state=holds")))
    assert both and both == by_words & holding


@pytest.mark.parametrize("asked", ["q=nobody+wrote+this", "q=%3Cscript%3Ealert(1)%3C/script%3E", "q=%00&state=x"])
def test_what_is_typed_is_shown_as_text_and_breaks_nothing(reader: Client, asked: str) -> None:
    page = page_of(reader, f"/requirements/?{asked}")
    assert "<script>alert" not in page
    assert ("No rule has these words" in page) is ("state=x" not in asked)


def test_what_a_rule_says_is_no_markup_but_code_and_emphasis() -> None:
    text = "Of `<b>` and *all* of <img src=x onerror=alert(1)> [here](javascript:alert(1)) and R&D."
    (rule,) = show_rules([Requirement("R1", text, (), "holds", "<i>so</i>")])
    assert rule.text == (
        "Of <code>&lt;b&gt;</code> and <em>all</em> of &lt;img src=x onerror=alert(1)&gt; "
        "[here](javascript:alert(1)) and R&amp;D."
    )
    assert rule.note == "&lt;i&gt;so&lt;/i&gt;"


def test_families_come_in_order_and_rules_by_number() -> None:
    rules = [Requirement(number, "", (), "holds", "") for number in ("T2", "R93b", "R100", "R93", "B02", "B01", "ZZ1")]
    shown = group_by_family(narrow(show_rules(rules), ""))
    assert [[rule.number for rule in family.rules] for family in shown] == [
        ["R93", "R93b", "R100"], ["B01", "B02"], ["T2"], ["ZZ1"],
    ]  # fmt: skip


def test_where_the_file_is_gone_the_page_says_so(
    reader: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "PAGE", tmp_path / "requirements.md")
    response = reader.get("/requirements/")
    assert response.status_code == 404
    assert "docs/requirements.md, and it is not there" in response.content.decode()


def test_where_the_tests_are_gone_the_page_says_so(reader: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    words = "The tests are not part of this installation"
    assert words not in page_of(reader)
    monkeypatch.setattr(requirements_page, "find_test_citations", dict)
    page = page_of(reader)
    assert words in page and len(ROW.findall(page)) == len(RULES)


def test_it_speaks_french(reader: Client) -> None:
    page = reader.get("/requirements/", headers={"Accept-Language": "fr"}).content.decode()
    assert "Exigences" in page and "Respectée" in row_of(page, "R2") and 'lang="en"' in row_of(page, "R2")
