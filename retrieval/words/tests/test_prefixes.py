"""Arabic and Hebrew are read from right to left and found with what is written before a word; the rest is not told."""

from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

from documents.storage.content import DocumentContent
from reading.language import detect_language, language_by_script, name_language
from reading.limits import Limits
from reading.pages.garbled import is_garbled
from reading.pdf_reader import read_pdf
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, content_of_lines, content_of_reading
from retrieval.words.forms import prefixed_forms

HEBREW = [
    "הסכם שכירות",
    "הסכם זה נערך בין המשכיר, חברת נכסי הגליל, לבין השוכר, מר דוד לוי, בעניין הדירה ברחוב הזית 12.",
    "השוכר ישלם דמי שכירות חודשיים בסך 5,200 שקלים עד היום הראשון בכל חודש.",
    "המשכיר רשאי לסיים את ההסכם בהודעה של 90 יום מראש.",
    "תיקונים בגג הבניין יבוצעו על חשבון המשכיר. תיקונים קטנים בדירה יבוצעו על חשבון השוכר.",
]
ARABIC = [
    "عقد إيجار شقة",
    "حُرر هذا العقد بين المؤجر شركة النخيل والمستأجر السيد سامي حداد بشأن الشقة في شارع الزيتون.",
    "يدفع المستأجر إيجاراً شهرياً قدره 4,500 درهم في اليوم الأول من كل شهر.",
    "ويجوز للمؤجر إنهاء العقد بعد إشعار مدته 60 يوماً.",
    "تكون إصلاحات السقف على نفقة المؤجر، وتكون صيانة المكيفات على نفقة المستأجر.",
]


def write_html(path: Path, paragraphs: Sequence[str]) -> Path:
    document = pymupdf.open()
    page = document.new_page()
    html = "".join(f'<p dir="rtl">{paragraph}</p>' for paragraph in paragraphs)
    page.insert_htmlbox((72, 72, 480, 700), html)
    for _ in range(2):  # a document of a page or two is read whole
        document.new_page().insert_htmlbox((72, 72, 480, 700), '<p dir="rtl">עמוד זה הושאר ריק בכוונה.</p>')
    document.save(path)
    return path


@pytest.fixture(scope="module")
def hebrew(tmp_path_factory: pytest.TempPathFactory) -> DocumentContent:
    path = write_html(tmp_path_factory.mktemp("hebrew") / "lease.pdf", HEBREW)
    return content_of_reading(name_language(read_pdf(path, Limits())), path)


@pytest.fixture(scope="module")
def arabic() -> DocumentContent:
    return content_of_lines([line for each in ARABIC for line in (each, "---")][:-1], language="ar")


def test_lines_are_read_from_right_to_left(hebrew: DocumentContent) -> None:
    """(R8)"""
    said = " ".join(line.text for line in hebrew.lines)
    for paragraph in HEBREW[2:4]:
        assert paragraph.rstrip(".") in said
    assert hebrew.language == "he"


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("מה גובה דמי השכירות?", "5,200"),
        ("כמה ימים מראש יש להודיע על סיום הסכם?", "90"),
        ("על חשבון מי תיקוני הגג?", "בגג הבניין יבוצעו על חשבון המשכיר"),
    ],
)
def test_a_hebrew_clause_is_found(hebrew: DocumentContent, question: str, quoted: str) -> None:
    found = retrieve(question, [hebrew], settings=SETTINGS, arbiter="rules")
    assert found.question.language == "he" and found.status == "found"
    assert quoted in " ".join(found.kept()[0].quote.text.split())


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("كم يبلغ الإيجار الشهري؟", "4,500 درهم"),
        ("متى يجوز إنهاء عقد الإيجار؟", "60 يوما"),
        ("على نفقة من إصلاح سقف الشقة؟", "إصلاحات السقف على نفقة المؤجر"),
    ],
)
def test_an_arabic_clause_is_found(arabic: DocumentContent, question: str, quoted: str) -> None:
    found = retrieve(question, [arabic], settings=SETTINGS, arbiter="rules")
    assert found.question.language == "ar" and found.status == "found"
    assert any(quoted in each.quote.text for each in found.kept())


@pytest.mark.parametrize(
    ("question", "missing"), [("هل يسمح بالحيوانات؟", "بالحيوانات"), ("האם מותר להחזיק כלבים?", "כלבים")]
)
def test_what_is_not_there_is_not_found(
    arabic: DocumentContent, hebrew: DocumentContent, question: str, missing: str
) -> None:
    content = hebrew if missing == "כלבים" else arabic
    found = retrieve(question, [content], settings=SETTINGS, arbiter="rules")
    assert found.status in ("not_found", "weak")
    assert missing in [word.text for word in found.searched if not word.count]


