"""A number of the question picks the row whose interval holds it; the head of a table is no answer by itself."""

from dataclasses import replace
from pathlib import Path

import pytest

from documents.storage.content import DocumentContent
from reading.limits import Limits
from reading.pdf_reader import read_pdf
from reading.plain_text import read_markdown
from reading.rows import LineKind
from reading.tests.pdfs import write_pdf
from retrieval.pipeline import retrieve
from retrieval.tests.builders import SETTINGS, Written, content_of_lines, content_of_reading
from retrieval.types import RetrievalResult

ROW: LineKind = "table_row"


def charges(name: str, *amounts: str) -> list[Written]:
    labels = ("Not more than 5 t", "More than 5 t but not more than 12 t", "More than 12 t")
    rows = [f"| {label} | {amount} | £9.00 |" for label, amount in zip(labels, amounts, strict=True)]
    return [f"# {name}", ("| Yearly quantity | Charge per tonne | Hire, month |", ROW), *((row, ROW) for row in rows)]


WASTE = content_of_lines(
    [
        "# Council charges",
        "The council collects what shops and offices throw away.",
        *charges("Mixed waste", "£212.00", "£187.50", "£164.25"),
        "---",
        *charges("Garden waste", "£98.00", "£91.00", "£83.50"),
    ],
    title="Larkmead",
)


def asked(question: str, content: DocumentContent = WASTE) -> RetrievalResult:
    return retrieve(question, [content], settings=SETTINGS, arbiter="rules")


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("What is the charge per tonne for 5 tonnes of mixed waste?", "Not more than 5 t | £212.00"),
        ("What is the charge per tonne for 5.5 t of garden waste?", "but not more than 12 t | £91.00"),
        ("What is the charge per tonne for exactly 12 tonnes of mixed waste?", "but not more than 12 t | £187.50"),
        ("How much is the charge per tonne for 300 tonnes of garden waste?", "More than 12 t | £83.50"),
    ],
)
def test_a_number_picks_the_row_whose_interval_holds_it(question: str, quote: str) -> None:
    result = asked(question)
    assert result.status == "found"
    primary = [each.quote.text for each in result.kept() if each.verdict.role == "primary"]
    assert len(primary) == 1 and quote in primary[0]  # the same row of the other table is not quoted as well


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("Which fee is due for a boat of 12.5 metres?", "over 12 up to 15 £465.00 £190.00"),
        ("What is the winter fee for a boat of 11.9 m?", "over 10 up to 12 £420.00 £160.00"),
        ("How much is the summer fee for an 8.25-metre boat?", "up to 10 £310.00 £120.00"),
    ],
)
def test_a_decimal_number_picks_a_row_and_need_not_stand_in_the_document(
    tmp_path: Path, question: str, row: str
) -> None:
    said = ["The harbour is open all year.", "Boats are moored at the pontoons and pay each season.", ""]
    rows = ["up to 10\t£310.00\t£120.00", "over 10 up to 12\t£420.00\t£160.00", "over 12 up to 15\t£465.00\t£190.00"]
    path = write_pdf(tmp_path / "berths.pdf", [["# Berthing fees", *said, "Length in metres\tSummer\tWinter", *rows]])
    result = asked(question, content_of_reading(read_pdf(path, Limits()), path))
    assert result.status == "found"
    assert [each.quote.text for each in result.kept() if each.verdict.role == "primary"] == [row]


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("What notice applies after 3 years of service?", "2 to 5 years 6 weeks"),
        ("What is the notice after 12 years of service?", "more than 5 years 10 weeks"),
    ],
)
def test_a_number_picks_a_row_of_measures(tmp_path: Path, question: str, row: str) -> None:
    rows = ["up to 2 years\t4 weeks", "2 to 5 years\t6 weeks", "more than 5 years\t10 weeks"]
    said = ["The period of notice depends on the length of service.", "", "Length of service\tNotice"]
    path = write_pdf(tmp_path / "staff.pdf", [["# Notice periods", *said, *rows]])
    result = asked(question, content_of_reading(read_pdf(path, Limits()), path))
    assert [each.quote.text for each in result.kept() if each.verdict.role == "primary"] == [row]


