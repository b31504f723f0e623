"""A comparison: every side is searched by itself, and all of them are judged and recorded as one run.

What is asked is looked up in each document that is named, and for a thing that is no document by its name. By rules
each side is judged alone: what has less than half of what is asked, or of which a word that matters occurs nowhere in
its document, is no quote of that side. A model judges the best places of all sides in one call. Documents compared as a
whole have a short outline each.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from documents.storage.content import DocumentContent
from llm.tiers import ChosenTier
from retrieval.absence import WARNING_CAP, amended_reason
from retrieval.accounting import coverage_of
from retrieval.arbiter.brief import toc_block
from retrieval.arbiter.deciding import arbitrate
from retrieval.arbiter.evidence import join_words, share_of_weight
from retrieval.arbiter.model import PROMPT as ARBITER_PROMPT
from retrieval.arbiter.room import room_minus_guidance
from retrieval.briefs import fit_for
from retrieval.candidates.aggregation import name_place
from retrieval.candidates.settle import settle
from retrieval.forms.outline import outline_of
from retrieval.parts import CANDIDATES_NAMED, CARRIED_SHARE, MISSING_SHARE, missing_words, share_of_part
from retrieval.search import MODEL_ARBITERS, WHOLE, ModelUse, Search
from retrieval.told.clauses import Clause, join_clauses
from retrieval.told.planned import give_reason, join_reasons
from retrieval.told.reasons import give_passage_reason
from retrieval.types import (
    KEPT_ROLES,
    ROLE_ORDER,
    Briefed,
    Flag,
    Hit,
    LeftOut,
    PartFinding,
    PartKind,
    PartOutcome,
    Plan,
    Question,
    Ranking,
    RetrievalResult,
    SearchedWord,
    Settled,
    Side,
    Status,
)
from retrieval.words.lexicon import lexicon_of
from retrieval.words.terms import WeighedTerm, said_as, terms_within, weigh_terms

NAMED_SHARE = 0.6  # of the words for a thing together with what is asked of it: neither of them is enough
UNCLEAR = "no passage clearly answers it"
TOO_FAINT = {"weight": {"code": "faint"}}
OUTLINED_PARTS = 5  # of each document, where two are compared as a whole
JUDGED_MAX = 40  # places a model judges of all sides together
SearchSide = Callable[[str, Sequence[DocumentContent]], RetrievalResult]


@dataclass(frozen=True)
class FoundSide:
    """What one side says: its name for people, and the result of searching it alone; None where it is outlined."""

    side: Side
    name: str
    candidates: tuple[Settled, ...]
    hits: tuple[Hit, ...]
    status: Status
    reason: str
    missing: tuple[str, ...] = ()
    result: RetrievalResult | None = None
    left_out: tuple[LeftOut, ...] = ()


def compare_sides(search: Search, search_side: SearchSide) -> RetrievalResult:
    """The result of a comparison. Each side is a part of the question (R22), with its own outcome and quotes.

    Without a model each side is judged by the rules; with one, the best places of all sides are judged in one call. A
    side of which nothing was found makes the answer a partial one, one that was amended a weak one.
    """
    contents, account = search.contents, search.account
    found = [find_side(side, search.question, contents, search_side) for side in search.question.sides]
    asked = tuple(f"{each.name}: {each.side.asked}" if each.side.asked else each.name for each in found)
    kind: PartKind = "independent"
    question = replace(search.question, parts=asked, part_kinds=(kind,) * len(found))
    search = replace(search, question=question, coverage=coverage_of(question, contents, account))
    candidates, ranking, left_out = judge_sides(search, found)
    of_side = {each.side: frozenset(name_candidate(one, contents) for one in each.candidates) for each in found}
    has_gaps = bool(search.coverage.gaps)
    told = tuple(tell_side(each, of_side[each.side], candidates, ranking, has_gaps) for each in found)
    parts = tuple(doubt_side(part, each, search) for part, each in zip(told, found, strict=True))
    status = status_of(parts) if parts == told else "weak"
    lacking = [each.name for each, part in zip(found, parts, strict=True) if part.outcome != "found"]
    if status == "found" and lacking:
        ranking = replace(ranking, answerable=False, answerable_reason=f"nothing was found in {join_words(lacking)}")
    absent = [f"{each.name}: {part.reason}" for each, part in zip(found, parts, strict=True) if part.outcome != "found"]
    results = [each.result for each in found if each.result]
    sure = min((each.confidence for each in results if each.status == "found"), default=WARNING_CAP)
    return replace(
        search.empty_result(),
        question=question,
        plan=plan_of(found),
        hits=tuple(replace(hit, part=number) for number, each in enumerate(found, 1) for hit in each.hits),
        candidates=candidates,
        ranking=ranking,
        gates=next((each.gates for each in results), ()),
        searched=merge_words(results, contents),
        status=status,
        not_found_reason="" if status == "found" else "; ".join(absent),
        confidence=(min(sure, WARNING_CAP) if lacking else sure) if status == "found" else 0.0,
        methods_used=tuple(dict.fromkeys(method for each in results for method in each.methods_used)),
        toc_shown=toc_block(contents) if candidates else "",
        left_out=left_out,
        parts=parts,
    )


def find_side(side: Side, question: Question, contents: Sequence[DocumentContent], search: SearchSide) -> FoundSide:
    """What one side says to what is asked: in its own documents, or a thing in all; as a whole, its outline."""
    own = [each for each in contents if not side.document_ids or each.document_id in side.document_ids]
    name = own[0].title if side.document_ids and len(own) == 1 else side.name
    if not side.asked:
        outline = outline_of(replace(question, outlined=side.document_ids), contents, OUTLINED_PARTS)
        status: Status = "found" if outline.candidates else "not_found"
        return FoundSide(side, name, outline.candidates, outline.hits, status, "", left_out=outline.left_out)
    result = search(side.asked, own)
    terms = {each.document_id: weigh_terms(result.question, lexicon_of(each)) for each in own}
    missing = missing_words(terms, {word.text for word in result.searched if not word.count})
    lacks = max((share_of_weight(set(missing), each) for each in terms.values()), default=0.0)
    thing = side.name if side.asked.startswith(side.name) else ""
    share = NAMED_SHARE if thing else CARRIED_SHARE
    candidates = lower_faint(result.candidates, terms, share if lacks < MISSING_SHARE else 1.0, thing)
    reason = result.not_found_reason or UNCLEAR
    missing = tuple(said_as(word, result.question) for word in missing)
    return FoundSide(side, name, candidates, result.hits, result.status, reason, missing, result, result.left_out)


def lower_faint(
    candidates: Sequence[Settled], terms: Mapping[str, Sequence[WeighedTerm]], least: float, thing: str = ""
) -> tuple[Settled, ...]:
    """The candidates of a side, none kept with less than this share of what is asked, by the weight of its words, nor
    without any word of the `thing` that is compared.

    Beside the quote of another side, one about something else would be read as what this side says.
    """

    def judge(candidate: Settled) -> Settled:
        asked = terms[candidate.document_id]
        named = terms_within(thing, asked)
        is_named = not named or share_of_part(candidate, named)
        if candidate.verdict.role not in KEPT_ROLES or (is_named and share_of_part(candidate, asked) >= least):
            return candidate
        told = candidate.verdict.reason
        reason = give_passage_reason(told.code, **told.facts | TOO_FAINT) if isinstance(told, Clause) else told
        return replace(candidate, verdict=replace(candidate.verdict, role="tangential", reason=reason))

    return tuple(map(judge, candidates))


# ---- one judgement


def judge_sides(search: Search, found: Sequence[FoundSide]) -> tuple[tuple[Settled, ...], Ranking, tuple[LeftOut, ...]]:
    """The candidates of all sides, judged; a place that speaks to several is one candidate."""
    contents = search.contents
    merged = merge_candidates(found, contents)
    left_out = tuple(each for side in found for each in side.left_out)
    is_searched = any(each.result for each in found)
    if search.arbiter not in MODEL_ARBITERS or not is_searched or not merged:
        ordered = sorted(merged, key=lambda each: ROLE_ORDER[each.verdict.role])
        verdicts = tuple(each.verdict for each in ordered)
        answerable = any(verdict.role == "primary" for verdict in verdicts)
        lacks = "" if answerable else "no passage carries enough of what is compared"
        return (
            tuple(ordered),
            Ranking("rules", "ran", verdicts, answerable=answerable, answerable_reason=lacks),
            left_out,
        )
    names = Briefed.__dataclass_fields__
    briefed = [Briefed(**{name: getattr(each, name) for name in names}) for each in merged[:JUDGED_MAX]]  # unjudged
    more = [LeftOut.of(each, f"the {JUDGED_MAX} best places of the sides are judged") for each in merged[JUDGED_MAX:]]
    use = judging_by(search)
    fitted, unfit = fit_for("model", tuple(briefed), toc_block(contents), contents, use.room)
    ranking = arbitrate(replace(search, arbiter="model", candidates=fitted, use=use))
    return settle(fitted, ranking, search.question, contents), ranking, (*left_out, *more, *unfit)


def judging_by(search: Search) -> ModelUse:
    """The model that judges a comparison: the one the base names for it, else the usual."""
    tier, why = search.named or ChosenTier()
    guidance = search.options.guidance.get(ARBITER_PROMPT.name)
    return ModelUse(tier, room_minus_guidance(guidance, WHOLE), guidance, why, search.named is not None)


def merge_candidates(found: Sequence[FoundSide], contents: Sequence[DocumentContent]) -> list[Settled]:
    """The candidates of the sides in turns, the best of each first, each place once with its best verdict."""
    merged: dict[str, Settled] = {}
    for place in range(max((len(each.candidates) for each in found), default=0)):
        for number, each in enumerate(found, 1):
            if place >= len(each.candidates):
                continue
            candidate = each.candidates[place]
            name = name_candidate(candidate, contents)
            same = merged.get(name)
            if same and ROLE_ORDER[same.verdict.role] <= ROLE_ORDER[candidate.verdict.role]:
                merged[name] = replace(same, parts=(*same.parts, number))
                continue
            parts = (*same.parts, number) if same else (number,)
            merged[name] = replace(with_id(candidate, name, len(contents) > 1), parts=parts)
    return [replace(each, rrf_rank=rank) for rank, each in enumerate(merged.values(), 1)]


def name_candidate(candidate: Settled, contents: Sequence[DocumentContent]) -> str:
    """The id of a candidate in the scope of all sides."""
    content = next(each for each in contents if each.document_id == candidate.document_id)
    return name_place(candidate.anchor, content, len(contents) > 1)


def with_id(candidate: Settled, name: str, is_of_several: bool) -> Settled:
    named = replace(candidate.brief.candidate, candidate_id=name)
    return replace(
        candidate,
        candidate_id=name,
        brief=replace(candidate.brief, candidate=named, is_of_several=is_of_several),
        verdict=replace(candidate.verdict, candidate_id=name),
    )


# ---- what became of each side


def tell_side(
    found: FoundSide, own: frozenset[str], candidates: Sequence[Settled], ranking: Ranking, has_gaps: bool
) -> PartFinding:
    """The outcome of a side: found where a passage of its own is kept, and what it lacks where none is."""
    is_judged = ranking.status == "ran"
    kept = [each for each in candidates if each.candidate_id in own and each.verdict.role in KEPT_ROLES]
    if ranking.arbiter == "rules":
        verdicts = {(each.anchor, each.document_id): each.verdict.role for each in found.candidates}
        kept = [each for each in kept if verdicts[each.anchor, each.document_id] in KEPT_ROLES]
    shown = kept if is_judged else [each for each in candidates if each.candidate_id in own]
    is_found = bool(kept) and (ranking.arbiter == "model" or found.status == "found")
    outcome: PartOutcome = "found" if is_found else "weak" if not is_judged and shown else "not_found"
    if not is_found and found.status in ("weak", "cannot_tell"):
        outcome = "weak" if found.status == "weak" else "cannot_tell"
    if outcome == "not_found" and has_gaps:
        outcome = "cannot_tell"
    asked = found.side.asked or found.side.name
    return PartFinding(
        text=asked,
        subject=found.name,
        kind="independent",
        outcome=outcome,
        candidate_ids=tuple(each.candidate_id for each in shown[:CANDIDATES_NAMED])
        if found.result
        else tuple(each.candidate_id for each in shown),
        missing=() if is_found else found.missing,
        reason="" if is_found else found.reason,
    )


def doubt_side(part: PartFinding, found: FoundSide, search: Search) -> PartFinding:
    """Weak where a document of the side is amended by one that was not looked at for it, and is no side of its own."""
    own = found.side.document_ids
    seen = {key for side in search.question.sides for key in side.document_ids} if own else {*search.content_of}
    titles = {key: each.title for key, each in search.content_of.items() if not own or key in own}
    amended = [titles[key] for key, amending in search.account.amending.items() if key in titles and amending - seen]
    if part.outcome != "found" or not found.result or not amended:
        return part
    reason = join_clauses([amended_reason(title, ()) for title in amended], "; ")
    return replace(part, outcome="weak", reason=reason)


def status_of(parts: Sequence[PartFinding]) -> Status:
    """Found where a side is; what a comparison lacks is told side by side."""
    outcomes = {part.outcome for part in parts}
    return next((each for each in ("found", "weak", "cannot_tell") if each in outcomes), "not_found")


def merge_words(results: Sequence[RetrievalResult], contents: Sequence[DocumentContent]) -> tuple[SearchedWord, ...]:
    """Every word of every side, with the lines it is on; those of documents that sides share count once."""
    merged: dict[str, SearchedWord] = {}
    seen: dict[str, set[str]] = {}
    for result in sorted(results, key=lambda each: -len(each.scope)):
        documents = {each["document_id"] for each in result.scope}
        for word in result.searched:
            known, counted = merged.get(word.text), seen.setdefault(word.text, set())
            own = [lexicon_of(each) for each in contents if each.document_id in documents - counted]
            more = sum(len(each.lines_with_any(word.forms)) for each in own) if documents & counted else word.count
            merged[word.text] = replace(word, count=more + (known.count if known else 0))
            counted |= documents
    return tuple(merged[word] for word in dict.fromkeys(word.text for each in results for word in each.searched))


def plan_of(found: Sequence[FoundSide]) -> Plan:
    """That the sides were searched apart, and every step of their plans, with its reason for each where they differ."""
    flags = [Flag("compare", True, give_reason("compared", names=[each.name for each in found]))]
    results = [(each.name, each.result.plan.flags) for each in found if each.result]
    for steps in zip(*(flags for _, flags in results), strict=False):
        reasons = list(dict.fromkeys(step.reason for step in steps))
        told = [join_reasons(name, step.reason, joining=": ") for (name, _), step in zip(results, steps, strict=True)]
        reason = reasons[0] if len(reasons) == 1 else join_reasons(*told)
        flags.append(Flag(steps[0].name, any(step.on for step in steps), reason))
    return Plan(tuple(flags))