def test_a_word_stands_with_other_prefixes() -> None:
    assert {"העסק", "לעסק", "ובעסק", "עסק"} <= {*prefixed_forms("העסק", "he"), *prefixed_forms("ובעסק", "he")}
    assert {"العقد", "للعقد", "عقد", "وعقد"} <= set(prefixed_forms("والعقد", "ar"))
    assert "مكيف" in set(prefixed_forms("المكيفات", "ar"))


# ---- what cannot be told


def test_no_absence_is_told_of_a_language_whose_words_are_not_known() -> None:
    """(R57)"""
    content = content_of_lines(["สัญญาเช่าห้องชุด", "---", "ผู้เช่าต้องชำระค่าเช่าเดือนละ", "---", "x"], language="th")
    found = retrieve("ผู้เช่าต้องซื้อประกันอัคคีภัยหรือไม่", [content], settings=SETTINGS, arbiter="rules")
    assert (
        found.status == "cannot_tell" and "the words of a text in Thai cannot be told apart" in found.not_found_reason
    )


def test_letters_that_are_mapped_wrongly_are_no_proof_of_absence(tmp_path: Path) -> None:
    """(R57)"""
    path = write_html(tmp_path / "wrong.pdf", ARABIC)
    reading = name_language(read_pdf(path, Limits()))
    assert "garbled_pages(1)" in reading.warnings and "garbled" in reading.pages[0].flags
    found = retrieve("هل يسمح بالحيوانات؟", [content_of_reading(reading, path)], settings=SETTINGS, arbiter="rules")
    assert found.status == "cannot_tell" and "not readable: p. 1" in found.not_found_reason


def test_a_page_whose_letters_are_mapped_wrongly_does_not_tell_the_language(tmp_path: Path) -> None:
    document = pymupdf.open(write_html(tmp_path / "wrong.pdf", ARABIC))
    page = document.new_page()
    page.insert_text((72, 90), "The tenant pays the rent on the first day of every month.")
    page.insert_text((72, 110), "The landlord keeps the flat in good order and in repair.")
    document.save(tmp_path / "mixed.pdf")
    reading = read_pdf(tmp_path / "mixed.pdf", Limits())
    assert "garbled_pages(1)" in reading.warnings
    assert name_language(reading).language == "en"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (ARABIC, False),
        (HEBREW, False),
        (["ﻋﻘﺪ ﺇﻳﺠﺎﺭ ﺷﻘﺔ ﻓﻲ ﺷﻬﺮ ﻣﻦ ﻛﻞ ﺷﻬﺮ"], False),
        (["ﺪﻘﻋ ﺭﺎﺠﻳﺇ ﺔﻘﺷ ﻲﻓ ﺮﻬﺷ ﻦﻣ ﻞﻛ ﺮﻬﺷ"], True),
        (["ﺍǄﻌﻘﺪ ﺍǄﻴﻮﻡ ﺍǄﻤﺎﺩﺓ"], True),
        (["Der Begriff שלום und das Wort עקד", "plain text"], False),
    ],
)
def test_garbled_letters_are_told(texts: list[str], expected: bool) -> None:
    assert is_garbled(texts, 100, 0) is expected
    assert is_garbled(texts, 100, 41)


def test_joined_forms_do_not_hide_the_language() -> None:
    joined = "ﻳﺪﻓﻊ ﺍﻟﻤﺴﺘﺄﺟﺮ ﺇﻳﺠﺎﺭﺍ ﺷﻬﺮﻳﺎ ﻗﺪﺭﻩ ﺃﺭﺑﻌﺔ ﺁﻻﻑ ﺩﺭﻫﻢ ﻓﻲ ﺍﻟﻴﻮﻡ ﺍﻷﻭﻝ ﻣﻦ ﻛﻞ ﺷﻬﺮ"
    assert detect_language(joined) == "ar"


@pytest.mark.parametrize(
    ("text", "default", "language"),
    [
        ("What is the rent?", "en", ""),
        ("保管料はいくら", "en", "ja"),
        ("保管费", "en", "zh"),
        ("保管料", "ja", "ja"),
        ("كم يبلغ الإيجار", "fa", "fa"),
        ("מה הסכום", "en", "he"),
        ("The word 契約 in English", "en", ""),
    ],
)
def test_a_script_tells_the_language(text: str, default: str, language: str) -> None:
    assert language_by_script(text, default) == language
