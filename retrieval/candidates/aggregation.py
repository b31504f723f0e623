"""Merge hits into candidates (R40-R44): one per section, page and place in it, each with the arbiter's brief."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from documents.storage.content import DocumentContent, kept_by_key
from reading.matching import match_form
from reading.rows import FRONT_INDEX, UNSEARCHED_KINDS, LineRow, name_in_force
from reading.values.sentences import LINE_ENDS_CLAUSE
from retrieval.candidates.fusion import fuse, rank_by_score
from retrieval.candidates.noise import name_noise, noise_signs
from retrieval.candidates.plain import plain_text
from retrieval.candidates.rows_asked import (
    NUMBERS_MAX,
    has_headed_value,
    head_over,
    is_of_another_day,
    row_around,
    rows_for,
)
from retrieval.candidates.sentences import sentences_at
from retrieval.candidates.shown import show
from retrieval.candidates.units import ends_row, table_below, units_of
from retrieval.headlines.polarity import denial_asked, denial_unsaid
from retrieval.question.bands import of_other_quantity
from retrieval.question.phrasing import layout_named
from retrieval.question.values import has_value, line_has_value
from retrieval.told.planned import give_reason
from retrieval.types import (
    FINGERPRINT,
    HEADED,
    METHODS,
    POINTED,
    Brief,
    Briefed,
    Candidate,
    Hit,
    LeftOut,
    LineRange,
    Method,
    Pool,
    Question,
)
from retrieval.words.lexicon import Lexicon, lexicon_of
from retrieval.words.options import (
    asks_unchosen,
    is_of_unread_choice,
    is_option_asked,
    is_unchosen,
    lines_for,
    lines_over,
    question_above,
)
from retrieval.words.terms import WeighedTerm, terms_within, weigh_searched

CLUSTER_GAP = 4  # hits within this many lines belong to one place
CLUSTERS_PER_UNIT = 2  # further places of one section on one page repeat the same
SECOND_SHARE = 0.75  # a second place must nearly equal the first
HEADING_SHARE = 0.5  # a text line represents its place unless a heading scores twice as much
DENIAL_SHARE = 0.4  # of the best line's score: what is not so is said in other words than what is
INHERITED_SHARE = 0.5  # what a place keeps of the title score of a section above its own
SENTENCE_REACH = 3  # how many lines a sentence is followed up and down
TABLE_REACH = 12  # and a table in words below its head: as a list below what announces it
LINE_METHODS: tuple[Method, ...] = ("keywords", "patterns")  # their hits are single lines, of which places are made
POINTED_AT = frozenset({"pinned", "references", "requested"})  # methods by which one place alone is meant
ROWS_MAX = 5  # consecutive table rows that are one anchor
NUMBER = re.compile(r"\d[\d.,]*")
ROW_SHARE = 0.8  # of the score of the best row: a neighbour that scores less does not join it
PAGE_HEADING_CHARS = 160
HEADED_LINES = 8  # below the top of a page: a table that begins there is named by it
RUNNING_HEAD = "Running head"  # what such a place has in place of a section's title
# How the signals add up to `strength`: fitted by `python -m benchmarks weights`, see docs/benchmarks.md.
KEYWORD_WEIGHT, VECTOR_WEIGHT, TITLE_WEIGHT, TYPE_WEIGHT = 0.492, 0.266, 0.145, 0.097
# A place that covers less than this share of the question, with common words only, answers nothing.
FAINT_SHARE, TELLING_RARITY = 0.3, 0.5
COSINE_SPAN = 0.55  # for the bundled encoder: between the farthest passage still proposed and one with the same meaning
ROW_COSINE_SHARE = 0.95  # of the best cosine on its page: a row depends on its table's heading
BIBLIOGRAPHY_SHARE = 0.5  # a bibliography names the work of others; it is rarely what the document itself says
KEYWORDS_MAX = 1.25  # every word on one line, in phrases


@dataclass(eq=False)
class HitCluster:
    """Hits around one place in a document, before it becomes a candidate."""

    content: DocumentContent
    best_line: int
    hits: list[Hit] = field(default_factory=list)
    page_cosine: float = 0.0  # the best anywhere on its page
    far_cosine: float = 0.0  # of the farthest passage proposed in the document

    def best(self, method: Method) -> Hit | None:
        best = None
        for hit in self.hits:
            if hit.method == method and (best is None or hit.score > best.score):
                best = hit
        return best

    def score(self, method: Method) -> float:
        best = self.best(method)
        return best.score if best else 0.0

    @property
    def line(self) -> LineRow:
        return self.content.lines[self.best_line - 1]

    @property
    def is_running(self) -> bool:
        """Whether it is a running head, which belongs to no section and no passage of the text."""
        return self.best_line in self.content.running_heads


def aggregate(hits: Sequence[Hit], question: Question, contents: Sequence[DocumentContent], *, pool_max: int) -> Pool:
    """At most `pool_max` candidates, both lists in RRF order. RRF only fills the pool; it decides nothing."""
    clusters: list[HitCluster] = []
    for content in contents:
        clusters += clusters_of([hit for hit in hits if hit.document_id == content.document_id], content, question)
    fusion = fuse_methods(clusters)
    # Stable: what ties stays in reading order.
    ordered = sorted(clusters, key=lambda cluster: (not cluster.score("pinned"), -fusion[id(cluster)]))
    ranks = {id(cluster): rank for rank, cluster in enumerate(ordered, 1)}
    prefixed = len(contents) > 1
    noise = find_noise(ordered, question)
    terms = {content.document_id: weigh_searched(question, lexicon_of(content)) for content in contents}
    full = give_reason("pool full", count=pool_max)
    candidates: dict[str, Briefed] = {}
    left_out: dict[str, LeftOut] = {}
    certain = [cluster for cluster in ordered if is_certain(cluster)]  # few, and no word may speak for them
    certain.sort(key=lambda cluster: not any(hit.exact_title for hit in cluster.hits))
    for cluster in certain + pages_first(ordered):
        rank, weighed = ranks[id(cluster)], terms[cluster.content.document_id]
        if id(cluster) in noise:
            left = leave_out(cluster, rank, prefixed, weighed, give_reason("noise", what=noise[id(cluster)]))
            left_out.setdefault(left.candidate_id, left)
        elif len(candidates) < pool_max:
            candidate = candidate_of(cluster, rank, prefixed, weighed, question)
            known = candidates.setdefault(candidate.candidate_id, candidate)
            is_richer = len(candidate.matched_keywords) > len(known.matched_keywords)  # as the row that a head led to
            if is_richer and not known.statement and POINTED_AT.isdisjoint(known.methods):
                candidates[candidate.candidate_id] = candidate
        elif (left := leave_out(cluster, rank, prefixed, weighed, full)).candidate_id not in candidates:
            left_out.setdefault(left.candidate_id, left)
    judged = dim_other_tables(list(candidates.values()))
    return Pool(
        tuple(sorted(judged, key=lambda candidate: candidate.rrf_rank)),
        tuple(sorted(left_out.values(), key=lambda left: left.rrf_rank)),
    )


def dim_other_tables(candidates: Sequence[Briefed]) -> list[Briefed]:
    """The candidates, with those faint that are the same row of a table which has less of the question."""
    told = [set(each.matched_keywords) for each in candidates if each.is_told]
    return [
        replace(each, is_faint=True)
        if each.is_told and any(set(each.matched_keywords) < words for words in told)
        else each
        for each in candidates
    ]


def find_noise(clusters: Sequence[HitCluster], question: Question) -> dict[int, str]:
    """What each place is that cannot hold an answer, by `id(cluster)`; nothing if no other place is left."""
    asked = match_form(question.corrected)
    found = {
        id(cluster): what
        for cluster in clusters
        if not is_certain(cluster) and not any(cluster.score(method) for method in ("pinned", "whole"))
        if (what := name_noise(cluster.best_line, words_of(cluster), asked, cluster.content))
    }
    return found if len(found) < len(clusters) else {}


def words_of(cluster: HitCluster) -> set[str]:
    return {word for hit in cluster.hits for word in hit.matched_keywords}


def is_certain(cluster: HitCluster) -> bool:
    """Whether a place is a candidate however few found it: referred to, asked for, or a statement with its rows."""
    return any(hit.method in ("references", "requested") or hit.statement or hit.fetched for hit in cluster.hits)


def pages_first(ordered: Sequence[HitCluster]) -> list[HitCluster]:
    """The best place of every page before the second of any, so that no single page fills the pool."""
    seen: set[tuple[str, int]] = set()
    first: list[HitCluster] = []
    later: list[HitCluster] = []
    for cluster in ordered:
        key = (cluster.content.document_id, cluster.line.page_number)
        (later if key in seen else first).append(cluster)
        seen.add(key)
    return first + later


def fuse_methods(clusters: Sequence[HitCluster]) -> dict[int, float]:
    """The score of each place, fused over the methods, by `id(cluster)`."""
    best = [[(id(cluster), cluster.best(method)) for cluster in clusters] for method in METHODS]
    found = [{key: hit.score for key, hit in of_method if hit} for of_method in best]
    return {id(cluster): 0.0 for cluster in clusters} | fuse((1.0, rank_by_score(scores)) for scores in found)


# ---- places


def clusters_of(hits: Sequence[Hit], content: DocumentContent, question: Question) -> list[HitCluster]:
    """The places of one document, in reading order; one among options stands at what answers the question.

    Pages that are pictures have page numbers alone, and contents that name them: there is nothing to show of them.
    """
    clusters = line_clusters([hit for hit in hits if hit.method in LINE_METHODS], content, question)
    for hit in hits:
        if hit.method == "vectors":
            join_passage(hit, clusters, content)
    share_nearness(clusters)
    for hit in hits:
        if hit.statement:
            clusters = join_statement(hit, clusters, content)
        elif hit.method not in (*LINE_METHODS, "vectors", "whole"):
            JOINED[hit.method](hit, clusters, content)
    for hit in hits:
        if hit.method == "whole":
            join_passage(hit, clusters, content)
    clusters = [
        cluster if number == cluster.best_line else replace(cluster, best_line=number)
        for cluster in clusters
        for number in lines_for(cluster.best_line, question, content)
    ]
    has_text = any(line.kind not in UNSEARCHED_KINDS for line in content.lines)
    shown = [cluster for cluster in clusters if has_text or cluster.is_running]
    return join_overlapping(sorted(shown, key=lambda cluster: cluster.best_line))


def join_overlapping(clusters: Sequence[HitCluster]) -> list[HitCluster]:
    """The better one of places whose anchors share a line or that are in one clause; in order of the document.

    It keeps its own evidence: together they cover no more of the question than they did apart.
    """
    joined: list[HitCluster] = []
    for cluster in clusters:
        if not joined or not is_same_cluster(joined[-1], cluster):
            joined.append(cluster)
            continue
        both = (joined[-1], cluster)
        best, other = sorted(both, key=lambda each: (each.score("keywords"), strength_of(each, "")), reverse=True)
        best.hits += [hit for hit in other.hits if (hit.method in POINTED or hit.part) and hit not in best.hits]
        joined[-1] = best
    return joined


def is_same_cluster(above: HitCluster, cluster: HitCluster) -> bool:
    is_near = above.line.toc_index == cluster.line.toc_index and above.line.page_number == cluster.line.page_number
    if not is_near or any(each.is_running or is_certain(each) for each in (above, cluster)):
        return False
    units = units_of(cluster.content)
    is_in_clause = units.position(cluster.best_line) == units.position(above.best_line)
    return is_in_clause or anchor_of(above).overlaps(anchor_of(cluster))


def line_clusters(hits: Sequence[Hit], content: DocumentContent, question: Question) -> list[HitCluster]:
    """One place around the best line of each section and page; a second one if it scores nearly as much.

    Of lines that say as much of the question the first with a value of the type asked for is the best. Where it is
    asked what is not so, one whose sentence denies something is, though it says less, and none of another quantity.
    """
    is_denial_asked = bool(denial_asked(question))

    def denies(hit: Hit, most: float) -> bool:
        if not is_denial_asked or line_worth(hit, content) < DENIAL_SHARE * most:
            return False
        return not denial_unsaid(said_at(hit), question)

    def said_at(hit: Hit) -> str:
        return sentences_at(hit.lines, hit.lines.first, (), content).text or content.lines[hit.lines.first - 1].text

    units: dict[tuple[int, int, bool], list[Hit]] = {}
    for hit in hits:
        line = content.lines[hit.lines.first - 1]
        key = (line.toc_index, line.page_number, line.number in content.running_heads)
        units.setdefault(key, []).append(hit)
    clusters: list[HitCluster] = []
    for unit in units.values():
        worth = {id(hit): line_worth(hit, content) for hit in unit}
        most = max(worth.values())
        denying = {id(hit) for hit in unit if denies(hit, most)}
        others = of_other_quantity((said_at(hit) for hit in unit), question)
        ranked = sorted(
            unit,
            key=lambda hit: (
                not hit.fetched,
                id(hit) not in denying,
                bool(others) and said_at(hit) in others,
                -worth[id(hit)],
                not line_has_value(hit.lines.first, question, content),
                hit.lines,
            ),
        )
        leaders = [ranked[0]]
        for hit in ranked[1:]:
            is_apart = all(abs(hit.lines.first - leader.lines.first) > CLUSTER_GAP for leader in leaders)
            if is_apart and worth[id(hit)] >= SECOND_SHARE * most:
                leaders.append(hit)
            if len(leaders) == CLUSTERS_PER_UNIT:
                break
        found = [HitCluster(content, leader.lines.first) for leader in leaders]
        for hit in unit:
            min(found, key=lambda cluster: abs(cluster.best_line - hit.lines.first)).hits.append(hit)
        clusters += found
    return clusters


def line_worth(hit: Hit, content: DocumentContent) -> float:
    """A line's score as the centre of a place: headings count less, since they rarely contain the answer."""
    is_heading = content.lines[hit.lines.first - 1].kind in ("heading", "caption")
    return hit.score * HEADING_SHARE if is_heading else hit.score


