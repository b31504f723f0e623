"""The options of a form in a document, by groups: which are chosen, and which of them a question asks about."""

from collections.abc import Sequence
from typing import NamedTuple

from documents.storage.content import DocumentContent, kept_with_content
from reading.layout.ticks import CIRCLES, UNREAD, has_box, options_in, states_together
from reading.rows import UNSEARCHED_KINDS, LineRow
from retrieval.types import LineRange, Question
from retrieval.words.lexicon import lexicon_of
from retrieval.words.terms import WeighedTerm, weigh_terms
from retrieval.words.tokens import is_stop_word, normalise_words, word_lists, words_anywhere

LABEL_SHARE = 0.5  # of the words of a label: a question with fewer of them is not about it
ASKED_SHARE = 0.4  # of a question's weight in what stands above the options or before them
GAP_LINES = 1  # between two options of a group: the second line of a label
QUESTION_LINES = 4  # that a question above options is read over
ASKING_ENDS = ("?", "？", "؟", ":")
ASKING_KINDS = frozenset({"body", "list_item", "heading"})


class PrintedOption(NamedTuple):
    """An option on a line: its label, its characters there, and whether it is chosen; None if nothing tells."""

    line: LineRow
    label: str
    start: int
    end: int
    is_ticked: bool | None
    box: str

    @property
    def literal(self) -> str:
        return self.line.text[self.start : self.end]


class OptionGroup(NamedTuple):
    """Options that stand together, the text before or above the first, and the title of their section.

    `asked_from` is the first line of the text above, 0 if it stands before the first option.
    """

    options: tuple[PrintedOption, ...]
    asked: str
    section: str
    asked_from: int = 0

    @property
    def chosen(self) -> tuple[PrintedOption, ...]:
        return tuple(each for each in self.options if each.is_ticked)

    @property
    def is_unread(self) -> bool:
        """Whether the reading could not tell of one of its boxes whether it is ticked."""
        return any(each.box == UNREAD for each in self.options)

    @property
    def is_yes_or_no(self) -> bool:
        return all(words_anywhere("yes_no_words").issuperset(normalise_words(each.label)[:1]) for each in self.options)


@kept_with_content
def option_groups_in(content: DocumentContent) -> tuple[OptionGroup, ...]:
    found: list[list[PrintedOption]] = []
    for line in content.lines:
        if line.kind in UNSEARCHED_KINDS or not has_box(line.text_in_force):
            continue
        options = [PrintedOption(line, *option) for option in options_in(line.text_in_force) if option.label]
        if not options:
            continue
        is_first = bool(line.text_in_force[: options[0].start].strip())
        if found and not is_first and is_next_option(found[-1][-1].line, line, content):
            found[-1] += options
        else:
            found.append(options)
    return tuple(group_options(options, content) for options in found)


def is_next_option(above: LineRow, line: LineRow, content: DocumentContent) -> bool:
    """Whether an option is right below another, with no question of its own between them."""
    is_near = line.number - above.number <= 1 + GAP_LINES
    is_asked = any(asks(each) for each in content.lines[above.number : line.number - 1])
    return is_near and not is_asked and (above.page_number, above.toc_index) == (line.page_number, line.toc_index)


def asks(line: LineRow) -> bool:
    return line.text_in_force.rstrip(" *_").endswith(ASKING_ENDS)


def group_options(options: list[PrintedOption], content: DocumentContent) -> OptionGroup:
    """The group, with what its boxes say together."""
    states = states_together([(each.box, each.is_ticked) for each in options])
    options = [each._replace(is_ticked=state) for each, state in zip(options, states, strict=True)]
    first = options[0]
    entry = content.toc_by_index.get(first.line.toc_index)
    before = first.line.text_in_force[: first.start].strip()
    above = [] if before else lines_asking(first.line, content)
    asked = before or " ".join(line.text_in_force.strip() for line in above)
    return OptionGroup(tuple(options), asked, entry.title if entry else "", above[0].number if above else 0)


