"""Is what an answer says first what was asked for? Headlines, quotes and typed values against the gold evidence.

Each question is asked as a person would, in a separate installation; the rules answer it, or a model whose replies
were kept.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.anchors import asked_turn
from benchmarks.derived import numbers_of
from benchmarks.figures import is_for_figure
from benchmarks.figures import is_right as is_right_figure
from benchmarks.metrics import mean
from benchmarks.questions import GoldQuestion
from benchmarks.requests import digest_of, kept_replies
from benchmarks.retrieval import commit
from reading.matching import match_form

if TYPE_CHECKING:
    from benchmarks.library import Library
    from chat.models import Answer, Citation, Turn
    from documents.storage.content import DocumentContent
    from retrieval.candidates.units import Prose

WORDS_SHARE = 0.5  # of a gold quote's words in the headline; a clause often has a condition the gold quote leaves out
PART_SHARE = 0.8  # of the headline's words in a gold quote that is longer
DIGITS_MIN = 2
WORDS_MIN = 4  # fewer words of a headline are inside many quotes
PRINTED = ("questions", "answered", "headlines", "headline_right", "headline_wrong", "quote_f1", "mid_sentence",
           "without_period_or_unit", "typed_wrong", "computed", "claim_gate", "without_reply")  # fmt: skip
VALUE_TYPES = frozenset({"amount", "percentage", "date", "duration", "number"})
SENTENCE_ENDED = re.compile(r"[.!?;:][\"')\]”’\d]*$")


class Judged(NamedTuple):
    """What an answer to a question with gold evidence is worth. `right` is None where nothing tells."""

    id: str
    kind: str
    headline: str
    right: bool | None
    f1: tuple[float, ...]  # of each quote, in order
    quotes: int
    cut: int
    cells: int
    bare_cells: int
    typed: int
    typed_wrong: tuple[str, ...]
    computed: "Computed | None" = None
    gate: Mapping[str, int] = {}


class Computed(NamedTuple):
    """Of a question whose gold answer is a figure: whether the answer tells it, and cites all it rests on."""

    is_right: bool
    is_cited: bool


def run(
    questions: Sequence[GoldQuestion],
    library: "Library",
    *,
    with_model: bool = False,
    replies: Path | None = None,
    out: Path | None = None,
) -> dict[str, Any]:
    """Ask every question that the document answers, and sum up.

    With a model its requests are answered from the files in `replies`; those without a reply are written to `out`, the
    arbiter's first, then the writer's, then those of the claim check. Such an answer is not counted.
    """
    from accounts.models import User
    from benchmarks.shelf import shelve
    from documents import access
    from documents.models import Role

    person, _ = User.objects.get_or_create(email="reader@example.org", defaults={"name": "Reader"})
    asked = [question for question in questions if not question.not_found]
    documents = shelve([question.document for question in asked], library)
    access.set_role(next(iter(documents.values())).base, person, Role.OWNER)
    rows = []
    without_reply = 0
    with kept_replies(replies) if with_model else nullcontext() as server:
        for question in asked:
            before = len(server.bodies) if server else 0
            turn = asked_turn(person, documents[question.document], question.question)
            missing = [body for body in server.bodies[before:] if digest_of(body) in server.missing] if server else []
            if missing:
                without_reply += 1
                if out:
                    write_requests(question.id, missing, out)
                continue
            rows.append(judge(question, turn, library.content(question.document)))
    return sum_up(rows) | {"without_reply": without_reply}


def write_requests(name: str, bodies: Iterable[Mapping[str, Any]], out: Path) -> None:
    """One file for each request, called after its digest, by which its reply is found."""
    out.mkdir(parents=True, exist_ok=True)
    for body in bodies:
        digest = digest_of(dict(body))
        (out / f"{digest}.json").write_text(json.dumps({"question": name, "digest": digest, "body": body}), "utf-8")


def sum_up(rows: Sequence[Judged]) -> dict[str, Any]:
    known = [row for row in rows if row.right is not None]
    quotes = sum(row.quotes for row in rows)
    cells = sum(row.cells for row in rows)
    typed = sum(row.typed for row in rows)
    quoted = [row for row in rows if row.f1]
    figures = [row.computed for row in rows if row.computed]
    gate: Counter[str] = Counter()
    for row in rows:
        gate.update(row.gate)
    return {
        "questions": len(rows),
        "with_gold": len(known),
        "answered": mean([row.kind in ("extractive", "generated") for row in rows]),
        "headlines": mean([bool(row.headline) for row in known]),
        "headline_right": mean([bool(row.right) for row in known]),
        "headline_wrong": mean([bool(row.headline) and not row.right for row in known]),
        "quote_f1": {str(count): mean([max(row.f1[:count]) for row in quoted]) for count in (1, 3)},
        "mid_sentence": round(sum(row.cut for row in rows) / quotes, 4) if quotes else None,
        "without_period_or_unit": round(sum(row.bare_cells for row in rows) / cells, 4) if cells else None,
        "typed": typed,
        "typed_wrong": round(sum(len(row.typed_wrong) for row in rows) / typed, 4) if typed else None,
        "computed": {
            "asked": len(figures),
            "right": sum(each.is_right for each in figures),
            "cited": sum(each.is_right and each.is_cited for each in figures),
        },
        "claim_gate": dict(gate),
        "wrong": {row.id: row.headline for row in known if row.headline and not row.right},
        "silent": [row.id for row in known if not row.headline],
        "wrong_values": {row.id: row.typed_wrong for row in rows if row.typed_wrong},
        "commit": commit(),
    }


def judge(question: GoldQuestion, turn: "Turn", content: "DocumentContent") -> Judged:
    if not hasattr(turn, "answer"):
        return Judged(question.id, turn.state, "", is_right(question, "", content), (), 0, 0, 0, 0, 0, ())
    citations = list(turn.answer.citations.order_by("marker"))
    return judge_answer(question, turn.answer, citations, content)


def judge_answer(
    question: GoldQuestion, answer: "Answer", citations: "Sequence[Citation]", content: "DocumentContent"
) -> Judged:
    typed = [check["typed"] for check in answer.checks if check.get("typed")]
    headline = headline_of(answer, typed)
    values = [each for each in typed if each["type"] in VALUE_TYPES]
    cells = [each for each in typed if each["type"] == "cell"]
    return Judged(
        question.id,
        answer.kind,
        headline,
        is_right(question, headline, content),
        tuple(best_overlap(each.quote, question.quotes) for each in citations) if question.quotes else (),
        len(citations),
        sum(is_cut(each.quote, each.first_line, content) for each in citations),
        len(cells),
        sum(not each["period"] or not each["unit"] for each in cells),
        len(values),
        tuple(each["printed"] for each in values if not is_asked_value(question, each)),
        judge_figure(question, answer, citations) if is_for_figure(question) else None,
        count_gate(answer.checks),
    )


def judge_figure(question: GoldQuestion, answer: "Answer", citations: "Sequence[Citation]") -> Computed:
    """Whether a computed figure or the text tells the gold one, and each of its inputs is on a line that is cited."""
    computed = [check["computed"] for check in answer.checks if check.get("computed")]
    told = [Decimal(str(number)) for one in computed for number in numbers_of(one["shown"])] + numbers_of(answer.text)
    quotes = {each.marker: each.quote for each in citations}
    is_printed = all(
        each["printed"].strip() in quotes.get(each["marker"], "") for one in computed for each in one["inputs"]
    )
    is_cited = not any("number_not_cited" in check.get("problems", ()) for check in answer.checks)
    return Computed(is_right_figure(told, question), bool(citations) and is_printed and is_cited)


def count_gate(checks: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """The sentences of an answer by what the claim check says of them, and how many of them are left out."""
    verdicts = Counter(check["verdict"] or "unchecked" for check in checks if "verdict" in check)
    left_out = sum(bool(check.get("left_out")) for check in checks)
    return {**verdicts, "left_out": left_out} if verdicts else {}


def headline_of(answer: "Answer", typed: Iterable[Mapping[str, Any]]) -> str:
    """The headline of an answer made of quotes; the first sentence of a written one."""
    from chat.writing.writer import sentences_of

    named = next((text_of(each) for each in typed if each["type"] in ("sentence", "cell", "list", "table")), "")
    if not named and any(check.get("computed") for check in answer.checks):
        named = answer.text.partition("\n\n\u201c")[0]
    if named or answer.kind != "generated":
        return str(named)
    return next(iter(sentences_of(answer.text)), "")


def text_of(typed: Mapping[str, Any]) -> str:
    """What a headline says; a list says all its items, a table all its rows."""
    if typed["type"] == "list":
        return " ".join(item["text"] for item in typed["items"])
    if typed["type"] == "table":
        return " ".join(" ".join([row["label"], *row["cells"]]) for row in typed["rows"])
    return str(typed["text"])


def is_right(question: GoldQuestion, headline: str, content: "DocumentContent") -> bool | None:
    """Whether the gold value or the words of a gold quote are in the headline.

    None where there is no gold quote and the gold answer has no figure that is printed on its page.
    """
    if question.quotes:
        said = words_of(headline)
        return any(is_said(said, words_of(quote)) for quote in question.quotes)
    figures = printed_figures(question, content)
    return bool(figures & figures_of(headline)) if figures else None


def printed_figures(question: GoldQuestion, content: "DocumentContent") -> set[Decimal]:
    """The figures of the gold answer that are printed on its pages."""
    printed: set[Decimal] = set()
    for page in (*question.pages, *question.alt_pages):
        printed |= figures_of(" ".join(line.text for line in content.lines_on_page(page)))
    return printed & figures_of(question.answer)


def figures_of(text: str) -> set[Decimal]:
    """The numbers of a text without their sign, but for years and what is too short to tell: "3M", "10"."""
    return {abs(each) for each in numbers_of(text) if len(each.normalize().as_tuple().digits) >= DIGITS_MIN}


def is_said(said: set[str], gold: set[str]) -> bool:
    shared = len(said & gold)
    return bool(gold) and (
        shared >= WORDS_SHARE * len(gold) or (len(said) >= WORDS_MIN and shared >= PART_SHARE * len(said))
    )


def words_of(text: str) -> set[str]:
    return set(re.findall(r"\w+", match_form(text)))


def best_overlap(quote: str, gold: Iterable[str]) -> float:
    return max((overlap(words_of(quote), words_of(each)) for each in gold), default=0.0)


def overlap(one: set[str], other: set[str]) -> float:
    """The harmonic mean of precision and recall, by words."""
    shared = len(one & other)
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


def is_cut(quote: str, first_line: int, content: "DocumentContent") -> bool:
    """Whether a quote begins or ends inside a sentence of running text, or inside a row."""
    from reading.values.sentences import SENTENCE, split_at
    from retrieval.candidates.units import prose_of, units_of

    number = first_line
    kinds = {line.kind for line in content.legible_lines(first_line, first_line)}
    if not kinds & {"body", "list_item"}:
        lines = {line.text.strip() for line in content.lines_on_page(content.lines[first_line - 1].page_number)}
        return not all(part.strip() in lines for part in quote.splitlines())
    last = number + len(quote.splitlines()) - 1
    units = units_of(content)
    first_unit, last_unit = units.around(number), units.around(min(last, len(content.lines)))
    prose: Prose = prose_of(first_unit._replace(last=last_unit.last), content)
    plain = flat(quote)
    text = flat(prose.text)
    at = text.find(plain)
    if at < 0:
        return False  # joined over the end of a word or a page
    bounds = (
        {0, len(text)}
        | {len(flat(prose.text[:end])) for _, end in split_at(prose.text, SENTENCE)}
        | {
            len(flat(prose.text[: prose.begins[line]]))
            for line in range(len(prose.lines))
            if is_first(prose, line, content)
        }
    )
    return at not in bounds or at + len(plain) not in bounds


def is_first(prose: "Prose", index: int, content: "DocumentContent") -> bool:
    from retrieval.candidates.units import units_of

    return prose.lines[index].number in units_of(content).starts


def flat(text: str) -> str:
    return re.sub(r"\W+", "", text.casefold())


def is_asked_value(question: GoldQuestion, typed: Mapping[str, Any]) -> bool:
    """Whether a typed value is in the gold answer or a gold quote."""
    gold = flat(" ".join((question.answer, *question.quotes)))
    numbers = {abs(each) for each in numbers_of(" ".join((question.answer, *question.quotes)))}
    return flat(typed["printed"]) in gold or bool({abs(each) for each in numbers_of(typed["printed"])} & numbers)