def join_passage(hit: Hit, clusters: list[HitCluster], content: DocumentContent) -> None:
    """A near passage supports the places inside it, or becomes a place itself."""
    inside = text_clusters(clusters, hit.lines) or begin_place(first_text_line(hit.lines, content), clusters, content)
    for cluster in inside:
        cluster.hits.append(hit)


def share_nearness(clusters: Sequence[HitCluster]) -> None:
    """Set each place's best cosine on its page, and the lowest cosine proposed in the document."""
    nearest: dict[int, float] = {}
    found = [hit for cluster in clusters for hit in cluster.hits if hit.method == "vectors" and hit.detail == "passage"]
    far = min((hit.score for hit in found), default=0.0)
    for cluster in clusters:
        nearest[cluster.line.page_number] = max(nearest.get(cluster.line.page_number, 0.0), cluster.score("vectors"))
    for cluster in clusters:
        cluster.page_cosine = nearest[cluster.line.page_number]
        cluster.far_cosine = far


def join_statement(hit: Hit, clusters: list[HitCluster], content: DocumentContent) -> list[HitCluster]:
    """A statement's page is one place, around the row that covers most of the question."""
    page = content.lines[hit.lines.first - 1].page_number
    inside = [cluster for cluster in clusters if cluster.line.page_number == page and not cluster.is_running]
    whole = HitCluster(content, hit.lines.first, [hit, *(found for cluster in inside for found in cluster.hits)])
    whole.page_cosine = max((cluster.page_cosine for cluster in inside), default=0.0)
    whole.far_cosine = max((cluster.far_cosine for cluster in inside), default=0.0)
    return [cluster for cluster in clusters if cluster not in inside] + [whole]