def lines_asking(option: LineRow, content: DocumentContent) -> Sequence[LineRow]:
    """The line above an option, with those above it on which its question begins."""
    first = option.number - 1
    if not first or not asks(content.lines[first - 1]):
        return content.lines[max(first - 1, 0) : first]
    while option.number - first < QUESTION_LINES:
        line, above = content.lines[first - 1], content.lines[first - 2]
        is_whole = first == 1 or above.kind not in ASKING_KINDS or has_box(above.text_in_force)
        if is_whole or above.page_number != line.page_number or not line.text_in_force[:1].islower():
            break
        first -= 1
    return content.lines[first - 1 : option.number - 1]


def question_above(number: int, content: DocumentContent) -> int:
    """The line on which the question begins that a yes or no on a line is below; 0 for any other line."""
    group = group_at(number, content)
    is_option = group is not None and group.options[0].line.number <= number
    return group.asked_from if group and is_option and group.is_yes_or_no and asks_above(group, content) else 0


def asks_above(group: OptionGroup, content: DocumentContent) -> bool:
    return group.asked_from > 0 and asks(content.lines[group.options[0].line.number - 2])


def group_at(number: int, content: DocumentContent) -> OptionGroup | None:
    """The group that has an option on a line, or whose text above it ends there."""
    for group in option_groups_in(content):
        if group.options[0].line.number - 1 <= number <= group.options[-1].line.number:
            return group
    return None


def named_options(group: OptionGroup, question: Question, content: DocumentContent) -> list[PrintedOption]:
    """The options of a group that a question names: those with most of its words, if these are most of the label's."""
    shares = {each: share_named(each.label, question, content) for each in group.options}
    best = max(shares.values())
    return [each for each, share in shares.items() if share == best] if best >= LABEL_SHARE else []


def share_named(label: str, question: Question, content: DocumentContent) -> float:
    """The share of the words of a label that a question has; 0 for a yes or a no."""
    words = [word for word in normalise_words(label) if not is_stop_word(word, content.language)]
    if not words or words_anywhere("yes_no_words").issuperset(words):
        return 0.0
    terms = weigh_terms(question, lexicon_of(content))
    asked = {word for term in terms for form in (*term.texts, *term.forms) for word in form.split()}
    codes = [set(normalise_words(each.text)) for each in question.keywords if each.source == "identifier"]
    if any(code & set(words) and not code <= set(words) for code in codes):
        return 0.0  # "ISO 9001" is not "ISO 14001"
    return sum(word in asked for word in words) / len(words)


def is_asked(group: OptionGroup, question: Question, content: DocumentContent) -> bool:
    """Whether what stands above the options or before them has enough of a question, but for its words of choosing."""
    said = f" {' '.join(normalise_words(f'{group.asked} {group.section}'))} "
    terms = [(term, is_said(term, said)) for term in weigh_terms(question, lexicon_of(content))]
    choosing = words_anywhere("choosing_words")
    total = sum(term.weight for term, has_it in terms if has_it or choosing.isdisjoint(term.texts))
    return bool(total) and sum(term.weight for term, has_it in terms if has_it) >= ASKED_SHARE * total


def is_said(term: WeighedTerm, said: str) -> bool:
    return any(f" {form} " in said for form in (*term.texts, *term.forms))


def asked_options(group: OptionGroup, question: Question, content: DocumentContent) -> list[PrintedOption]:
    """The options that answer a question: the one it names, chosen or not, else those that are chosen.

    Nothing where neither is: an option that is not chosen answers only whether it is, or which are not. Where all are
    chosen they are a list like any other.
    """
    is_boolean = question.answer_type == "boolean"
    if is_boolean and (named := named_options(group, question, content)):
        return named if len(named) == 1 and named[0].is_ticked is not None else []
    if is_boolean and not group.is_yes_or_no:
        return []
    is_choice = any(each.is_ticked is False for each in group.options)
    if not is_choice or not is_asked(group, question, content):
        return []
    if asks_unchosen(question) and not group.is_yes_or_no:
        return [each for each in group.options if each.is_ticked is False]
    return list(group.chosen)