@pytest.mark.parametrize(
    "question",
    [
        "How much is the charge per tonne for garden waste?",
        "How much is the charge per tonne for 20 kg of garden waste?",  # no interval of kilograms
    ],
)
def test_a_table_none_of_whose_rows_is_told_is_shown_weakly(question: str) -> None:
    result = asked(question)
    assert result.status == "weak" and "not which of its rows" in result.not_found_reason
    first = result.candidates[0]
    assert "£98.00" in first.anchor_text and "£83.50" in first.anchor_text


def test_a_part_whose_row_is_not_told_leaves_the_other_parts_as_they_are() -> None:
    content = content_of_lines(
        [
            *charges("Garden waste", "£98.00", "£91.00", "£83.50"),
            "---",
            "# Collection",
            "The bins are emptied on Mondays.",
        ]
    )
    result = asked("How much is the charge per tonne for garden waste, and when are the bins emptied?", content)
    assert [each.outcome for each in result.parts] == ["weak", "found"]
    assert result.status == "found"


def test_the_row_of_every_table_is_quoted_where_the_words_tell_none() -> None:
    quotes = [each.quote.text for each in asked("What is the charge per tonne for 7 tonnes?").kept()]
    assert sum("£187.50" in quote or "£91.00" in quote for quote in quotes) == 2


SEGMENTS = content_of_lines(
    [
        "# Segments",
        ("| SEK million | 2025 | 2024 |", ROW),
        "Heat",
        ("| Operating profit | 95 | 79 |", ROW),
        ("| Depreciation | 85 | 81 |", ROW),
        "Trading",
        ("| Operating profit | 78 | 30 |", ROW),
        ("| Depreciation | 4 | 5 |", ROW),
    ],
    title="Ostrand",
)


@pytest.mark.parametrize(
    ("group", "quote"), [("Trading", "| Operating profit | 78"), ("Heat", "| Operating profit | 95")]
)
def test_the_row_of_the_group_that_is_named_is_quoted(group: str, quote: str) -> None:
    result = asked(f"What was the operating profit of {group} in 2025?", SEGMENTS)
    quotes = [each.quote.text for each in result.kept() if "Operating profit" in each.quote.text]
    assert len(quotes) == 1 and quotes[0].startswith(quote)


WARDS = content_of_lines(
    [
        "# Wards",
        ("| Patients | Admitted | Discharged |", ROW),
        "Surgery",
        ("| Elective | 1,204 | 1,190 |", ROW),
        ("| Emergency | 2,310 | 2,251 |", ROW),
        "Medicine",
        ("| Elective | 840 | 836 |", ROW),
        ("| Emergency | 3,977 | 3,690 |", ROW),
    ],
    title="Wensley",
    language="und",
)


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("How many emergency patients did medicine have?", "| Emergency | 3,977 | 3,690 |"),
        ("How many elective patients were there in surgery?", "| Elective | 1,204 | 1,190 |"),
    ],
)
def test_the_name_of_a_group_leads_to_its_row_that_is_named(question: str, quote: str) -> None:
    assert asked(question, WARDS).kept()[0].quote.text == quote


@pytest.mark.parametrize(
    "question",
    ["How many patients did medicine have?", "How many emergency patients were there in surgery and medicine?"],
)
def test_the_name_of_a_group_leads_to_no_row_where_none_or_several_may_be_meant(question: str) -> None:
    told = [each for each in asked(question, WARDS).candidates if each.is_told]
    assert not told


STAYS = content_of_lines(
    [
        "# Boarding",
        ("| Length of stay | Rate |", ROW),
        ("| 1 to 3 nights | £29 |", ROW),
        ("| 4 to 9 nights | £26 |", ROW),
    ],
    title="Kennels",
    language="und",
)


def test_what_a_document_counts_is_read_as_the_question_is_where_its_language_cannot_be_told() -> None:
    assert asked("What is the rate for 6 nights?", STAYS).kept()[0].quote.text == "| 4 to 9 nights | £26 |"


def test_the_head_of_a_table_leads_to_the_row_that_is_named() -> None:
    counts = content_of_lines(
        [
            "# Checks",
            ("| State | Handgun checks | Long gun checks |", ROW),
            ("| Alaska | 3,062 | 3,209 |", ROW),
            ("| Arizona | 12,382 | 9,041 |", ROW),
        ],
        title="Report",
    )
    first = asked("How many long gun checks were there in Alaska?", counts).candidates[0]
    assert first.quote.text == "| Alaska | 3,062 | 3,209 |" and {"long", "gun"} <= set(first.matched_keywords)