def join_section(hit: Hit, clusters: list[HitCluster], content: DocumentContent) -> None:
    """A title supports its section's places, and less those of sub-sections (R37); an empty section gets a place."""
    entry = content.toc_by_index[hit.toc_index or FRONT_INDEX]
    inside = text_clusters(clusters, LineRange(entry.first_line, entry.last_line))
    own = [cluster for cluster in inside if cluster.line.toc_index == entry.index]
    below = [cluster for cluster in inside if cluster not in own]
    if not own and not below:
        first = first_text_line(LineRange(entry.first_line, entry.last_line), content)
        own = begin_place(first, clusters, content)
    for cluster in own:
        cluster.hits.append(hit)
    for cluster in below:
        cluster.hits.append(replace(hit, score=hit.score * INHERITED_SHARE, exact_title=False))


def join_page(hit: Hit, clusters: list[HitCluster], content: DocumentContent) -> None:
    """A page named in the question is a place, whether or not it contains a word of the question (R36)."""
    inside = text_clusters(clusters, hit.lines) or begin_place(first_text_line(hit.lines, content), clusters, content)
    max(inside, key=lambda cluster: cluster.score("keywords")).hits.append(hit)


def join_reference(hit: Hit, clusters: list[HitCluster], content: DocumentContent) -> None:
    """A place another passage refers to: one that begins there already, or a new one."""
    inside = [cluster for cluster in clusters if cluster.best_line == hit.lines.first]
    (inside or begin_place(hit.lines.first, clusters, content))[0].hits.append(hit)


