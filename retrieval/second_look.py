"""One more look, where the model that judges asks for it (R38, R83, R84): sections and words it names are looked up.

It happens once at most. The places added are judged together with the others in a second request, whose verdicts count.
Where the contents were too long to be shown, those of the sections it names are, with more places of them.

Both requests are in the record. What was kept of a question that the model calls unanswered makes it partly answered,
with what is missing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, zip_longest
from typing import NamedTuple

from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.rows import TocRow
from retrieval import dispatch
from retrieval.arbiter.brief import sections_by_id, toc_block
from retrieval.arbiter.deciding import arbitrate
from retrieval.arbiter.model import FIRST_LOOK
from retrieval.briefs import fit_for
from retrieval.candidates.aggregation import aggregate, first_text_line, line_worth
from retrieval.detectors.keywords import detect_keywords
from retrieval.filters import Within, keep_within
from retrieval.question.parse import parse_question
from retrieval.search import MODEL_ARBITERS, ModelUse, Search
from retrieval.told.clauses import recorded_facts
from retrieval.told.planned import give_reason, join_reasons
from retrieval.types import ROLE_ORDER, Flag, Hit, LineRange, Plan, Question

FLAG = "second_look"
WHY_HARD = "a second look needs care"
PLACES_EACH = 3  # for one section or word; six of each may be named
PLACES_MAX = 12  # added in all: with more, each brief would be too short to show what was missed
APART_LINES = 12  # of two places of one section: nearer ones are shown together


class Requested(NamedTuple):
    """Hits on the places a model asked for, what became of each request, in words, and the ids of what it opened."""

    hits: tuple[Hit, ...]
    outcome: str
    opened: tuple[str, ...] = ()


def look_once_more(search: Search) -> Search:
    """Where the model asks for more of the documents, everything is judged once more with that."""
    if search.arbiter not in MODEL_ARBITERS or search.ranking.status != "ran":
        return search
    search = consider_second_look(search)
    if not search.plan.is_on(FLAG):
        return search
    search.report_stage("arbiter", arbiter=search.arbiter, started=True, of=len(search.candidates), again=True)
    return look_again(search)


def consider_second_look(search: Search) -> Search:
    """The decision whether to look once more, and why, in the plan."""
    wanted, is_allowed = search.ranking.wanted, search.options.settings.second_look == "on"
    reason = give_reason("nothing wanted")
    if wanted:
        reason = give_reason("wanted", sections=list(wanted.sections), words=list(wanted.words))
    if wanted and not is_allowed:
        reason = join_reasons(reason, give_reason("look off"), joining=", ")
    flag = Flag(FLAG, bool(wanted) and is_allowed, reason)
    return replace(search, plan=Plan((*search.plan.flags, flag)))


def look_again(search: Search) -> Search:
    """The pool with the places asked for, judged once more; as it was, if nothing was found or the call failed.

    What was discarded keeps that verdict and is not shown again: its room is needed for what was asked for. The
    exchange whose verdicts are not taken is kept.
    """
    contents, use, first = search.contents, search.use, search.ranking
    requested = find_requested(search)
    asked = next(flag.reason for flag in search.plan.flags if flag.name == FLAG)
    if not requested.hits:
        told = join_reasons(asked, give_reason("found", what=recorded_facts(requested.outcome)))
        return replace(search, plan=dispatch.note_reason(search.plan, FLAG, told))
    hits = [*search.hits, *requested.hits]
    before = {each.candidate_id for each in search.candidates}
    pool = aggregate(hits, search.question, contents, pool_max=len(before) + len(requested.hits)).candidates
    kept = tuple(each for each in pool if each.candidate_id in before or "requested" in each.methods)
    discarded = {verdict.candidate_id for verdict in first.verdicts if verdict.role == "discarded"}
    discarded -= {each.candidate_id for each in kept if "requested" in each.methods}
    shown = [each for each in keep_within(kept, search.within) if each.candidate_id not in discarded]
    use = use._replace(opened=requested.opened)
    toc = toc_block(contents, use.room.toc_chars, use.opened) if use.opened else search.toc
    room = use.room._replace(at_length=len(shown))  # there is room: what was discarded is not shown again
    candidates, unfit = fit_for(search.arbiter, tuple(shown), toc, contents, room)
    careful = use if use.is_named else use._replace(tier="hard", why=WHY_HARD)
    ranking = arbitrate(replace(search, candidates=candidates, hits=hits, use=careful))
    if ranking.status != "ran":
        outcome = join_reasons(asked, give_reason("not judged", failure=ranking.failure))
        plan = dispatch.note_reason(search.plan, FLAG, outcome)
        return replace(search, plan=plan, other_look=ranking.exchange)
    added = give_reason("added", what=recorded_facts(requested.outcome))
    names = {each.candidate_id for each in kept}
    verdicts = [
        *ranking.verdicts,
        *(replace(each, rule=FIRST_LOOK) for each in first.verdicts if each.candidate_id in discarded),
    ]
    return replace(
        search,
        candidates=(*candidates, *(each for each in search.candidates if each.candidate_id in discarded)),
        left_out=unfit + tuple(each for each in search.left_out if each.candidate_id not in names),
        hits=hits,
        plan=dispatch.note_reason(search.plan, FLAG, join_reasons(asked, added)),
        ranking=replace(ranking, verdicts=tuple(sorted(verdicts, key=lambda verdict: ROLE_ORDER[verdict.role]))),
        other_look=first.exchange,
    )


def find_requested(search: Search) -> Requested:
    """The best places of the sections and for the words that a model named; what it made up leads nowhere."""
    wanted, contents, within = search.ranking.wanted, search.contents, search.within
    sections = sections_by_id(contents)
    asked = {word: parse_question(word, contents) for word in wanted.words}
    ids = {name: find_section(name, sections) for name in wanted.sections}
    opened = find_opened(filter(None, ids.values()), contents, search.use)
    found: list[tuple[str, str, list[Hit]]] = []
    for name, id_ in ids.items():
        if id_:
            each = PLACES_MAX // len(opened) if id_ in opened else 0
            hits = places_in(*sections[id_], (search.question, *asked.values()), each)
            found.append(("section", sections[id_][1].title, keep_inside(hits, within)))
        else:
            found.append(("unknown", name, []))
    for word, read in asked.items():
        found.append(("word", word, keep_inside(places_for(word, read, contents), within)))
    best_first = filter(None, chain.from_iterable(zip_longest(*(hits for _, _, hits in found))))
    added: dict[tuple[str, LineRange], Hit] = {}
    for hit in best_first:
        same = added.get((hit.document_id, hit.lines))
        words = (*same.wanted_words, *hit.wanted_words) if same else hit.wanted_words
        added[(hit.document_id, hit.lines)] = replace(hit, wanted_words=words)
    outcome = give_reason("requested", found=[(kind, name, len(hits)) for kind, name, hits in found])
    return Requested(tuple(added.values())[:PLACES_MAX], outcome, opened)


def find_section(name: str, sections: Mapping[str, tuple[DocumentContent, TocRow]]) -> str:
    """The id of a section; models also write it in its brackets, or the title instead. "" if there is none."""
    bare, title = name.strip("[] "), match_form(name).strip()
    titled = (id_ for id_, (_, entry) in sections.items() if match_form(entry.title).strip() == title)
    return bare if bare in sections else next(titled, "")


def find_opened(ids: Iterable[str], contents: Sequence[DocumentContent], use: ModelUse) -> tuple[str, ...]:
    """Those of some sections of whose contents the first look did not show all (R38)."""
    shown = toc_block(contents, use.room.toc_chars)
    return tuple(id_ for id_ in dict.fromkeys(ids) if toc_block(contents, use.room.toc_chars, (id_,)) != shown)


def places_in(content: DocumentContent, entry: TocRow, asked: Sequence[Question], sections_max: int) -> list[Hit]:
    """The lines of a section with most of what is asked; its first line where none has any of it.

    Of so many sections below it one each, if any are to be looked at apart.
    """
    lines = LineRange(entry.first_line, entry.last_line)
    found = [hit for each in asked for hit in detect_keywords(each, content, lines)]
    detail = f"the section “{entry.title}”"
    if sections_max > PLACES_EACH:
        best = {hit.toc_index: hit for hit in sorted(found, key=partial(rank_hit, content=content), reverse=True)}
        kept = sorted(best.values(), key=partial(rank_hit, content=content))[:sections_max]
        places = [request_hit(hit.lines.first, content, detail) for hit in kept]
    else:
        places = best_apart(found, content, detail)
    return places or [request_hit(first_text_line(lines, content), content, detail)]


def rank_hit(hit: Hit, content: DocumentContent) -> tuple[float, LineRange]:
    """What orders hits, the best first."""
    return -line_worth(hit, content), hit.lines


def places_for(word: str, asked: Question, contents: Sequence[DocumentContent]) -> list[Hit]:
    """The lines that have all that any line has of some words."""
    found = [(hit, content) for content in contents for hit in detect_keywords(asked, content)]
    best = max((hit.score for hit, _ in found), default=0.0)
    whole = [(hit, content) for hit, content in found if hit.score == best]
    return [
        hit
        for content in contents
        for hit in best_apart([hit for hit, of in whole if of is content], content, f"the words “{word}”", word)
    ][:PLACES_EACH]


def best_apart(hits: Sequence[Hit], content: DocumentContent, detail: str, word: str = "") -> list[Hit]:
    """The best few that are not beside each other."""
    chosen: list[int] = []
    for hit in sorted(hits, key=partial(rank_hit, content=content)):
        if all(abs(hit.lines.first - number) > APART_LINES for number in chosen):
            chosen.append(hit.lines.first)
        if len(chosen) == PLACES_EACH:
            break
    return [request_hit(number, content, detail, word) for number in chosen]


def request_hit(number: int, content: DocumentContent, detail: str, word: str = "") -> Hit:
    wanted = (word,) if word else ()
    return Hit.on_line("requested", number, content, detail=f"the model asked for {detail}", wanted_words=wanted)


def keep_inside(hits: Sequence[Hit], within: Within | None) -> list[Hit]:
    return [hit for hit in hits if within is None or within[hit.document_id][hit.lines.first]]
