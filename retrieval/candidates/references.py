"""Where the best passages point (R14, R75): what they name is looked up in the document's registry.

Before anything is judged, some of these places are proposed; of the passages that were kept, all of them are told.
A sentence that only says where its value stands ("The fee is set out in Annex A.") is followed there in every mode.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.registry.objects import CLAUSE, Places
from reading.registry.references import Reference, references_in
from retrieval.accounting import NAMED_MAX
from retrieval.candidates.context import paragraph_around
from retrieval.candidates.plain import one_line
from retrieval.candidates.pointed import lines_of_thing
from retrieval.question.called import CALLED, with_kind
from retrieval.question.linear import compile_linear
from retrieval.question.phrasing import deferrals_in, phrasing_rules
from retrieval.question.values import has_form, has_value
from retrieval.told.clauses import recorded_facts
from retrieval.told.planned import ThingFacts, give_reason, join_reasons, thing_of
from retrieval.types import VALUE_LEFT, Candidate, Hit, LineRange, Question, Settled
from retrieval.words.lexicon import lexicon_of
from retrieval.words.terms import WeighedTerm, share_within, terms_within, weigh_terms
from retrieval.words.tokens import is_stop_word, normalise_words

REFERRING_MAX = 8  # the best passages, searched for references
TARGETS_MAX = 4  # at most this many places are added: one bounded hop
NEAR_SHARE = 0.8  # of the greatest strength: a place as strong with a value answers without following anything
ASKED_SHARE = 0.5  # of the question's weight, before the reference and on one of several lines with a value
DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class Followed:
    """The outcome of following the references of some candidates."""

    hits: tuple[Hit, ...]
    named: tuple[ThingFacts, ...]  # the facts of what each hit is, and of the page it is named on
    led_nowhere: tuple[Reference, ...]

    def join(self, other: "Followed") -> "Followed":
        """Both outcomes, this one first."""
        lost = dict.fromkeys((*self.led_nowhere, *other.led_nowhere))
        return Followed((*self.hits, *other.hits), (*self.named, *other.named), tuple(lost))

    @property
    def outcome(self) -> str:
        """R75's exact, fallback and failed as a sentence for the plan."""
        return give_reason(
            "followed",
            followed=list(self.named),
            lost=[thing_of(each.kind, each.label, each.row) for each in self.led_nowhere],
        )


NOTHING_FOLLOWED = Followed((), (), ())


def follow(candidates: Sequence[Candidate], contents: Sequence[DocumentContent]) -> Followed:
    """A hit for each place the best candidates refer to and do not contain; a single hop.

    References near the matched lines come first: the sentence that was found tells where its figures are.
    """
    content_of = {content.document_id: content for content in contents}
    found: list[tuple[int, int, ThingFacts, Hit]] = []
    lost: dict[Reference, None] = {}
    for candidate in sorted(candidates, key=lambda each: each.rrf_rank)[:REFERRING_MAX]:
        content = content_of[candidate.document_id]
        source = paragraph_around(candidate.anchor, content)
        for named in content.registry.between(*source):
            reference = Reference(named.kind, named.label, named.row)
            target = LineRange(named.target_line, named.target_line)
            if not named.target_line:
                lost[reference] = None
            elif not target.overlaps(source):
                hit = reference_hit(reference, target.first, candidate, content)
                told = thing_of(named.kind, named.label, named.row, candidate.anchor_pages[0])
                found.append((abs(named.line_number - candidate.best_line), candidate.rrf_rank, told, hit))
    hits: dict[tuple[str, LineRange], tuple[ThingFacts, Hit]] = {}
    for _, _, told, hit in sorted(found, key=lambda each: each[:2]):
        hits.setdefault((hit.document_id, hit.lines), (told, hit))
    best = list(hits.values())[:TARGETS_MAX]
    return Followed(tuple(hit for _, hit in best), tuple(told for told, _ in best), tuple(lost))


def tell_references(kept: Sequence[Settled], contents: Sequence[DocumentContent], before: str) -> str:
    """What was told `before`, and where the kept passages point beyond what is handed on, or lead nowhere (R75).

    No place is added for it, as nobody has judged these.
    """
    content_of = {content.document_id: content for content in contents}
    known = recorded_facts(before).get("lost", [])
    found: dict[str, ThingFacts] = {}
    lost: dict[str, ThingFacts] = {}
    for candidate in kept:
        content = content_of[candidate.document_id]
        handed_on = [each.context.lines for each in kept if each.document_id == candidate.document_id]
        for named in content.registry.between(*paragraph_around(candidate.anchor, content)):
            told = thing_of(named.kind, named.label, named.row)
            target = LineRange(named.target_line, named.target_line)
            if not named.target_line:
                lost |= {} if told in known else {str(told): told}
            elif not any(target.overlaps(lines) for lines in handed_on):
                page = content.page(content.lines[target.first - 1].page_number).called
                found[f"{told} {page}"] = thing_of(named.kind, named.label, named.row, page)
    further = [give_reason("kept points to", **name_first(list(found.values())))] if found else []
    further += [give_reason("kept names", **name_first(list(lost.values())))] if lost else []
    return join_reasons(before, *further)


