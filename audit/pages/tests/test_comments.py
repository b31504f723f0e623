"""Comments on lines of a document: who reads and writes them, threads, the record, erasure."""

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import User
from audit.conftest import House, MakeRun
from audit.keeping.erasure import Erasing, erase_person
from audit.models import Comment
from audit.proof.verification import verify
from audit.review.comments import (
    LINES_MAX,
    REPLIES_MAX,
    CommentRefused,
    begin_thread,
    reply_to_comment,
    threads_on_lines,
    threads_on_page,
)
from documents.models import Line
from retrieval.types import LineRange

pytestmark = pytest.mark.django_db


def lines(house: House) -> list[Line]:
    return list(Line.objects.filter(parse=house.parse).order_by("number"))


def send(user: User, house: House, query: str, data: dict[str, str], *, by_htmx: bool = True) -> tuple[int, str]:
    client = Client()
    client.force_login(user)
    headers = {"HX-Request": "true"} if by_htmx else {}
    address = f"{reverse('audit:comments', args=[house.document.pk])}?parse={house.parse.number}&{query}"
    response = client.post(address, data, headers=headers) if data else client.get(address, headers=headers)
    return response.status_code, response.get("Location") or response.content.decode()


def test_a_thread_is_read_by_everybody_who_reads_the_document(house: House) -> None:
    line = lines(house)[0]
    place = f"line={line.number}"
    assert send(house.auditor, house, place, {"text": "Is this still <b>true</b>?"})[0] == 200
    first = Comment.objects.get()
    assert (first.author, first.first_line, first.page_number) == (house.auditor, line.number, line.page_number)
    assert send(house.viewer, house, place, {"text": "Since May.", "reply_to": str(first.pk)})[0] == 200
    for user in (house.owner, house.viewer):
        _, page = send(user, house, place, {})
        assert "Is this still &lt;b&gt;true&lt;/b&gt;?" in page and "Since May." in page and line.text[:40] in page
    assert send(house.stranger, house, place, {})[0] == 404
    assert send(house.stranger, house, place, {"text": "Mine"})[0] == 404
    [thread] = threads_on_page(house.parse, line.page_number)
    assert [each.text for each in thread.replies] == ["Since May."]
    assert threads_on_lines(house.parse.pk, LineRange(line.number, line.number)) == [thread]
    assert threads_on_lines(house.parse.pk, LineRange(line.number + 1, line.number + 1)) == []


def test_what_was_said_is_said_to_be_saved_and_has_the_focus(house: House) -> None:
    _, page = send(house.auditor, house, "line=1", {"text": "Who signs?"})
    assert page.count("autofocus") == 1 and "saved" in page
    assert "Who signs?" in page.split("autofocus")[1].split("</div>")[0]
    first = Comment.objects.get()
    _, page = send(house.owner, house, "line=1", {"text": "The board.", "reply_to": str(first.pk)})
    assert page.count("autofocus") == 1 and "The board." in page.split("autofocus")[1].split("</div>")[0]
    for query, data in (("line=1", {}), ("line=1", {"text": " "})):
        _, page = send(house.auditor, house, query, data)
        assert "autofocus" not in page and "saved" not in page


def test_a_reply_to_a_reply_stays_in_the_thread(house: House) -> None:
    begun = begin_thread(house.document, house.parse, LineRange(1, 1), house.auditor, "Who signs?")
    answer = reply_to_comment(begun, house.owner, "The board.")
    assert reply_to_comment(answer, house.auditor, "Thank you.").reply_to == begun


@pytest.mark.parametrize(
    ("query", "data"),
    [
        ("line=1", {"text": " "}),
        ("line=1", {"text": "x" * 4_001}),
        ("line=999999", {"text": "No such line"}),
        ("page=1", {"text": "No line at all"}),
        ("line=1", {"text": "Odd", "reply_to": "none"}),
    ],
)
def test_what_cannot_be_kept_is_said_and_what_was_typed_stays(house: House, query: str, data: dict[str, str]) -> None:
    status, page = send(house.auditor, house, query, data)
    assert status == 200 and 'role="alert"' in page and not Comment.objects.exists()
    if query == "line=1" and "reply_to" not in data:
        assert data["text"].strip() in page
    status, address = send(house.auditor, house, query, data, by_htmx=False)
    assert status == 302 and address.endswith("#comments") and str(house.document.pk) in address


def test_a_comment_of_another_document_is_not_replied_to(house: House) -> None:
    assert send(house.auditor, house, "line=1", {"text": "Hello", "reply_to": str(house.document.pk)})[0] == 404


def test_it_is_about_a_place_and_a_thread_has_an_end(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = begin_thread(house.document, house.parse, LineRange(1, 10**6), house.auditor, "All of it")
    assert begun.last_line <= LINES_MAX
    monkeypatch.setattr("audit.review.comments.REPLIES_MAX", 1)
    assert REPLIES_MAX > 1
    reply_to_comment(begun, house.owner, "One")
    with pytest.raises(CommentRefused):
        reply_to_comment(begun, house.owner, "Two")


def test_it_is_in_the_ledger_and_cannot_be_changed(house: House) -> None:
    begun = begin_thread(house.document, house.parse, LineRange(1, 1), house.auditor, "Who signs?")
    assert verify().verification.ok
    with pytest.raises(DatabaseError), transaction.atomic():
        Comment.objects.filter(pk=begun.pk).update(text="Nobody signs.")
    with pytest.raises(DatabaseError), transaction.atomic():
        begun.delete()


def test_erasing_a_person_takes_the_words_and_leaves_the_thread(house: House) -> None:
    begun = begin_thread(house.document, house.parse, LineRange(1, 1), house.auditor, "Who signs?")
    reply_to_comment(begun, house.owner, "The board.")
    erase_person(house.auditor, Erasing("console", "asked for it"), house.base)
    assert verify().verification.ok
    _, page = send(house.owner, house, "line=1", {})
    assert "Who signs?" not in page and "Erased" in page and "The board." in page


def test_a_blind_reviewer_does_not_read_what_others_say(house: House, make_run: MakeRun, client: Client) -> None:
    client.force_login(house.auditor)
    trail = reverse("audit:trail", args=[make_run().pk])
    address = reverse("audit:comments", args=[house.document.pk])
    assert address in client.get(trail).content.decode()
    assert address not in client.get(f"{trail}?blind=1").content.decode()
