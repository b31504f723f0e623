"""Japanese and Chinese are searched by pairs of characters, over line ends, and shown in the asker's own spelling."""

from pathlib import Path

import pymupdf
import pytest

from documents.storage.content import DocumentContent
from reading.language import name_language
from reading.limits import Limits
from reading.matching import full_text_form, join_without_space, match_form, match_map
from reading.pdf_reader import read_pdf
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.tests.builders import SETTINGS, content_of_reading
from retrieval.words.tokens import normalise_words, pattern_of, split_words
from retrieval.words.unspaced import cut_run

LEASE_JA = """建物賃貸借契約書
　貸主あおば不動産株式会社と借主みどり商会
は、次のとおり建物の賃貸借契約を締結する。
第１条（賃料）
　借主は、毎月の賃料１２万８，０００円を前
月の末日までに貸主の銀行口座に振り込む。
第２条（敷金）
　借主は、敷金として賃料の三か月分を預け入
れる。敷金は、明渡しの後一か月以内に返還す
る。
第３条（修繕）
　屋根及び外壁の修繕は貸主の負担とし、ガラ
ス窓の破損は借主が負担する。
第４条（解除）
　借主が賃料を二か月以上滞納したときは、貸
主は催告なしに契約を解除することができる。
"""
LEASE_ZH = """设备租赁合同
出租人江北机械有限公司与承租人海安建筑公司就
起重机租赁事宜达成以下协议。
第一条（租金）
承租人应于每月五日前向出租人支付租金人民币
８，６００元。
第二条（保证金）
承租人在签订合同时支付保证金三万元，合同终
止后十五日内无息退还。
第三条（维修）
设备的日常保养由承租人负责，因设备老化产生
的维修费用由出租人承担。
第四条（解除）
承租人拖欠租金超过六十天的，出租人可以解除
合同并收回设备。
"""


def read_lines(path: Path, text: str, font: str) -> DocumentContent:
    document = pymupdf.open()
    page = document.new_page()
    for number, line in enumerate(text.splitlines()):
        page.insert_text((72, 90 + 22 * number), line, fontname=font, fontsize=12)
    for _ in range(2):  # a document of a page or two is read whole
        document.new_page().insert_text((72, 90), "（以下余白）", fontname=font, fontsize=12)
    document.save(path)
    return content_of_reading(name_language(read_pdf(path, Limits())), path)


@pytest.fixture(scope="module")
def leases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, DocumentContent]:
    folder = tmp_path_factory.mktemp("leases")
    return {
        "ja": read_lines(folder / "ja.pdf", LEASE_JA, "japan"),
        "zh": read_lines(folder / "zh.pdf", LEASE_ZH, "china-s"),
    }


@pytest.mark.parametrize(
    ("language", "question", "quoted"),
    [
        ("ja", "賃料は毎月いくらですか。", "１２万８，０００円"),
        ("ja", "敷金はいつ返還されますか。", "一か月以内に返還"),
        ("ja", "ガラス窓が割れたら誰が負担しますか。", "ガラス窓の破損は借主が負担"),
        ("ja", "何か月滞納すると契約を解除できますか。", "二か月以上滞納"),
        ("zh", "每月租金是多少？", "８，６００元"),
        ("zh", "保证金多久退还？", "十五日内"),
        ("zh", "设备老化的维修费用由谁承担？", "由出租人承担"),
        ("zh", "拖欠租金多少天可以解除合同？", "六十天"),
    ],
)
def test_a_clause_is_found_and_quoted_without_spaces(
    leases: dict[str, DocumentContent], language: str, question: str, quoted: str
) -> None:
    found = retrieve(question, [leases[language]], settings=SETTINGS, arbiter="rules")
    assert (found.status, found.question.language) == ("found", language)
    said = join_without_space(found.kept()[0].quote.text)
    assert quoted in said and " " not in said.strip()


@pytest.mark.parametrize(
    ("language", "question", "missing"),
    [
        ("ja", "駐車場は使えますか。", "駐車場"),
        ("ja", "ペットを飼えますか。", "ペット"),
        ("zh", "知识产权归谁？", "知识产权"),
    ],
)
def test_what_stands_nowhere_is_told_as_it_was_typed(
    leases: dict[str, DocumentContent], language: str, question: str, missing: str
) -> None:
    found = retrieve(question, [leases[language]], settings=SETTINGS, arbiter="rules")
    assert found.status == "not_found" and f"“{missing}”" in found.not_found_reason


def test_kana_keep_their_marks_and_full_width_signs_do_not_count() -> None:
    """(R8)"""
    assert match_form("ガギグばぱ") == "ガギグばぱ"
    assert match_form("ｶﾞか\u3099") == match_form("ガが")
    assert match_map("か\u3099す") == ("がす", [0, 2])
    assert match_form("５００万円、１，８５０円") == "500万円、1,850円"
    assert match_form("Müller Ärger") == "muller arger"


def test_words_are_pairs_of_each_run() -> None:
    assert split_words(match_form("寄託者が３か月前に通知")) == ["寄託", "託者", "3", "月前", "通知"]
    assert normalise_words("Fee ５００万円") == ["fee", "500", "万円"]
    assert full_text_form("保管料は\nＡ棟の月額１円") == match_form("保管 管料 A 棟 月額 1 円")
    assert full_text_form("Plain text's form") == match_form("Plain text's form")
    assert pattern_of(["損害", "害賠", "賠償"]) == r"損\s?害\s?賠\s?償"


def test_a_run_is_cut_by_what_the_documents_have(leases: dict[str, DocumentContent]) -> None:
    from retrieval.words.lexicon import lexicon_of

    lexicons = [lexicon_of(leases["ja"])]
    assert cut_run("賃貸借契約", lexicons, "ja") == ["賃貸借契約"]
    assert cut_run("敷金返還", lexicons, "ja") == ["敷金", "返還"]
    assert cut_run("火災保険", lexicons, "ja") == ["火災保険"]


def test_the_words_of_a_question_are_shown_as_typed(leases: dict[str, DocumentContent]) -> None:
    question = parse_question("ガラス窓の修繕は誰が負担しますか。", [leases["ja"]])
    assert [each.text for each in question.keywords] == ["ガラス窓", "修繕", "負担"]
