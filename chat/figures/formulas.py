"""The formula a question asks for, over rows of statements: defined in the question or well known.

Only certain readings count: a question without a year, or with two readings of one, has no formula.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, reduce
from pathlib import Path
from typing import Any, Literal, get_args

from chat.figures.arithmetic import read_tree, write_out
from reading.matching import match_form
from reading.values.scales import ASKED_SCALE, SCALES
from reading.values.years import NAMED_YEAR
from reading.wording import WordingError, check_fields, files_of, read_entries, read_once
from retrieval.words.statements import statement_names

Unit = Literal["ratio", "percent", "points", "amount"]
Over = Literal["year", "average", "change"]


@dataclass(frozen=True)
class LineItem:
    """A line of a statement by name, in one year or over two."""

    name: str
    years: tuple[str, ...]
    over: Over = "year"


@dataclass(frozen=True)
class Expression:
    """A formula as `arithmetic` calculates it and writes it out: names are the words that are shown."""

    tree: ast.expr
    named: Mapping[str, LineItem | Decimal]


@dataclass(frozen=True)
class Formula:
    """A computation: shown as `name` in `unit`, rounded to `places`; amounts in units of `scale`."""

    name: str
    expression: Expression
    unit: Unit
    places: int | None = None
    scale: int | None = None


@dataclass(frozen=True)
class Metric:
    """A metric with one common definition; its formula uses the words of a question."""

    name: str
    formula: str
    unit: Unit
    named: re.Pattern[str]
    examples: tuple[str, ...]
    counter_examples: tuple[str, ...]


METRIC_FIELDS = {"name": str, "formula": str, "unit": str, "examples": list, "counter_examples": list}
YEARS = re.compile(rf"\b{NAMED_YEAR}\b")
WORD_SIGNS = ("/", "-", "+", "*")
SIGN_TOKENS = frozenset("+-*/()")
OPERATORS: dict[str, type[ast.operator]] = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div, "^": ast.Pow}
PLACE_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4}
YEAR_SPAN_MAX = 10
# They match `asked_text`, which has single spaces.
SECTIONS = (
    *("average_share", "compound_growth", "growth", "share", "sum", "definition", "between", "average", "change"),
    *("filler", "source", "whether", "changed", "places", "in_percent", "over", "minus", "plus", "times"),
)
SIGNS = r"\ (?:({over})|({minus})|({plus})|({times}))\ |\ ?([/÷])\ ?|\ ([-+*–−])\ |(\()|(\))"
FRAMES = {section: f"{{{section}}}" for section in SECTIONS} | {"signs": SIGNS, "divided": r"[/÷]|\ (?:{over})\ "}
ways_of_asking = read_once(__name__, "formulas", FRAMES)


class FormulaError(ValueError):
    """The words are not a formula, so nothing is computed."""


def formula_of(text: str) -> Formula | None:
    """The formula a question asks for, None if there is none or it is unclear."""
    try:
        found = (
            read_definition(text)
            or averaged_share(text)
            or read_growth(text)
            or read_share(text)
            or read_sum(text)
            or read_known_metric(text)
        )
    except (FormulaError, RecursionError):
        return None
    if found is None:
        return None
    places, scale = ways_of_asking()["places"].search(text), ASKED_SCALE.search(text)
    return Formula(
        found.name,
        found.expression,
        "percent" if found.unit == "ratio" and ways_of_asking()["in_percent"].search(text) else found.unit,
        int(PLACE_WORDS.get(places["places"], places["places"])) if places else None,
        SCALES[scale[1]] if scale else None,
    )


def asked_text(question: str) -> str:
    """The question in match form, with the spelling used by the metrics."""
    return re.sub(r"\bcashflows?\b", "cash flow", " ".join(match_form(question).split()))


# ---- ways of asking


def read_definition(text: str) -> Formula | None:
    """A metric defined by the question itself, possibly with further definitions inside."""
    defined = ways_of_asking()["definition"]
    definitions = {strip_noise(m["name"] or m["name2"]): m["formula"] or m["formula2"] for m in defined.finditer(text)}
    if not definitions:
        return None
    name = next(iter(definitions))
    years = asked_years(defined.sub(" ", text))
    formula = definitions[name]
    is_difference = not ways_of_asking()["divided"].search(" ".join(definitions.values()))
    return Formula(name, parse_expression(formula, years[-1:], definitions), "amount" if is_difference else "ratio")


def averaged_share(text: str) -> Formula | None:
    found = ways_of_asking()["average_share"].search(text)
    if found is None:
        return None
    years = span(*years_matched(found))
    shares = [
        combine(parse_expression(found["what"], (year,)), "/", parse_expression(found["of"], (year,))) for year in years
    ]
    total = reduce(lambda before, each: combine(before, "+", each), shares)
    name = f"average of {found['what']} as a share of {found['of']}"
    return Formula(name, combine(total, "/", write_number(str(len(years)))), "percent")


def read_growth(text: str) -> Formula | None:
    if found := ways_of_asking()["compound_growth"].search(text):
        first, last = years_matched(found)
        what = re.sub(r"^.*\b(?:year|'s|s) ", "", found["what"]).strip()
        grown_by = combine(parse_expression(what, (last,)), "/", parse_expression(what, (first,)))
        years = len(span(first, last)) - 1
        root = combine(grown_by, "^", give_name(f"(1/{years})", 1 / Decimal(years)))
        return Formula(f"compound annual growth rate of {what}", combine(root, "-", write_number("1")), "percent")
    found = ways_of_asking()["growth"].search(text)
    if found is None:
        return None
    what = found["what"] or found["what2"] or found["what3"]
    first, last = years_matched(found)
    before, after = parse_expression(what, (first,)), parse_expression(what, (last,))
    return Formula(f"growth of {what}", combine(combine(after, "/", before), "-", write_number("1")), "percent")


def read_share(text: str) -> Formula | None:
    found = ways_of_asking()["share"].search(text)
    if found is None:
        return None
    [year] = years_matched(found)
    whole = found["of"] or "revenue"
    expression = combine(parse_expression(found["what"], (year,)), "/", parse_expression(whole, (year,)))
    return Formula(f"{strip_noise(found['what'])} as a share of {strip_noise(whole)}", expression, "percent")


def read_sum(text: str) -> Formula | None:
    found = ways_of_asking()["sum"].search(text)
    if found is None:
        return None
    [year] = years_matched(found)
    unit: Unit = "ratio" if "/" in found["formula"] else "amount"
    return Formula(strip_noise(found["formula"]), parse_expression(found["formula"], (year,)), unit)


@cache
def known_metrics() -> tuple[Metric, ...]:
    """The metrics of every language; of two names in a text the first counts. Raises WordingError."""
    files = files_of(Path(__file__).parent, "metrics", "toml")
    return tuple(metric_of(path.name, section, entry) for _, path in files for section, entry in read_entries(path))


def metric_of(file: str, section: str, entry: Mapping[str, Any]) -> Metric:
    check_fields(f"{file}, [[{section}]]", entry, METRIC_FIELDS, tuple(METRIC_FIELDS))
    if section != "metric" or entry["unit"] not in get_args(Unit):
        raise WordingError(f"{file}, [[{section}]]: {entry['name']!r} has no section or unit that is known")
    named = re.compile(rf"\b{re.escape(entry['name'])}\b")
    examples, counter_examples = tuple(entry["examples"]), tuple(entry["counter_examples"])
    return Metric(entry["name"], entry["formula"], entry["unit"], named, examples, counter_examples)


def metric_named(text: str) -> Metric | None:
    return next((metric for metric in known_metrics() if metric.named.search(text)), None)


def read_known_metric(text: str) -> Formula | None:
    """A metric by its usual name, for the one year named; for two years if it is said to change."""
    metric = metric_named(text)
    years = asked_years(text)
    if not metric or not years:
        return None
    if ways_of_asking()["changed"].search(text):
        return None  # two values are asked for, see `read_comparison`
    return Formula(metric.name, parse_expression(metric.formula, years), metric.unit) if len(years) == 1 else None


def read_comparison(text: str) -> tuple[Formula, ...]:
    """The same metric in two years, if the question asks whether it has changed; else ()."""
    metric = metric_named(text)
    years = asked_years(text)
    if not metric or len(ways_of_asking().first_words(text, ("whether", "changed"))) < 2 or len(years) not in (1, 2):
        return ()
    both = sorted(years) if len(years) == 2 else [str(int(years[0]) - 1), years[0]]
    return tuple(Formula(metric.name, parse_expression(metric.formula, (year,)), metric.unit) for year in both)


def asked_years(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(YEARS.findall(text)))


def years_matched(found: re.Match[str]) -> list[str]:
    """The years of a way of asking: what its groups without a name hold."""
    named = found.re.groupindex.values()
    return [year for number, year in enumerate(found.groups(), start=1) if year and number not in named]


def span(first: str, last: str) -> list[str]:
    """The years from first to last. Raises FormulaError if they run backwards or too far."""
    if not 0 < int(last) - int(first) <= YEAR_SPAN_MAX:
        raise FormulaError("these years are no span")
    return [str(year) for year in range(int(first), int(last) + 1)]


# ---- reading a formula


def parse_expression(text: str, years: tuple[str, ...], definitions: Mapping[str, str] | None = None) -> Expression:
    """Parse a formula in words. A bracket right after a term only explains it. Raises FormulaError if it is none."""
    known, terms = dict(definitions or {}), dict[str, Expression]()
    written: list[str] = []
    explained, is_after_term = 0, False
    for token in tokens_of(text):
        if explained or (is_after_term and token == "("):
            explained += (token == "(") - (token == ")")
        elif token not in SIGN_TOKENS:
            written.append(f"term{len(terms)}")
            terms[written[-1]] = read_term(token, years, known)
        else:
            written.append(token)
        is_after_term = token not in SIGN_TOKENS
    try:
        return build_expression(ast.parse(" ".join(written), mode="eval").body, terms)
    except SyntaxError as error:
        raise FormulaError("a term or a bracket is missing") from error


def read_term(text: str, years: tuple[str, ...], definitions: dict[str, str]) -> Expression:
    if re.fullmatch(r"\d+(?:\.\d+)?", text) and not YEARS.fullmatch(text):
        return write_number(text)
    name = strip_noise(text)
    if name in definitions:
        inner = definitions.pop(name)  # popped, so that a recursive definition ends here
        return parse_expression(inner, years, definitions)
    return name_item(term_of(text, years))


def build_expression(tree: ast.expr, terms: Mapping[str, Expression]) -> Expression:
    if isinstance(tree, ast.Name):
        return terms[tree.id]
    if not isinstance(tree, ast.BinOp):
        raise FormulaError("this is no operation on two terms")
    left, right = build_expression(tree.left, terms), build_expression(tree.right, terms)
    return Expression(ast.BinOp(left.tree, tree.op, right.tree), {**left.named, **right.named})


def tokens_of(text: str) -> Iterator[str]:
    """Operators and brackets as single characters, and the words between them."""
    start = 0
    for found in ways_of_asking()["signs"].finditer(text):
        if words := text[start : found.start()].strip():
            yield words
        start = found.end()
        number = next(index for index, group in enumerate(found.groups()) if group)
        sign = WORD_SIGNS[number] if number < len(WORD_SIGNS) else found[0].strip()
        yield {"÷": "/", "–": "-", "−": "-"}.get(sign, sign)
    if words := text[start:].strip():
        yield words


def term_of(text: str, years: tuple[str, ...]) -> LineItem:
    """A term with its own years ("FY2017 net income", "average inventory between FY2018 and FY2019") or the asked."""
    over: Over = "year"
    if between := ways_of_asking()["between"].search(text):
        years = tuple(years_matched(between))
        text = text[: between.start()] + text[between.end() :]
    elif own := YEARS.match(text):
        years, text = (own[1],), text[own.end() :].strip()
    if average := ways_of_asking()["average"].match(text):
        over, text = "average", text[average.end() :]
    elif change := ways_of_asking()["change"].match(text):
        over, text = "change", text[change.end() :]
    if over != "year" and len(years) == 1:
        years = (str(int(years[0]) - 1), years[0])
    if len(years) != (1 if over == "year" else 2):
        raise FormulaError("the year is not clear")
    return LineItem(strip_noise(text), years, over)


def strip_noise(text: str) -> str:
    """A name without filler words around it."""
    text = re.sub(r"\([^()]*\)", " ", text)
    text = " ".join(YEARS.sub(" ", text).split()).strip(" ,:;-")
    while (shorter := ways_of_asking()["filler"].sub("", without_source(text)).strip()) != text:
        text = shorter
    return text


def without_source(text: str) -> str:
    """A name without the statement it is to be taken from."""
    found = ways_of_asking()["source"].search(text)
    return text[: found.start()] if found and statement_names(found["source"]) else text


# ---- building and showing


def combine(left: Expression, sign: str, right: Expression) -> Expression:
    return Expression(ast.BinOp(left.tree, OPERATORS[sign](), right.tree), {**left.named, **right.named})


def write_number(text: str) -> Expression:
    return Expression(ast.Constant(float(text) if "." in text else int(text)), {})


def give_name(words: str, named: LineItem | Decimal) -> Expression:
    return Expression(ast.Name(words, ast.Load()), {words: named})


def name_item(item: LineItem) -> Expression:
    before = "" if item.over == "year" else f"{item.over} of "
    return give_name(f"{before}{item.name} {' and '.join(item.years)}", item)


def write_formula(expression: Expression) -> str:
    """The formula in words, brackets where they are needed."""
    return write_out(read_tree(expression.tree), {})
