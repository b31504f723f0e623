"""Questions for a figure, with a writer's replies from files: is what code computes the gold answer, and cited?

The excerpts are made as for an answer. With the evidence "gold" the gold pages come first, so that the formula is
measured and not retrieval. Requests without a reply are written to a folder, to be answered elsewhere; so are those of
a second draft, once the first has a reply.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from benchmarks.derived import FALL, numbers_of, rounded
from benchmarks.inputs import check_pages
from benchmarks.library import Library
from benchmarks.questions import GoldQuestion
from benchmarks.requests import digest_of, kept_replies, write_request
from benchmarks.retrieval import commit
from chat.drafts import Quoted
from chat.figures.requested import RequestedFigures, resolve_request
from chat.turns.compose import WriterContext, receive
from chat.turns.gating import WriterReply, write_figures
from chat.turns.reading import Material, fragments_for
from chat.writing.excerpt_rows import excerpts_of
from chat.writing.extractive import choose_quotes
from chat.writing.writer import PROMPT, StreamedReply, check_sentences
from documents.base_settings import BaseSettings
from documents.storage.content import DocumentContent
from llm.prompts import instruct
from retrieval.models import RetrievalRun, RunCandidate
from retrieval.pipeline import retrieve
from retrieval.question.parse import parse_question
from retrieval.record.storing import candidate_rows, result_row
from retrieval.types import KEPT_ROLES, ArbiterName, ConceptTerms

ANSWER_CHARS_MAX = 200  # a longer gold answer tells a story in which numbers occur
FIGURE_ASKED = re.compile(
    r"\b(?:ratio|margin|growth?|rate|average|changed?|turnover|cycle|working capital|how (?:much|many)|percent|"
    r"increased?|improv|compare|conversion|amount|cagr|ebitda|cogs|cash flow)",
    re.IGNORECASE,
)
PRINTED = (
    "questions",
    "asked",
    "right",
    "cited",
    "computed",
    "refused",
    "without_reply",
    "not_right",
    "inputs",
    "commit",
)


@dataclass(frozen=True)
class Answered:
    """A question with the draft that was written for it."""

    question: GoldQuestion
    written: WriterReply
    quotes: tuple[Quoted, ...]


def run(
    questions: Sequence[GoldQuestion],
    library: Library,
    dictionary: Sequence[ConceptTerms] = (),
    *,
    evidence: str = "gold",
    replies: Path | None = None,
    arbiter_replies: Path | None = None,
    out: Path | None = None,
) -> dict[str, Any]:
    """`right`: a number of the gold answer is a computed figure, or in the text, to the gold's own decimals; `cited`:
    and each of its inputs, or each number of its text, is in a line it cites."""
    asked = [one for one in questions if is_for_figure(one)]
    rows, unanswered = [], []
    for question in asked:
        content = library.content(question.document)
        quotes = quotes_of(question, content, dictionary, evidence, arbiter_replies)
        with kept_replies(replies) as server:
            written = write(question, quotes, content)
        for body in server.bodies:
            if digest_of(body) in server.missing:
                unanswered.append(question.id)
                if out:
                    out.mkdir(parents=True, exist_ok=True)
                    write_request(question, body, out)
        if len(server.missing) < len(server.bodies):
            rows.append(judge(Answered(question, written, tuple(quotes))))
    return {
        "questions": len(questions),
        "asked": len(asked),
        "right": sum(row["right"] for row in rows),
        "cited": sum(row["right"] and row["cited"] for row in rows),
        "computed": sum(bool(row["figures"]) for row in rows),
        "refused": [f"{row['id']}: {each}" for row in rows for each in row["findings"]],
        "without_reply": len(unanswered),
        "not_right": [
            f"{row['id']}: {row['figures'] or row['text'][:80]} for {row['gold'][:80]}"
            for row in rows
            if not row["right"]
        ],
        "inputs": check_pages(questions, library, candidate_of_page),
        "tolerance": "half a unit of the gold answer's last decimal",
        "evidence": evidence,
        "commit": commit(),
        "per_question": rows,
    }


def is_for_figure(question: GoldQuestion) -> bool:
    """Whether the gold answer to a question is a figure, or a yes or no with the figure it rests on."""
    numbers = numbers_of(question.answer)
    return bool(numbers) and len(question.answer) <= ANSWER_CHARS_MAX and bool(FIGURE_ASKED.search(question.question))


# ---- the excerpts


def quotes_of(
    question: GoldQuestion,
    content: DocumentContent,
    dictionary: Sequence[ConceptTerms],
    evidence: str,
    arbiter_replies: Path | None,
) -> list[Quoted]:
    """What the writer is given: the passages kept by the rules, or by a model's kept replies."""
    settings = BaseSettings()
    arbiter: ArbiterName = "model" if arbiter_replies else "rules"
    with kept_replies(arbiter_replies):
        result = retrieve(question.question, [content], settings=settings, arbiter=arbiter, dictionary=dictionary)
    kept = [each for each in candidate_rows(result, result_row(result)) if each.role in KEPT_ROLES]
    if evidence == "gold":
        gold = [candidate_of_page(page, content) for page in question.pages]
        others = [each for each in kept if each.context_first_page not in question.pages]
        kept = [*gold, *others]
        for position, each in enumerate(kept, 1):
            each.position = position
    return choose_quotes(kept, "balanced", settings)