def join_requested(hit: Hit, clusters: list[HitCluster], content: DocumentContent) -> None:
    """A place a model asks for: the one that covers this line, or a new one."""
    units, page = units_of(content), content.lines[hit.lines.first - 1].page_number
    inside = [
        cluster
        for cluster in clusters
        if anchor_of(cluster).overlaps(hit.lines)
        or units.position(cluster.best_line) == units.position(hit.lines.first)
        or (cluster.line.page_number == page and any(each.statement for each in cluster.hits))
    ]
    (inside or begin_place(hit.lines.first, clusters, content))[0].hits.append(hit)


# How the hits of a method join the places that those of `LINE_METHODS`, passages and whole documents made.
# A method that is neither there nor here is an error.
JOINED: Mapping[Method, Callable[[Hit, list[HitCluster], DocumentContent], None]] = {
    "titles": join_section,
    "pinned": join_page,
    "references": join_reference,
    "requested": join_requested,
}


def begin_place(number: int, clusters: list[HitCluster], content: DocumentContent) -> list[HitCluster]:
    """A new place at a line, which no hit led to yet."""
    clusters.append(HitCluster(content, number))
    return clusters[-1:]


def text_clusters(clusters: Sequence[HitCluster], lines: LineRange) -> list[HitCluster]:
    """The places within some lines that are part of the text there."""
    return [
        cluster for cluster in clusters if lines.first <= cluster.best_line <= lines.last and not cluster.is_running
    ]


