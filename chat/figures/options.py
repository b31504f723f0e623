"""The options of a form as an answer: the one a question names with its state, or those that were chosen."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import override

from chat.drafts import Quoted, cite_lines
from documents.storage.content import DocumentContent
from reading.rows import LineRow
from retrieval.candidates.shown import LEFT_OUT
from retrieval.models import RunCandidate
from retrieval.types import LineRange, Question
from retrieval.words.options import OptionGroup, PrintedOption, asked_options, group_at, is_unchosen

PLACES_MAX = 3  # of the kept passages, the best


class OptionAnswer(NamedTuple):
    """What the options say, in words, and the lines that show it, as citation [1]."""

    text: str
    quoted: Quoted
    lines: LineRange


def find_answer(
    question: Question, kept: Sequence[RunCandidate], contents: Mapping[Any, DocumentContent]
) -> OptionAnswer | None:
    """The options that answer a question, at the best place that has some; None if there are none."""
    if question.parts or question.is_count:
        return None
    for candidate in [each for each in kept if each.role == "primary"][:PLACES_MAX]:
        content = contents.get(candidate.parse_id)
        if content is None:
            continue
        for number in range(candidate.anchor_first_line, candidate.anchor_last_line + 1):
            group = group_at(number, content)
            if group and (options := asked_options(group, question, content)):
                return option_answer_of(options, group, question, candidate, content)
    return None


def option_answer_of(
    options: Sequence[PrintedOption],
    group: OptionGroup,
    question: Question,
    candidate: RunCandidate,
    content: DocumentContent,
) -> OptionAnswer:
    is_named = question.answer_type == "boolean" and not group.is_yes_or_no
    with override(question.language):
        said = [say_state(each) if is_named else each.literal for each in options]
    asked = [group.asked] if group.is_yes_or_no and group.asked else []
    is_asked = group.is_yes_or_no and group.asked_from
    above = list(content.lines_between(group.asked_from, group.options[0].line.number - 1)) if is_asked else []
    quoted = quote_options(options, above, candidate, content)
    lines = LineRange(options[0].line.number, options[-1].line.number)
    return OptionAnswer(" ".join([*asked, "; ".join(said)]), quoted, lines)


def say_state(option: PrintedOption) -> str:
    if option.is_ticked:
        return _("%(option)s: ticked") % {"option": option.literal}
    return _("%(option)s: not ticked") % {"option": option.literal}


def quote_options(
    options: Sequence[PrintedOption], above: Sequence[LineRow], candidate: RunCandidate, content: DocumentContent
) -> Quoted:
    """The options as a citation, after the lines of their question `above`; what is left out between is marked so."""
    pieces = [
        *((line.number, 0, len(line.text)) for line in above),
        *((each.line.number, each.start, each.end) for each in options),
    ]
    said: list[str] = []
    first = last = pieces[0][0]
    for number, start, end in pieces:
        said += [LEFT_OUT] if number - last > 1 else []
        said.append(content.lines[number - 1].text[start:end])
        last = number
    return Quoted(1, candidate, "\n".join(said), cite_lines(content, first, last, pieces))


def without_unchosen(quotes: Sequence[Quoted], contents: Mapping[Any, DocumentContent]) -> list[Quoted]:
    """The quotes but for those that are nothing but options that are not chosen."""
    return [each for each in quotes if not is_unchosen_quote(each.candidate, contents.get(each.candidate.parse_id))]


def is_unchosen_quote(candidate: RunCandidate, content: DocumentContent | None) -> bool:
    lines = LineRange(candidate.anchor_first_line, candidate.anchor_last_line)
    return content is not None and is_unchosen(lines, content)