LONG = "Notice by the company after two years of service or more, in weeks or months"
NOTICE = f"""# Notice

| Grade | Notice by the employee | Notice by the company in two years | {LONG} |
|---|---|---|---|
| Officer | 1 month | 6 weeks | 2 months |
| Director | 6 months | 6 months | 9 months |

| Class | Carried over | Bought |
|:--|--:|--:|
| Officers | 5 | 3 |
| Directors | 8 | 5 |

# Particulars

| Head office | Leeds |
|---|---|
| Founded | 1998 |

| Overdraft | 9.5% | per year |
|---|---|---|
| Deposit | 1.2% | per year |
"""


@pytest.fixture(scope="module")
def notice(tmp_path_factory: pytest.TempPathFactory) -> DocumentContent:
    path = tmp_path_factory.mktemp("notice") / "notice.md"
    path.write_text(NOTICE)
    return content_of_reading(read_markdown(NOTICE), path)


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("What is the notice by the company?", "| Director | 6 months | 6 months | 9 months |"),  # cells of words
        ("What is carried over?", "| Directors | 8 | 5 |"),
    ],
)
def test_the_head_of_a_markdown_table_is_no_answer_without_its_rows(
    notice: DocumentContent, question: str, row: str
) -> None:
    result = asked(question, notice)
    assert result.status == "weak" and "not which of its rows" in result.not_found_reason
    assert result.candidates[0].anchor_text.endswith(row)


def test_the_row_above_the_head_of_another_markdown_table_is_a_row(notice: DocumentContent) -> None:
    kept = asked("What is the notice by the company for a director?", notice).kept()
    assert "| Director | 6 months | 6 months | 9 months |" in [each.quote.text for each in kept]


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("Where is the head office?", "| Head office | Leeds |"),
        ("What is the overdraft?", "| Overdraft | 9.5% | per year |"),
    ],
)
def test_the_first_row_of_a_markdown_table_may_be_one_like_the_others(
    notice: DocumentContent, question: str, quote: str
) -> None:
    result = asked(question, notice)
    assert result.status == "found" and result.kept()[0].quote.text == quote


BERTHS = """# Berths

Every boat is moored where the harbour office says.

| Berth | Users | Power supply | Day fee |
|---|---|---|---|
| North quay | Fishing boats | Single phase | none |
| South quay | Visitors | None | a coin |
| Inner basin | Members of the club | Three phase | none |

# Services

| Service | Season fee (EUR) | Paid at |
|---|---|---|
| Mooring | 640.00 | Office |
| Winter storage | 390.00 | Yard |
"""
SOUTH = "| South quay | Visitors | None | a coin |"


@pytest.fixture(scope="module")
def berths(tmp_path_factory: pytest.TempPathFactory) -> DocumentContent:
    path = tmp_path_factory.mktemp("berths") / "berths.md"
    path.write_text(BERTHS)
    return content_of_reading(read_markdown(BERTHS), path)


def test_of_a_table_of_words_the_row_and_column_that_are_named_are_quoted_alone(berths: DocumentContent) -> None:
    result = asked("What power supply does the south quay have?", berths)
    assert (result.status, result.kept()[0].quote.text) == ("found", SOUTH)
    two = asked("What power supply do the south quay and the inner basin have?", berths).kept()
    assert not any(each.is_told for each in two)


@pytest.mark.parametrize(
    "question",
    [
        "Who are the users of the quay?",
        "Which berth has three phase power supply?",
        "How high is the fee for power supply of the south quay?",
    ],
)
def test_of_a_table_of_words_no_row_is_told_by_a_part_of_its_name_a_cell_or_two_columns(
    berths: DocumentContent, question: str
) -> None:
    candidates = asked(question, berths).candidates
    assert any(each.is_untold for each in candidates) and not any(each.is_told for each in candidates)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("List the users of the berths.", 4),
        ("List the season fees of the services.", 3),
    ],
)
def test_a_list_that_is_a_column_is_the_whole_table_and_not_its_head(
    berths: DocumentContent, question: str, rows: int
) -> None:
    result = asked(question, berths)
    quote = result.kept()[0].quote.text
    assert result.status == "found" and quote.startswith("| ") and quote.count("\n") == rows - 1


