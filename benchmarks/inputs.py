"""The check of a formula's inputs, without a model: amounts of gold pages as printed, and each changed in one way."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from benchmarks.library import Library
from benchmarks.questions import GoldQuestion
from chat.figures.inputs import (
    COMPARED,
    PER_SHARE,
    PERCENT_WORD,
    AskedInput,
    ExcerptSource,
    InputError,
    PrintedNumber,
    check_asked_input,
    column_of_printed,
    numbers_on,
    scale_on_page,
    span_named,
    years_named,
)
from documents.storage.content import DocumentContent
from retrieval.models import RunCandidate

OTHER_SCALE = {1_000: "millions", 1_000_000: "thousands"}


def check_pages(
    questions: Sequence[GoldQuestion], library: Library, quote_page: Callable[[int, DocumentContent], RunCandidate]
) -> dict[str, dict[str, int]]:
    """How many inputs of each kind were tried, and how many accepted; all but "as printed" are wrong."""
    tried: Counter[str] = Counter()
    accepted: Counter[str] = Counter()
    for document, page in dict.fromkeys((one.document, page) for one in questions for page in one.pages):
        content = library.content(document)
        source = ExcerptSource(quote_page(page, content), content)
        for kind, asked in inputs_on(page, content, source):
            tried[kind] += 1
            try:
                check_asked_input(asked, {1: source})
            except InputError:
                continue
            accepted[kind] += 1
    return {kind: {"tried": tried[kind], "accepted": accepted[kind]} for kind in tried}


def inputs_on(page: int, content: DocumentContent, source: ExcerptSource) -> Iterator[tuple[str, AskedInput]]:
    """Each amount of a page whose column has a period, as printed and changed."""
    for line in content.lines_on_page(page):
        row = [each for each in numbers_on(line, content) if each.table]
        columns = [column_of_printed(each, content) for each in row]
        for printed, column in zip(row, columns, strict=True):
            if not column.period or COMPARED.search(column.heading):
                continue
            period = column.heading if span_named(column.heading) else column.period
            label = f"{printed.row.label} {printed.row.group} {column.heading}" if printed.row else ""
            unit = "per share" if PER_SHARE.search(label) else ""
            right = AskedInput(
                name="a", meaning="x", period=period, excerpt=1, quote=line.text, value=printed.text, unit=unit
            )
            yield "as printed", right
            others = {each.text.strip("$() ") for each in row if each is not printed}
            other = next((each for each in columns if is_of_other_year(each.period, column.period)), None)
            if other and printed.text.strip("$() ") not in others:
                yield "another column's period", right.model_copy(update={"period": other.period})
            if printed.amount > 0:
                yield "a minus made up", right.model_copy(update={"value": f"({printed.text})"})
            scale = OTHER_SCALE.get(scale_on_page(printed, column, source) or 0)
            if scale and "%" not in printed.text and not PERCENT_WORD.search(column.heading):
                yield "another scale", right.model_copy(update={"unit": scale})
            yield from with_other_digit(printed, right)


def is_of_other_year(one: str, other: str) -> bool:
    return bool(one) and not years_named(one) & years_named(other)


def with_other_digit(printed: PrintedNumber, right: AskedInput) -> Iterator[tuple[str, AskedInput]]:
    at = next((at for at, sign in enumerate(printed.text) if sign.isdigit()), None)
    if at is not None:
        value = f"{printed.text[:at]}{(int(printed.text[at]) + 3) % 10}{printed.text[at + 1 :]}"
        yield "another value", right.model_copy(update={"value": value})
        quote = right.quote.replace(printed.text, value, 1)
        yield "another value, in a changed quote", right.model_copy(update={"quote": quote, "value": value})