def name_first(things: Sequence[ThingFacts]) -> dict[str, object]:
    """The things that are told by name, and how many more there are."""
    return {"things": list(things[:NAMED_MAX]), "more": max(0, len(things) - NAMED_MAX)}


def reference_hit(reference: Reference, line: int, source: Candidate, content: DocumentContent) -> Hit:
    return Hit.on_line("references", line, content, detail=f"{reference}, named on p. {source.anchor_pages[0]}")


# ---- a sentence that only says where its value stands


def follow_deferral(
    question: Question, candidates: Sequence[Candidate], contents: Sequence[DocumentContent]
) -> Followed:
    """A hit on the line with the value that the strongest of the best candidates leaves to another place.

    Nothing where one of the best has a value of the kind asked for, nor for a question in parts or for what has no
    form, nor where several values may be meant.
    """
    question = with_kind(question)
    if question.parts or not candidates or not has_form(question):
        return NOTHING_FOLLOWED
    enough = NEAR_SHARE * max(each.strength for each in candidates)
    best = sorted((each for each in candidates if each.strength >= enough), key=lambda each: -each.strength)
    if any(each.is_told or each.statement or has_own_value(question, each.own_text) for each in best):
        return NOTHING_FOLLOWED
    content_of = {content.document_id: content for content in contents}
    found = ((at, each) for at in best for each in deferrals_of(question, at, content_of[at.document_id]))
    candidate, reference = next(found, (None, None))
    if candidate is None or reference is None:
        return NOTHING_FOLLOWED
    content = content_of[candidate.document_id]
    begins = Places(content.lines, content.toc, content.registry.objects).find(reference)
    if not begins:
        return Followed((), (), (reference,))
    target = lines_of_thing(reference.kind, begins, content)
    line = line_of_value(question, target, content)
    if line is None or candidate.anchor.overlaps(LineRange(line, line)):
        return NOTHING_FOLLOWED
    page = candidate.anchor_pages[0]
    hit = reference_hit(reference, line, candidate, content)
    hit = replace(hit, type_match=True, detail=f"{reference}, where p. {page} {VALUE_LEFT}")
    return Followed((hit,), (thing_of(reference.kind, reference.label, reference.row, page),), ())


def has_own_value(question: Question, text: str) -> bool:
    """Whether a text has a value of the kind asked for; its own number and those of what it refers to are none."""
    text = without_labels(question, text)
    return has_value(question, match_form(text), text)


def without_labels(question: Question, text: str) -> str:
    """A text in one line without the numbers that are labels, which count where a number is asked for."""
    text = one_line(text)
    for _, start, end in references_in(text):
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    own = CLAUSE.match(text) if question.answer_type == "number" else None
    return text[own.end("number") :] if own else text


def deferrals_of(question: Question, candidate: Candidate, content: DocumentContent) -> Iterator[Reference]:
    """What a candidate leaves the value asked for to: only where that stands directly before the words that do."""
    terms = weigh_terms(question, lexicon_of(content))
    for reference, before, _ in deferrals_in(candidate.own_text):
        if is_about_asked(before, question, terms, content.language):
            yield reference


def is_about_asked(before: str, question: Question, terms: Sequence[WeighedTerm], language: str) -> bool:
    """Whether a text speaks of what is asked and after that only frames it: "the late fee is the amount".

    "Pay the rent to the bank named in Schedule 2" leaves the bank to the schedule, "except as stated in" nothing.
    """
    words = normalise_words(before)
    last = max((at for at, word in enumerate(words) if terms_within(word, terms)), default=-1)
    called, framing = phrasing_rules()[CALLED.get(question.answer_type, "summing")], words[last + 1 :]
    if last < 0 or phrasing_rules()["excepting"].search(" ".join(framing)):
        return False
    languages = {language, question.language}
    is_framed = all(called.match(word) or any(is_stop_word(word, each) for each in languages) for word in framing)
    return is_framed and share_within(before, terms) >= ASKED_SHARE


def line_of_value(question: Question, lines: LineRange, content: DocumentContent) -> int | None:
    """The line with a value of the kind asked for that has most, and enough, of the question, else the only such line
    with a single value; None where several may be meant.
    """
    valued = [
        line
        for line in content.legible_lines(*lines)
        if line.kind not in ("heading", "caption") and has_own_value(question, line.text_in_force)
    ]
    terms = weigh_terms(question, lexicon_of(content))
    shares = {line.number: share_within(line.text_in_force, terms) for line in valued}
    best = max(shares.values(), default=0.0)
    leading = [number for number, share in shares.items() if share == best]
    if best >= ASKED_SHARE and len(leading) == 1:
        return leading[0]
    return valued[0].number if len(valued) == 1 and has_single_value(question, valued[0].text_in_force) else None


def has_single_value(question: Question, text: str) -> bool:
    """Whether a text has one value of the kind asked for; one that is written out beside its figures is the same."""
    text = without_labels(question, text)
    found = [
        found.group()
        for pattern, said in ((question.value_pattern, match_form(text)), (question.printed_pattern, text))
        if pattern
        for found in compile_linear(pattern).finditer(said)
    ]
    return sum(1 for each in found if DIGIT.search(each)) <= 1 if any(map(DIGIT.search, found)) else len(found) <= 1