def first_text_line(lines: LineRange, content: DocumentContent) -> int:
    """The first line that is neither heading nor page furniture, else the first line."""
    rows = content.lines_between(lines.first, lines.last)
    skipped = UNSEARCHED_KINDS | {"heading", "caption"}
    return next((row.number for row in rows if row.kind not in skipped), lines.first)


# ---- candidates


def candidate_of(
    cluster: HitCluster, rank: int, prefixed: bool, terms: tuple[WeighedTerm, ...], question: Question
) -> Briefed:
    content, number = cluster.content, cluster.best_line
    title = content.title_forms.get(cluster.line.toc_index, "")
    rows = None if cluster.is_running or is_certain(cluster) else rows_for(number, question, content)
    anchor = rows.lines if rows else anchor_of(cluster)
    asked = question_above(number, content)
    first, last = content.lines[anchor.first - 1], content.lines[anchor.last - 1]
    running = content.running_heads[number].place if cluster.is_running else ""
    toc_index = FRONT_INDEX if running else cluster.line.toc_index
    section_title, breadcrumb = section_names_of(cluster)
    methods = tuple(method for method in (*METHODS, *POINTED) if cluster.best(method))
    inside = [hit for hit in cluster.hits if hit.method in LINE_METHODS and hit.lines.overlaps(anchor)]
    head = rows.head if rows else head_over(number, question, content) | lines_over(number, question, content)
    words = matched_keywords(cluster, anchor, terms, head)
    if rows and rows.day:
        words = tuple(dict.fromkeys([*words, *(term.text for term in terms_within(rows.day, terms))]))
    text = content.text_between(*anchor, searched_only=True)
    is_headed = not cluster.is_running and has_headed_value(anchor, question, content)
    candidate = Candidate(
        candidate_id=name_place(anchor, content, prefixed),
        document_id=content.document_id,
        parse_id=content.parse_id,
        methods=methods,
        matched_keywords=words,
        toc_index=toc_index,
        section_title=section_title,
        breadcrumb=f"{breadcrumb}, {running}" if running else breadcrumb,
        anchor=anchor,
        anchor_pages=(first.page_number, last.page_number),
        anchor_text=text,
        snippet="",
        line_score=max((hit.line_score for hit in inside), default=0.0),
        exact_title=any(hit.exact_title for hit in cluster.hits),
        co_occurrence=any(hit.co_occurrence for hit in inside),
        type_match=any(hit.type_match for hit in inside)
        or is_option_asked(number, question, content)
        or (rows is not None and has_value(question, match_form(text), text))
        or is_headed,
        is_headed=is_headed,
        rrf_rank=rank,
        best_line=rows.lines.first if rows else number,
        strength=strength_of(cluster, question.hints.layout) * bibliography_share(title, question.topic_form),
        parts=tuple(sorted({hit.part for hit in cluster.hits if hit.part})),
        is_faint=is_faint(cluster, rarities(terms, lexicon_of(content))) or is_no_answer(anchor, question, content),
        referred=next((hit.detail for hit in cluster.hits if hit.method == "references"), ""),
        statement=next((hit.statement for hit in cluster.hits if hit.statement), ""),
        rows_share=max((hit.score for hit in cluster.hits if hit.statement), default=0.0),
        shown=next((hit.lines for hit in cluster.hits if hit.method == "whole"), None),
        sentences=None if running or rows or asked else sentences_at(anchor, number, words, content),
        running=running,
        fetched=any(hit.fetched for hit in cluster.hits),
        is_told=rows is not None and rows.is_told,
        is_untold=rows is not None and not rows.is_told,
    )
    briefed = Briefed(**vars(candidate), brief=brief_of(candidate, content, prefixed), needed_rows=needed_rows(cluster))
    shown = show(briefed, content)
    return replace(briefed, snippet=shown.text, brief=shown.write_into(briefed.brief))


