"""A vague question is asked back with what its word means here, unless that is one thing or was learned (R23)."""

import pytest

from documents.storage.content import DocumentContent
from reading.wording import LANGUAGES
from retrieval.question.kinds import Default, ReadingRules, RuleRow
from retrieval.question.parse import asked_with, parse_question, read_as_whole
from retrieval.question.vague import describe_assumption, meanings_of, speeches
from retrieval.tests.builders import content_of_lines

CAPS = [
    "The liability cap is two million euros.",
    "An annual cap of ten claims applies to every customer.",
    "The cap on liability does not apply to fraud.",
    "A liability cap may be waived.",
]
PLAFONDS = ["Le plafond annuel est de dix.", "Le plafond de garantie est de deux millions.", "Un plafond annuel."]
FRISTEN = ["Die Frist beginnt.", "Die lange Frist und die kurze Frist."]
GRENZEN = ["Die Obergrenze der Haftung ist 5 Euro.", "Die Obergrenze des Selbstbehalts ist 9 Euro."]
PLAZOS = ["El plazo anual.", "El plazo de pago."]


@pytest.fixture
def caps() -> DocumentContent:
    return content_of_lines(CAPS)


def rules(confidence: float, *, is_due: bool = False, kind: str = "") -> ReadingRules:
    return ReadingRules(defaults=(Default("cap", kind, "liabil", confidence, is_due),))


def test_a_word_means_what_the_document_qualifies_it_by(caps: DocumentContent) -> None:
    found = meanings_of("cap", ("cap",), [caps])
    assert [(each.key, each.text, each.count) for each in found] == [
        ("liabil", "liability cap", 3),
        ("annual", "annual cap", 1),
    ]


def test_a_vague_question_is_asked_back_with_the_meanings(caps: DocumentContent) -> None:
    question = parse_question("What's the cap?", [caps])
    assert (
        question.clarification
        == "“cap” means several things here: “liability cap”, “annual cap”. Which one do you mean?"
    )
    assert question.vague.why == "nobody has said yet what it means here"


@pytest.mark.parametrize(
    ("lines", "language", "text", "begins"),
    [
        (PLAFONDS, "fr", "Quel est le plafond ?", "« plafond » désigne plusieurs choses ici : « plafond annuel »"),
        (FRISTEN, "de", "Was ist die Frist?", "„Frist“ steht hier für mehreres: „kurze Frist“, „lange Frist“."),
        (GRENZEN, "de", "Was ist die Obergrenze?", "„Obergrenze“ steht hier für mehreres: „Obergrenze der Haftung“"),
        (PLAZOS, "es", "¿Cuál es el plazo?", "«plazo» significa aquí varias cosas: «plazo anual»"),
        (["12"], "es", "¿Cuál es el límite?", "¿A qué se refiere con «límite»?"),
    ],
)  # fmt: skip
def test_it_is_asked_back_in_the_language_of_the_question(
    lines: list[str], language: str, text: str, begins: str
) -> None:
    """(R23) The word as it was typed, its meanings as they are spelt and quoted there."""
    assert parse_question(text, [content_of_lines(lines, language=language)]).clarification.startswith(begins)


@pytest.mark.parametrize(
    ("text", "begins"),
    [("Bonjour !", "Je réponds"), ("Guten Tag!", "Ich beantworte"), ("¡Hola!", "Respondo"), ("Hello!", "I answer")],
)
def test_a_greeting_is_answered_in_its_language(text: str, begins: str) -> None:
    language = {"J": "fr", "I": "de", "R": "es"}.get(begins[0], "en")
    content = content_of_lines(["text"], language="en" if text == "Hello!" else language)
    assert parse_question(text, [content]).clarification.startswith(begins)


@pytest.mark.parametrize(
    ("text", "documents", "begins"),
    [("hello", "de", "I answer"), ("thanks!", "fr", "I answer"), ("Bonjour", "en", "Je réponds"), ("ok", "de", "Ich")],
)
def test_a_greeting_of_another_language_than_the_documents_is_answered_in_its_own(
    text: str, documents: str, begins: str
) -> None:
    assert parse_question(text, [content_of_lines(["Text"], language=documents)]).clarification.startswith(begins)


@pytest.mark.parametrize(
    "lines", [["The liability cap is ten.", "The cap on liability."], ["The cap is ten.", "This cap applies."]]
)
def test_a_word_that_means_one_thing_is_not_asked_back(lines: list[str]) -> None:
    question = parse_question("What's the cap?", [content_of_lines(lines)])
    assert question.clarification == ""
    assert question.vague.why == "it means one thing here, so nothing is asked"


def test_a_word_that_stands_nowhere_is_asked_back(policy: DocumentContent) -> None:
    assert parse_question("What's the cap?", [policy]).clarification.startswith("Which cap do you mean?")