PRICES = """# Fees

| Service | Description | Monthly fee (EUR) | One-off fee (EUR) | Notice (days) |
|---|---|---:|---:|---:|
| Picking | Orders picked by hand | 850 | 150 | 60 |
| Returns | Goods taken back | 410 | – | 14 |

# Cover

| Risk | Limit (EUR) | Deductible (EUR) |
|---|---:|---:|
| Fire | 5,000 | 100 |
| Theft | | 250 |

# Regions

| Country | Transit (days) | Surcharge |
|---|---|---|
| Norway | 5 | 12% |
| Greece | 6 | 9% |

# Figures

| EUR thousand | 2024 | 2023 |
|---|---:|---:|
| Operating profit | 1,306 | (212) |
| Employees (number) | 214 | 198 |
"""


@pytest.fixture(scope="module")
def prices(tmp_path_factory: pytest.TempPathFactory) -> DocumentContent:
    path = tmp_path_factory.mktemp("prices") / "prices.md"
    path.write_text(PRICES)
    return content_of_reading(read_markdown(PRICES), path)


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("What is the monthly fee for returns?", "| Returns | Goods taken back | 410 | – | 14 |"),
        ("How long is the transit to Greece?", "| Greece | 6 | 9% |"),
        ("How much is the deductible for theft?", "| Theft | | 250 |"),
        ("How much is the one-off fee for returns?", "| Returns | Goods taken back | 410 | – | 14 |"),  # there is none
    ],
)
def test_a_number_has_the_unit_its_column_is_headed_by(prices: DocumentContent, question: str, row: str) -> None:
    result = asked(question, prices)
    assert result.status == "found" and result.kept()[0].quote.text == row


@pytest.mark.parametrize(
    "question",
    [
        "How long does picking take?",  # its days are those of notice
        "How much does transit to Norway cost?",
        "How much is the deposit for returns?",
        "How much is the limit for theft?",  # an empty cell
        "How much does each of the employees earn?",  # their label says what is counted
    ],
)
def test_the_unit_of_another_column_is_no_value(prices: DocumentContent, question: str) -> None:
    assert asked(question, prices).status != "found"


def test_a_row_with_amounts_leads_to_the_row_below_it_that_is_named() -> None:
    """The amounts of the whole are not those of a part."""
    written: list[Written] = [
        "# Sales",
        ("| EUR | 2024 | 2023 |", ROW),
        ("| Machines | 318 | 342 |", ROW),
        ("| At home | 120 | 131 |", ROW),
        ("| Abroad | 198 | 211 |", ROW),
        ("| Plants | 204 | 187 |", ROW),
        ("| At home | 88 | 79 |", ROW),
        ("| Abroad | 116 | 108 |", ROW),
    ]
    content = content_of_lines(written, title="Sales")
    set_in = [line._replace(x0=84.0) if line.text[2:].startswith(("At", "Ab")) else line for line in content.lines]
    content = replace(content, lines=tuple(set_in))
    assert asked("What were the sales of machines abroad in 2024?", content).kept()[0].quote.text == (
        "| Abroad | 198 | 211 |"
    )
    assert asked("What were the sales of machines in 2024?", content).kept()[0].quote.text == "| Machines | 318 | 342 |"


COMPLAINTS = content_of_lines(
    [
        "# Complaints by region",
        ("| Region | Received | Upheld |", ROW),
        ("| Wales | 940 | 291 |", ROW),
        *[(f"| {name} | 12 | 4 |", ROW) for name in ("Kent", "Devon", "Dorset", "Surrey", "Sussex")],
        ("| North Wales | 377 | 120 |", ROW),
        "---",
        "# Letters",
        "Letters are upheld or answered by the office in Wales.",
    ],
    title="Report",
)


def test_what_stands_over_a_row_is_said_of_it_where_its_whole_label_is_asked_for() -> None:
    def words_at(question: str, row: str) -> set[str]:
        found = asked(question, COMPLAINTS).candidates
        return {word for each in found if each.anchor_text == row for word in each.matched_keywords}

    assert words_at("How many complaints were upheld in Wales?", "| Wales | 940 | 291 |") == {
        "complaints", "upheld", "wales",
    }  # fmt: skip
    other = "How many complaints were upheld in North Wales?"
    assert words_at(other, "| North Wales | 377 | 120 |") == {"complaints", "upheld", "north", "wales"}
    assert "upheld" not in words_at(other, "| Wales | 940 | 291 |")


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("What were the winter takings of Berth 44?", "Berth 44 5,972 2,808"),
        ("What were the winter takings of berth 12?", "Berth 12 2,356 984"),
        ("How much did Berth 41 take in winter?", "Berth 41 5,633 2,637"),
        ("What were the winter takings of Berth 77?", ""),
    ],
)
def test_a_numbered_row_is_found_on_the_page_a_table_goes_on_to(tmp_path: Path, question: str, row: str) -> None:
    rows = [f"Berth {number}\t{number * 113 + 1000:,}\t{number * 57 + 300:,}" for number in range(1, 61)]
    pages = [["# Takings of the berths", "Berth\tSummer\tWinter", *rows[:40]], rows[40:]]
    path = write_pdf(tmp_path / "berths.pdf", pages)
    result = asked(question, content_of_reading(read_pdf(path, Limits()), path))
    assert (result.status == "found") == bool(row)
    quotes = [each.quote.text for each in result.kept()]
    assert [each for each in quotes if any(map(str.isdigit, each))] == ([row] if row else [])