def section_names_of(cluster: HitCluster) -> tuple[str, str]:
    """Title and path of the section a place is in; what it is instead, when it stands outside the text."""
    if cluster.is_running:
        return RUNNING_HEAD, RUNNING_HEAD
    entry = cluster.content.toc_by_index.get(cluster.line.toc_index)
    return (entry.title, entry.breadcrumb) if entry and entry.index != FRONT_INDEX else ("", "")


def name_place(lines: LineRange, content: DocumentContent, is_prefixed: bool) -> str:
    """The id of a candidate: page and lines, after the document's fingerprint when there are several."""
    name = f"p{content.lines[lines.first - 1].page_number}-l{lines.first}-{lines.last}"
    return f"{content.sha256[:FINGERPRINT]}-{name}" if is_prefixed else name


def leave_out(cluster: HitCluster, rank: int, prefixed: bool, terms: Sequence[WeighedTerm], reason: str) -> LeftOut:
    anchor, content = anchor_of(cluster), cluster.content
    return LeftOut(
        candidate_id=name_place(anchor, content, prefixed),
        document_id=content.document_id,
        page_number=content.lines[anchor.first - 1].page_number,
        section_title=section_names_of(cluster)[0],
        rrf_rank=rank,
        matched_keywords=matched_keywords(cluster, anchor, terms),
        reason=reason,
    )


def strength_of(cluster: HitCluster, layout: str) -> float:
    """How much of the question the place covers, 0..1: a fixed weighted sum of the detectors' scores.

    To be in the table or figure that the question names counts as much as to have a value of the type.
    """
    shared = ROW_COSINE_SHARE * cluster.page_cosine if cluster.line.kind == "table_row" else 0.0
    cosine = max(cluster.score("vectors"), shared)
    nearness = min(1.0, max(0.0, (cosine - cluster.far_cosine) / COSINE_SPAN))
    strength = (
        KEYWORD_WEIGHT * min(KEYWORDS_MAX, cluster.score("keywords")) / KEYWORDS_MAX
        + VECTOR_WEIGHT * nearness
        + TITLE_WEIGHT * cluster.score("titles")
        + TYPE_WEIGHT * any(hit.type_match for hit in cluster.hits)
        + TYPE_WEIGHT * is_laid_out(cluster.line, layout)
    )
    return round(min(1.0, strength), 6)


def is_laid_out(line: LineRow, layout: str) -> bool:
    """Whether a line is in a "table" or "figure", or its caption; never where the question names neither."""
    if layout and line.kind == "caption":
        return layout_named(line.text) == layout
    return layout == "table" and line.kind == "table_row"