def asks_unchosen(question: Question) -> bool:
    """Whether a question asks which options were not chosen."""
    denying = word_lists("negations").get(question.language, frozenset())
    return question.answer_type != "boolean" and not denying.isdisjoint(normalise_words(question.topic))


def is_unread_choice(group: OptionGroup, question: Question, content: DocumentContent) -> bool:
    """Whether a question is about a choice of which the reading could not tell what was chosen."""
    if not group.is_unread:
        return False
    named = named_options(group, question, content)
    if question.answer_type == "boolean" and named:
        return any(each.box == UNREAD for each in named)
    return bool(named) or is_asked(group, question, content)


def unread_choices(question: Question, content: DocumentContent) -> tuple[OptionGroup, ...]:
    """The groups of options a question is about whose boxes could not all be read."""
    return tuple(group for group in option_groups_in(content) if is_unread_choice(group, question, content))


def is_of_unread_choice(numbers: LineRange, question: Question, content: DocumentContent) -> bool:
    """Whether lines belong to such a group: they answer nothing, whichever of its boxes are ticked."""
    return any(
        group.options[0].line.number <= numbers.last and numbers.first <= group.options[-1].line.number
        for group in unread_choices(question, content)
    )


def lines_for(number: int, question: Question, content: DocumentContent) -> list[int]:
    """The lines that are to stand for a place: among options those that answer, else the line itself."""
    group = group_at(number, content)
    answering = asked_options(group, question, content) if group else []
    return sorted({each.line.number for each in answering}) or [number]


def lines_over(number: int, question: Question, content: DocumentContent) -> frozenset[int]:
    """The lines of what stands above the options, for one of them that answers; none for any other line."""
    group = group_at(number, content)
    if group is None or not group.asked_from or not is_option_asked(number, question, content):
        return frozenset()
    return frozenset(range(group.asked_from, group.options[0].line.number))


def is_option_asked(number: int, question: Question, content: DocumentContent) -> bool:
    """Whether a line has an option that answers a question by its state: a value, whatever type was asked for."""
    group = group_at(number, content)
    answering = asked_options(group, question, content) if group else []
    return any(each.line.number == number and (each.is_ticked or asks_unchosen(question)) for each in answering)


def is_unchosen(numbers: LineRange, content: DocumentContent) -> bool:
    """Whether lines are nothing but options that are not chosen."""
    return all(has_only_unchosen(line, content) for line in content.legible_lines(*numbers))


def is_doubtful(numbers: LineRange, question: Question, content: DocumentContent) -> bool:
    """Whether lines are nothing but options that are not chosen, where these are not asked for, or, of a question for a
    yes or no, may not be.

    Circles that nothing tells from the bullets of a list do not count.
    """
    is_open_doubt, is_wanted = question.answer_type == "boolean", asks_unchosen(question)
    return all(
        (not is_wanted and has_only_unchosen(line, content)) or (is_open_doubt and has_only_open(line, content))
        for line in content.legible_lines(*numbers)
    )


def has_only_open(line: LineRow, content: DocumentContent) -> bool:
    own = options_on(line, content)
    return bool(own) and all(each.is_ticked is None and each.box not in CIRCLES for each in own)


def has_only_unchosen(line: LineRow, content: DocumentContent) -> bool:
    own = options_on(line, content)
    return bool(own) and all(each.is_ticked is False for each in own)


def options_on(line: LineRow, content: DocumentContent) -> list[PrintedOption]:
    """The options of a line that has nothing before them."""
    group = group_at(line.number, content)
    own = [each for each in group.options if each.line.number == line.number] if group else []
    return own if own and own[0].start == 0 else []