def candidate_of_page(number: int, content: DocumentContent) -> RunCandidate:
    """A whole page as a passage that was judged primary."""
    lines = content.lines_on_page(number)
    first, last = lines[0].number, lines[-1].number
    entry = content.toc_by_index.get(lines[-1].toc_index)
    text = content.text_between(first, last, searched_only=True)
    return RunCandidate(
        candidate_id=f"gold-{number}",
        document_id=content.document_id,
        parse_id=content.parse_id,
        document_title=content.title,
        section_title=entry.title if entry else "",
        breadcrumb=entry.breadcrumb if entry else "",
        role="primary",
        rule="gold page",
        content_anchor=text,
        anchor_text=text,
        anchor_pieces=[],
        boxes=[],
        anchor_first_line=first,
        anchor_last_line=last,
        anchor_first_page=number,
        anchor_last_page=number,
        anchor_page_label=content.page(number).called,
        context_first_line=first,
        context_last_line=last,
        context_first_page=number,
        context_last_page=number,
        context_text=text,
    )


# ---- the answer


def write(question: GoldQuestion, quotes: Sequence[Quoted], content: DocumentContent) -> WriterReply:
    """The draft with its figures, as in a turn."""
    read = asdict(parse_question(question.question, [content]))
    run = RetrievalRun(plan={}, parsed=read, question=question.question)
    writing = WriterContext("balanced", BaseSettings(), lambda text: None, lambda: False)
    excerpts = excerpts_of(quotes, {content.parse_id: content})
    material = Material(excerpts, instruct(PROMPT, None), fragments_for(run, excerpts))

    def resolve(reply: StreamedReply) -> RequestedFigures:
        contents = {content.parse_id: content}
        return resolve_request(reply, question.question, quotes, contents, first_marker=len(quotes) + 1)

    def rewrite(findings: str) -> WriterReply:
        return receive(run, material, writing, findings)

    written, _ = write_figures(rewrite(""), resolve, rewrite)
    return written


def judge(answered: Answered) -> dict[str, Any]:
    question, written = answered.question, answered.written
    figures = written.figures
    computed = [check["computed"] for check in figures.checks] if figures else []
    sentences = check_sentences(written.text, written.sources(excerpts_of(answered.quotes, {})))
    told = [Decimal(str(number)) for one in computed for number in numbers_of(one["shown"])] + numbers_of(written.text)
    lines = {each.marker: each.quote for each in figures.quoted} if figures else {}
    return {
        "id": question.id,
        "question": question.question,
        "gold": question.answer,
        "text": written.text,
        "figures": [f"{check['sentence']}" for check in figures.checks] if figures else [],
        "shown": figures.text if figures else "",
        "findings": [f"{each.name}: {each.words}" for each in written.requested.findings] if written.requested else [],
        "missing": list(written.requested.missing) if written.requested else [],
        "right": is_right(told, question),
        "cited": all("number_not_cited" not in check["problems"] for check in sentences)
        and all(each["printed"].strip() in lines[each["marker"]] for one in computed for each in one["inputs"])
        and bool(computed or written.reply.used),
    }


def is_right(told: Sequence[Decimal], question: GoldQuestion) -> bool:
    """Whether a number of the gold answer is among those that are told, rounded as the gold has it."""
    gold = [number for number in numbers_of(question.answer) if number not in numbers_of(question.question)]
    gold += [-number for number in gold] if FALL.search(question.answer) else []
    return any(rounded(one, number) == number for one in told for number in gold)