def bibliography_share(title: str, asked: str) -> float:
    """The share of its strength a place keeps in a bibliography; 1 if the question asks for works."""
    signs = noise_signs()
    return BIBLIOGRAPHY_SHARE if signs["works"].search(title) and not signs["asks_works"].search(asked) else 1.0


def anchor_of(cluster: HitCluster) -> LineRange:
    """The lines an auditor should look at: the sentence of the best line, or the row with similar neighbours."""
    kind = cluster.line.kind
    if cluster.is_running:
        return heads_at(cluster)
    if kind == "table_row":
        return rows_around(cluster)
    if asked := question_above(cluster.best_line, cluster.content):
        return LineRange(asked, cluster.best_line)
    if kind in ("heading", "caption"):
        below = first_text_line(LineRange(cluster.best_line, last_of_section(cluster)), cluster.content)
        below = min(max(below, cluster.best_line), cluster.best_line + SENTENCE_REACH)
        return LineRange(cluster.best_line, sentence_end(below, cluster.content))
    return sentence_around(cluster.best_line, cluster.content)


def heads_at(cluster: HitCluster) -> LineRange:
    """The running head itself, with those beside it that its sentence or its label goes on in."""
    lines, (top, bottom) = cluster.content.lines, cluster.content.heads_around(cluster.best_line)
    first = last = cluster.best_line
    while first > top and lines[first - 1].text[:1].islower() and last - first < SENTENCE_REACH:
        first -= 1
    while last < bottom and last - first < SENTENCE_REACH:
        is_label = lines[last - 1].text.rstrip().endswith(":")
        if not is_label and not lines[last].text[:1].islower():
            break
        last += 1
    return LineRange(first, last)


def rows_around(cluster: HitCluster) -> LineRange:
    """The row of the best line, with rows beside it that say nearly as much, unless it says all that they say.

    Of a row that is too long for one quote the line alone.
    """
    content, best = cluster.content, cluster.score("keywords")
    rows = row_around(cluster.best_line, content)
    rows = rows if is_short(rows, content) else LineRange(cluster.best_line, cluster.best_line)
    found = [
        hit
        for hit in cluster.hits
        if hit.method == "keywords" and content.lines[hit.lines.first - 1].kind == "table_row"
    ]
    own = {word for hit in found if hit.lines.overlaps(rows) for word in hit.matched_keywords}
    like = {hit.lines.first for hit in found if hit.score >= ROW_SHARE * best and not own > set(hit.matched_keywords)}
    while rows.first - 1 in like and is_short(wider := rows.union(row_around(rows.first - 1, content)), content):
        rows = wider
    while rows.last + 1 in like and is_short(wider := rows.union(row_around(rows.last + 1, content)), content):
        rows = wider
    return rows


def is_short(rows: LineRange, content: DocumentContent) -> bool:
    """Whether so many rows can be read as one quote."""
    numbers = NUMBER.findall(content.text_between(*rows))
    return rows.last - rows.first < ROWS_MAX and len(numbers) <= NUMBERS_MAX


@kept_by_key
def sentence_around(number: int, content: DocumentContent) -> LineRange:
    """The lines of the sentence a line is in; of the head of a table in words, the table. A few lines at most."""
    if table := table_below(number, content):
        return LineRange(table.first, min(table.last, table.first + TABLE_REACH))
    first = number
    while number - first < SENTENCE_REACH and is_sentence_continued(first - 1, content):
        first -= 1
    return LineRange(first, sentence_end(number, content))


def sentence_end(number: int, content: DocumentContent) -> int:
    """The line on which this line's sentence ends, at most a few lines below."""
    last = number
    while last - number < SENTENCE_REACH and is_sentence_continued(last, content):
        last += 1
    return last


def is_sentence_continued(number: int, content: DocumentContent) -> bool:
    """Whether the sentence on this line continues on the next one."""
    if not 0 < number < len(content.lines):
        return False
    line, following = content.lines[number - 1], content.lines[number]
    is_text = line.kind in ("body", "list_item") and following.kind == "body"
    is_near = line.page_number == following.page_number and line.toc_index == following.toc_index
    is_over = bool(LINE_ENDS_CLAUSE.search(line.text.rstrip())) or ends_row(number, content)
    return is_text and is_near and not is_over