ACCOUNT = content_of_lines(
    [
        "# Statement of account",
        "Period: March 2025.",
        *(
            (f"| {row} |", ROW)
            for row in (
                "Date | Entry | Amount | Balance",
                "04.03. | Invoice 88 | 1,000.00 | 1,010.00",
                "09.03. | Payment received | 200.00- | 810.00",
                "23.03. | Payment received | 800.00- | 10.00",
            )
        ),
    ],
    title="Acme",
)


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("What was the amount of the payment received on 23 March?", "23.03. | Payment received | 800.00-"),
        ("What was the amount of the payment received on March 9, 2025?", "09.03. | Payment received | 200.00-"),
        ("What was the balance on 4 March?", "04.03. | Invoice 88"),
    ],
)
def test_a_day_picks_the_row_of_that_day_however_it_is_written(question: str, quote: str) -> None:
    result = asked(question, ACCOUNT)
    assert result.status == "found"
    assert [quote in each.quote.text for each in result.kept() if each.verdict.role == "primary"] == [True]


def test_a_row_of_another_day_is_no_answer() -> None:
    result = asked("What was the amount of the payment received on 24 March?", ACCOUNT)
    assert not [each for each in result.kept() if each.verdict.role == "primary" and "received" in each.quote.text]


KERNELS = "a kernel of 4.18 or newer, the library of 2.28 or newer, and a release that its vendor still supports"
PLATFORMS = f"""# Platforms

| System | Architecture | What is needed | Support |
|---|---|---|---|
| GNU/Linux | x64 | {KERNELS} | Tier 1 |
| GNU/Linux | armv7l | {KERNELS} | Experimental |
| GNU/Linux | s390x | {KERNELS} | Tier 2 |
| Windows | x64 | Windows 10 | Tier 1 |
| Windows | arm64 | Windows 10 | Tier 2 |
"""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("What is needed for armv7l?", [f"| GNU/Linux | armv7l | {KERNELS} | Experimental |"]),
        ("Which support has GNU/Linux on s390x?", [f"| GNU/Linux | s390x | {KERNELS} | Tier 2 |"]),
        ("Which support has Windows on arm64?", ["| Windows | arm64 | Windows 10 | Tier 2 |"]),
        (
            "What is the support of Windows?",  # both say as much of the question
            ["| Windows | x64 | Windows 10 | Tier 1 |", "| Windows | arm64 | Windows 10 | Tier 2 |"],
        ),
    ],
)
def test_a_row_is_quoted_whole_and_without_one_that_says_less(question: str, rows: list[str], tmp_path: Path) -> None:
    platforms = content_of_reading(read_markdown(PLATFORMS), source(tmp_path / "platforms.md", PLATFORMS))
    quote = asked(question, platforms).kept()[0].quote.text
    assert " ".join(quote.split()) == " ".join(rows)


def test_of_a_row_too_long_for_a_quote_the_line_is_quoted(tmp_path: Path) -> None:
    notes = " ".join(f"Release {number} of the library runs there as well as the one before." for number in range(70))
    text = PLATFORMS.replace("| Windows | x64 | Windows 10 |", f"| Windows | x64 | {notes} |")
    platforms = content_of_reading(read_markdown(text), source(tmp_path / "platforms.md", text))
    quotes = [each.quote.text for each in asked("What is needed for Windows on x64?", platforms).kept()]
    assert any("x64" in quote for quote in quotes) and max(map(len, quotes)) < 500


def source(path: Path, text: str) -> Path:
    path.write_text(text)
    return path