@pytest.mark.parametrize(
    ("confidence", "is_due", "is_asked", "assumed", "proposed"),
    [
        (0.5, False, True, "", ""),
        (0.59, True, True, "", ""),
        (0.60, False, False, "liability cap", ""),
        (0.85, False, False, "liability cap", ""),
        (0.60, True, True, "", "liability cap"),
        (0.85, True, True, "", "liability cap"),
        (0.86, True, False, "liability cap", ""),
    ],
)
def test_the_bands_of_confidence(
    caps: DocumentContent, confidence: float, is_due: bool, is_asked: bool, assumed: str, proposed: str
) -> None:
    """(R23) Below 0.60 always asked, above 0.85 applied, between asked when it is due: nothing is left to chance."""
    question = parse_question("What's the cap?", [caps], (), rules(confidence, is_due=is_due))
    assert (bool(question.clarification), question.vague.assumed, question.vague.proposed) == (
        is_asked,
        assumed,
        proposed,
    )
    assert f"{round(100 * confidence)} %" in question.vague.why


def test_what_is_assumed_is_searched_and_said(caps: DocumentContent) -> None:
    question = parse_question("What's the cap?", [caps], (), rules(0.9))
    assert (question.original, question.corrected) == ("What's the cap?", "What's the liability cap?")
    assert {"liability", "cap"} <= {each.text for each in question.keywords}
    assert describe_assumption(question.vague, "en") == (
        "“cap” was read as “liability cap”, as it was mostly meant here. "
        "It also stands for “annual cap”; choose another if that is what you mean."
    )


def test_a_meaning_that_the_documents_do_not_have_is_not_assumed() -> None:
    content = content_of_lines(["The interest cap is ten.", "An annual cap applies."])
    question = parse_question("What's the cap?", [content], (), rules(0.9))
    assert question.clarification and not question.vague.assumed


def test_what_was_learned_of_a_type_counts_for_documents_of_that_type_only(caps: DocumentContent) -> None:
    assert parse_question("What's the cap?", [caps], (), rules(0.9, kind="lease")).clarification


@pytest.mark.parametrize(
    ("text", "meaning", "asked"),
    [
        ("What's the cap?", "annual cap", "What's the annual cap?"),
        ("The cap", "cap on liability", "The cap on liability"),
    ],
)
def test_the_question_with_a_meaning(caps: DocumentContent, text: str, meaning: str, asked: str) -> None:
    assert asked_with(parse_question(text, [caps]), meaning) == asked


def test_every_language_says_everything() -> None:
    assert set(speeches()) == set(LANGUAGES)


@pytest.mark.parametrize(
    ("language", "text", "begins"),
    [
        ("ja", "何ですか", "何を探せば"),
        ("zh", "是什么？", "要查找什么"),
        ("ar", "ماذا؟", "عمّ أبحث"),
        ("he", "מה?", "מה לחפש"),
    ],
)
def test_a_question_without_a_subject_is_asked_back_in_its_script(language: str, text: str, begins: str) -> None:
    """(R23)"""
    content = content_of_lines(["12"], language=language)
    assert parse_question(text, [content]).clarification.startswith(begins)


def test_a_vague_word_that_a_base_adds_is_asked_back_in_its_own_grammar() -> None:
    """(R23, R103)"""
    content = content_of_lines(["القسط الأول مليون.", "القسط السنوي مئة ألف."], language="ar")
    own = ReadingRules((RuleRow("vague", "", "ar", "القسط"),))
    assert parse_question("ما هو القسط؟", [content]).clarification == ""
    asked = parse_question("ما هو القسط؟", [content], (), own).clarification
    assert asked.startswith("تدل «القسط» هنا على عدة أشياء: «القسط الأول», «القسط السنوي»")


MABALIGH = ["مبلغ التأمين مليون.", "المبلغ السنوي مئة ألف.", "المبلغ يدفع شهريا.", "مبلغ الضمان على ألفين."]
SKHUMIM = ["סכום הביטוח מיליון.", "הסכום השנתי מאה אלף.", "הסכום ישולם מדי חודש.", "הסכום של הערבות אלפיים."]


@pytest.mark.parametrize(
    ("lines", "language", "text", "begins", "meanings"),
    [
        (MABALIGH, "ar", "ما هو المبلغ؟", "تدل «المبلغ» هنا", ["المبلغ السنوي", "مبلغ التأمين", "مبلغ الضمان"]),
        (MABALIGH, "ar", "كم المبلغ؟", "تدل «المبلغ» هنا", ["المبلغ السنوي", "مبلغ التأمين", "مبلغ الضمان"]),
        (MABALIGH, "ar", "ما السعر؟", "أي «السعر» تقصد؟", []),
        (MABALIGH, "ar", "ما هي النسبة؟", "أي «النسبة» تقصد؟", []),
        (MABALIGH, "ar", "ما هو الحد؟", "أي «الحد» تقصد؟", []),
        (MABALIGH, "ar", "ما هو التاريخ؟", "أي «التاريخ» تقصد؟", []),
        (SKHUMIM, "he", "מה הסכום?", "ל“הסכום” יש כאן", ["הסכום השנתי", "הסכום של הערבות", "סכום הביטוח"]),
        (SKHUMIM, "he", "מהו הסכום?", "ל“הסכום” יש כאן", ["הסכום השנתי", "הסכום של הערבות", "סכום הביטוח"]),
        (SKHUMIM, "he", "מה המחיר?", "לאיזה “המחיר” הכוונה?", []),
        (SKHUMIM, "he", "מהי התקופה?", "לאיזה “התקופה” הכוונה?", []),
        (SKHUMIM, "he", "מהו השיעור?", "לאיזה “השיעור” הכוונה?", []),
        (SKHUMIM, "he", "מה התקרה?", "לאיזה “התקרה” הכוונה?", []),
    ],
)
def test_the_vague_words_of_arabic_and_hebrew_are_asked_back(
    lines: list[str], language: str, text: str, begins: str, meanings: list[str]
) -> None:
    """(R23) A verb after the word is no meaning of it."""
    question = parse_question(text, [content_of_lines(lines, language=language)])
    assert question.clarification.startswith(begins)
    assert sorted(each.text for each in question.vague.meanings) == sorted(meanings)