def last_of_section(cluster: HitCluster) -> int:
    entry = cluster.content.toc_by_index.get(cluster.line.toc_index)
    return entry.last_line if entry else len(cluster.content.lines)


@lru_cache(maxsize=16)
def rarities(terms: tuple[WeighedTerm, ...], lexicon: Lexicon) -> Mapping[str, float]:
    """How rare each word of the question is in a document, 0..1; 1 if on at most one line."""
    return {term.text: lexicon.rarity(len(term.lines)) for term in terms}


def is_faint(cluster: HitCluster, rarity: Mapping[str, float]) -> bool:
    """Whether the place covers little of the question, and only by words that are common in the document (R54)."""
    if cluster.score("keywords") >= FAINT_SHARE or cluster.score("pinned"):
        return False
    words = {text for hit in cluster.hits for text in hit.matched_keywords}
    return not any(rarity.get(word, 1.0) >= TELLING_RARITY for word in words)


def is_no_answer(anchor: LineRange, question: Question, content: DocumentContent) -> bool:
    """Whether a place has nothing but options that are not chosen, which only answer whether they are, or of a choice
    that could not be read; or it is the row of another day than that asked for.
    """
    is_wanted = question.answer_type == "boolean" or asks_unchosen(question)
    if is_of_unread_choice(anchor, question, content):
        return True
    return is_of_another_day(anchor.last, question, content) or (not is_wanted and is_unchosen(anchor, content))


def matched_keywords(
    cluster: HitCluster, anchor: LineRange, terms: Sequence[WeighedTerm], head: Collection[int] = ()
) -> tuple[str, ...]:
    """The question words found in the anchor, in the title or in the head of its table, in the order of the question.

    Of several names for a thing, the one that occurs: a reason must not name a word the page lacks.
    """
    near = [
        hit
        for hit in cluster.hits
        if hit.method in ("titles", "pinned") or hit.lines.overlaps(anchor) or hit.lines.first in head
    ]
    words = dict.fromkeys(word for hit in near for word in hit.matched_keywords)
    several = [term for term in terms if len(term.texts) > 1 and term.text in words]
    if not several:
        return tuple(words)
    entry = cluster.content.toc_by_index.get(cluster.line.toc_index)
    said = [
        cluster.content.text_between(*anchor),
        *(cluster.content.lines[number - 1].text for number in head if number),
    ]
    text = match_form("\n".join([*said, name_in_force(entry.breadcrumb) if entry else ""]))
    names = {term.text: standing_name(term, text) for term in several}
    return tuple(dict.fromkeys(names.get(word, word) for word in words))


def standing_name(term: WeighedTerm, text: str) -> str:
    """Of several names of a term the one that occurs in the text, whole or in its longest form; else the first one."""
    standing = [name for name, match in zip(term.texts, term.match_texts, strict=True) if match in text]
    forms = [form for form in term.forms if form in text]
    return standing[0] if standing else max(forms, key=len) if forms else term.text


def needed_rows(cluster: HitCluster) -> tuple[int, ...]:
    """The lines of the place that hold words or values of the question, those that cover most of it first."""
    found = [hit for hit in cluster.hits if hit.method in LINE_METHODS]
    return tuple(dict.fromkeys(hit.lines.first for hit in sorted(found, key=lambda hit: (-hit.score, hit.lines))))


def brief_of(candidate: Candidate, content: DocumentContent, is_of_several: bool) -> Brief:
    heading = page_heading(candidate.anchor_pages[0], content)
    return Brief(candidate, content.title, heading, candidate.snippet, is_of_several=is_of_several)


@kept_by_key
def page_heading(page_number: int, content: DocumentContent) -> str:
    """The heading at the top of a page, often a statement's or chapter's name; no line of running text."""
    numbers = lexicon_of(content).page_headings.get(page_number, ())
    if not numbers:
        return ""
    below = content.lines_between(numbers[-1] + 1, numbers[-1] + HEADED_LINES)
    has_rows = any(line.kind == "table_row" for line in below)
    named = [number for number in numbers if has_rows or content.lines[number - 1].kind in ("heading", "caption")]
    return HEADED.join(plain_text(content.lines[number - 1].text).strip() for number in named)[:PAGE_HEADING_CHARS]
