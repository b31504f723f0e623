"""What a filled form says, asked without a model: boxes as they are ticked, never as they are printed."""

import uuid
from pathlib import Path

import pymupdf
import pytest
from pytest_django import Settings

from accounts.models import User
from chat.asking import keep_question
from chat.models import Answer
from chat.scope import QuestionScope
from chat.turns.conductor import answer_turn
from documents.ingestion.conductor import ingest_path
from documents.models import Document, KnowledgeBase
from reading.tests.pdfs import filled_form

pytestmark = pytest.mark.django_db(transaction=True)

APPLICATION = [
    ("Rowan Valley Allotments", "title", None),
    ("Application for a plot", "title", None),
    ("A. The applicant", "title", None),
    ("1. Name of the applicant", "text", "Teodora Lisle"),
    ("2. Years on the waiting list", "text", "4"),
    ("B. Facilities wanted (tick)", "title", None),
    ("Water tap", "tick", True),
    ("Tool shed", "tick", False),
    ("Beehive", "tick", True),
    ("Compost bay", "tick", False),
    ("C. Collection of the rent (choose one)", "title", None),
    ("Every month", "radio", False),
    ("Every quarter", "radio", True),
    ("Every year", "radio", False),
    ("D. Earlier plots", "title", None),
    ("Has the applicant ever given up a plot? [ ] Yes [x] No", "line", None),
    ("E. Declaration", "title", None),
    ("The applicant has read the rules of the society and keeps to them.", "line", None),
    ("Signature of the applicant", "signature", None),
    ("F. Structures", "title", None),
    ("Greenhouses", "line", None),
    ("G. Office", "title", None),
    ("Received", "text", "4 May"),
]


@pytest.fixture
def application(base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings) -> Document:
    settings.MEDIA_ROOT = tmp_path / "files"
    path = tmp_path / "application.pdf"
    path.write_bytes(filled_form(APPLICATION))
    return ingest_path(path, base, tenant)


def asked(document: Document, user: User, question: str) -> Answer:
    scope = QuestionScope(document.base, (document,))
    turn = keep_question(user, scope, question, "balanced", form_id=uuid.uuid4())
    answer_turn(turn.pk)
    return Answer.objects.select_related("run").get(turn=turn)


QUESTIONS = [
    ("Is a tool shed wanted?", "found", "☐ Tool shed: not ticked"),
    ("Is a beehive wanted?", "found", "☑ Beehive: ticked"),
    ("How often is the rent collected?", "found", "◉ Every quarter"),
    ("Which facilities are wanted?", "found", "☑ Water tap; ☑ Beehive"),
    ("Has the applicant ever given up a plot?", "found", "Has the applicant ever given up a plot? [x] No"),
    ("Is a greenhouse allowed?", "weak", ""),
    ("Is the application signed?", "found", "not signed"),
    ("What is the name of the applicant?", "found", "Teodora Lisle"),
]


def test_a_form_answers_as_it_is_filled_in(application: Document, tenant: User) -> None:
    for question, status, said in QUESTIONS:
        answer = asked(application, tenant, question)
        assert answer.run.status == status, question
        assert said in answer.text, question
        unchosen = [each.quote for each in answer.citations.all() if set(each.quote) & set("☐○")]
        assert all(each in said for each in unchosen), "what is not chosen is quoted only where it was asked for"


def test_questions_are_answered_after_the_file_is_gone(application: Document, tenant: User) -> None:
    """(R1) The rows are what is asked; only pictures of pages, a download and another reading need the file."""
    Path(application.file.path).unlink()
    for question, status, said in QUESTIONS:
        answer = asked(application, tenant, question)
        assert (answer.run.status, said in answer.text) == (status, True), question


DRAWN = [
    ("Collection from the depot", ""),
    ("Standard delivery", "x"),
    ("Express delivery", ""),
    ("Delivery by van", "?"),
]


def drawn_form(path: Path, options: list[tuple[str, str]]) -> Path:
    """A form whose boxes are squares with lines in them; "?" is a stroke that nobody can tell."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((60, 70), "Order form of the Ardle Furniture Store", fontname="hebo", fontsize=14)
    page.insert_text((60, 110), "Way of delivery", fontname="hebo", fontsize=12)
    for number, (label, mark) in enumerate(options):
        y = 140 + 20 * number
        page.draw_rect((60, y - 9, 70, y + 1), width=0.8)
        if mark == "x":
            page.draw_line((62, y - 7), (68, y - 1))
            page.draw_line((68, y - 7), (62, y - 1))
        elif mark:
            page.draw_line((64, y - 4), (66, y - 4))
        page.insert_text((78, y), label)
    document.save(path)
    return path


@pytest.mark.parametrize(
    ("count", "question", "status", "said"),
    [
        (3, "Which way of delivery was chosen?", "found", "☑ Standard delivery"),
        (3, "Is express delivery chosen?", "found", "☐ Express delivery: not ticked"),
        (4, "Which way of delivery was chosen?", "cannot_tell", ""),
        (4, "Is delivery by van chosen?", "cannot_tell", ""),
    ],
)
def test_drawn_boxes_answer_where_they_could_be_read(
    count: int,
    question: str,
    status: str,
    said: str,
    base: KnowledgeBase,
    tenant: User,
    tmp_path: Path,
    settings: Settings,
) -> None:
    settings.MEDIA_ROOT = tmp_path / "files"
    document = ingest_path(drawn_form(tmp_path / "order.pdf", DRAWN[:count]), base, tenant)
    answer = asked(document, tenant, question)
    assert (answer.run.status, said in answer.text) == (status, True), answer.text


CROSSED = [
    ("", "Membership form of the Ardle Rowing Club"),
    ("", "Consents"),
    ("8", "The member agrees to the rules of the club."),
    ("o", "The member agrees to be photographed at races."),
]


def test_a_cross_is_a_choice_beside_boxes_that_are_empty(
    base: KnowledgeBase, tenant: User, tmp_path: Path, settings: Settings
) -> None:
    settings.MEDIA_ROOT = tmp_path / "files"
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        for at, (box, label) in enumerate(CROSSED):
            page.insert_text((72, 80 + 20 * at), box, fontname="zadb")
            page.insert_text((90 if box else 72, 80 + 20 * at), label, fontname="helv" if box else "hebo")
        pdf.save(tmp_path / "crossed.pdf")
    form = ingest_path(tmp_path / "crossed.pdf", base, tenant)
    for question, said in [
        ("Did the member agree to be photographed at races?", "❏ The member agrees to be photographed at races.: not"),
        ("Did the member agree to the rules of the club?", "✘ The member agrees to the rules of the club.: ticked"),
    ]:
        assert asked(form, tenant, question).text.startswith(said), question