@pytest.mark.parametrize(
    "text",
    [
        "ما هو مبلغ التأمين؟",
        "ما المبلغ السنوي؟",
        "كم مبلغ الضمان؟",
        "ما هو سعر الوحدة؟",
        "ما هو الحد الأقصى للمسؤولية؟",
        "ما هو حد المسؤولية؟",
        "ما هو تاريخ التوقيع؟",
        "ما هو تاريخ انتهاء العقد؟",
        "متى يبدأ العقد؟",
        "ما نسبة الفائدة؟",
        "ما هي النسبة المئوية للخصم؟",
        "كم عدد الموظفين؟",
        "ما هي غرامة التأخير؟",
        "ما هي مهلة الإشعار؟",
        "ما هي رسوم التسجيل؟",
        "من هو المؤجر؟",
        "ما هو الإيجار؟",
        "ما هي الضمانة؟",
        "أين يقع المبنى؟",
        "هل يجوز التأجير من الباطن؟",
        "ما قيمة العقد؟",
        "ما هو المبلغ في الصفحة 2؟",
    ],
)
def test_an_arabic_question_that_says_which_one_is_not_asked_back(text: str) -> None:
    """(R23)"""
    assert parse_question(text, [content_of_lines(MABALIGH, language="ar")]).clarification == ""


@pytest.mark.parametrize(
    "text",
    [
        "מה סכום הביטוח?",
        "מה הסכום השנתי?",
        "מהו סכום הערבות?",
        "מה מחיר הדירה?",
        "מה המחיר ליחידה?",
        "מהי תקופת השכירות?",
        "מהי התקופה הראשונה?",
        "מהו מועד המסירה?",
        "מה תאריך החתימה?",
        "מתי מתחיל החוזה?",
        "מהו שיעור הריבית?",
        "מה מספר העובדים?",
        "כמה עובדים יש?",
        "מה הקנס על איחור?",
        "מהי תקרת האחריות?",
        "מי המשכיר?",
        "מהו דמי השכירות?",
        "מהי הערבות?",
        "היכן נמצא הנכס?",
        "האם מותר להשכיר בשכירות משנה?",
        "מה ערך החוזה?",
    ],
)
def test_a_hebrew_question_that_says_which_one_is_not_asked_back(text: str) -> None:
    """(R23)"""
    assert parse_question(text, [content_of_lines(SKHUMIM, language="he")]).clarification == ""


@pytest.mark.parametrize(
    ("language", "text", "lines"),
    [
        ("ar", "ما هو المبلغ؟", ["مبلغ التأمين مليون.", "المبلغ يدفع شهريا."]),
        ("ar", "ما السعر؟", ["السعر ألف.", "يحدد السعر سنويا."]),
        ("he", "מה הסכום?", ["סכום הביטוח מיליון.", "הסכום ישולם מדי חודש."]),
        ("he", "מה המחיר?", ["המחיר אלף.", "המחיר נקבע מדי שנה."]),
    ],
)
def test_one_meaning_is_not_asked_for_in_arabic_and_hebrew(language: str, text: str, lines: list[str]) -> None:
    """(R23)"""
    question = parse_question(text, [content_of_lines(lines, language=language)])
    assert question.clarification == "" and question.vague.why == "it means one thing here, so nothing is asked"


@pytest.mark.parametrize(
    ("name", "lines", "assumed"),
    [
        ("Term", ["The term of this agreement is two years.", "A renewal term is one year."], "term of this agreement"),
        ("Cap", ["The contract cap is 5 euros.", "The annual cap is 9 euros."], ""),
    ],
)
def test_only_a_term_and_its_ends_are_read_as_those_of_the_whole(name: str, lines: list[str], assumed: str) -> None:
    contents = [content_of_lines(lines)]
    read = read_as_whole(parse_question(name, contents), contents, (), ReadingRules())
    assert read.vague.assumed == assumed
    assert bool(read.clarification) is not bool(assumed)
