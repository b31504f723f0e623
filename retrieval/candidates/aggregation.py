"""Merge hits into candidates (R40-R44): one per section, page and place in it, each with the arbiter's brief."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from documents.storage.content import DocumentContent
from reading.matching import match_form
from reading.rows import FRONT_INDEX, UNSEARCHED_KINDS, LineRow
from retrieval.candidates.fusion import fuse, rank_by_score
from retrieval.types import METHODS, POINTED, Brief, Briefed, Candidate, Hit, LineRange, Method, Question
from retrieval.words.lexicon import lexicon_of
from retrieval.words.terms import WeighedTerm, weigh_terms

CLUSTER_GAP = 4  # hits within this many lines belong to one place
PLACES_PER_UNIT = 2  # further places of one section on one page repeat the same
SECOND_SHARE = 0.75  # a second place must nearly equal the first
HEADING_SHARE = 0.5  # a text line represents its place unless a heading scores twice as much
INHERITED_SHARE = 0.5  # what a place keeps of the title score of a section above its own
SENTENCE_REACH = 3  # how many lines a sentence is followed up and down
ROWS_MAX = 5  # consecutive table rows that are one anchor
ROW_SHARE = 0.8  # a neighbouring row joins if it scores this share of the best one
SNIPPET_LINES = 5  # R42: three to five lines around the anchor
SNIPPET_CHARS = 700
PAGE_HEADING_CHARS = 160
FINGERPRINT = 6  # hexadecimal digits of a document's SHA-256 in an id, when there are several documents
# How the signals add up to `strength`: fitted by `python -m benchmarks weights`, see docs/benchmarks.md.
KEYWORD_WEIGHT, VECTOR_WEIGHT, TITLE_WEIGHT, TYPE_WEIGHT = 0.492, 0.266, 0.145, 0.097
# A place that covers less than this share of the question, with common words only, answers nothing.
FAINT_SHARE, TELLING_RARITY = 0.3, 0.5
COSINE_SPAN = 0.55  # for the bundled encoder: between the farthest passage still proposed and one with the same meaning
ROW_COSINE_SHARE = 0.95  # of the best cosine on its page: a row depends on its table's heading
BIBLIOGRAPHY_SHARE = 0.5  # a bibliography names the work of others; it is rarely what the document itself says
BIBLIOGRAPHY = re.compile(
    r"^[\d.\s]*(?:references(?: cited)?|bibliograph\w+|works cited|literatur\w*|ouvrages cites|referencias)\W*$"
)
CITED = re.compile(r"\b(?:cit\w+|references?|bibliograph\w*|publications?|published|papers?|authors?|works?)\b")
KEYWORDS_MAX = 1.25  # every word on one line, in phrases
SENTENCE_END = re.compile(r"[.!?:;][\"')\]”’\d]*$")


@dataclass(eq=False)
class Spot:
    """Hits around one place in a document, before it becomes a candidate."""

    content: DocumentContent
    best_line: int
    hits: list[Hit] = field(default_factory=list)
    page_cosine: float = 0.0  # the best anywhere on its page
    far_cosine: float = 0.0  # of the farthest passage proposed in the document

    def best(self, method: Method) -> Hit | None:
        return max((hit for hit in self.hits if hit.method == method), key=lambda hit: hit.score, default=None)

    def score(self, method: Method) -> float:
        best = self.best(method)
        return best.score if best else 0.0

    @property
    def line(self) -> LineRow:
        return self.content.lines[self.best_line - 1]


def aggregate(
    hits: Sequence[Hit], question: Question, contents: Sequence[DocumentContent], *, pool_max: int
) -> tuple[Briefed, ...]:
    """At most `pool_max` candidates with their RRF rank. RRF only fills the pool; it decides nothing."""
    places: list[Spot] = []
    for content in contents:
        places += places_of([hit for hit in hits if hit.document_id == content.document_id], content)
    fusion = fuse_methods(places)
    ordered = sorted(places, key=lambda place: (not place.score("pinned"), -fusion[id(place)]))  # stable: reading order
    ranks = {id(place): rank for rank, place in enumerate(ordered, 1)}
    prefixed = len(contents) > 1
    terms = {content.document_id: weigh_terms(question, lexicon_of(content)) for content in contents}
    asked = question.topic_form
    candidates: dict[str, Briefed] = {}
    certain = [place for place in ordered if is_certain(place)]  # few, and their words may score nothing
    certain.sort(key=lambda place: not any(hit.exact_title for hit in place.hits))
    for place in certain + pages_first(ordered):
        if len(candidates) == pool_max:
            break
        candidate = candidate_of(place, ranks[id(place)], prefixed, terms[place.content.document_id], asked)
        candidates.setdefault(candidate.candidate_id, candidate)
    return tuple(sorted(candidates.values(), key=lambda candidate: candidate.rrf_rank))


def is_certain(place: Spot) -> bool:
    """Whether a place is a candidate however few detectors found it: referred to, or a statement with its rows."""
    return any(hit.method == "references" or hit.statement for hit in place.hits)


def pages_first(ordered: Sequence[Spot]) -> list[Spot]:
    """The best place of every page before the second of any, so that no single page fills the pool."""
    seen: set[tuple[str, int]] = set()
    first: list[Spot] = []
    later: list[Spot] = []
    for place in ordered:
        key = (place.content.document_id, place.line.page_number)
        (later if key in seen else first).append(place)
        seen.add(key)
    return first + later


def fuse_methods(places: Sequence[Spot]) -> dict[int, float]:
    """The score of each place, fused over the methods, by `id(place)`."""
    found = [{id(place): place.score(method) for place in places if place.best(method)} for method in METHODS]
    return {id(place): 0.0 for place in places} | fuse((1.0, rank_by_score(scores)) for scores in found)


# ---- places


def places_of(hits: Sequence[Hit], content: DocumentContent) -> list[Spot]:
    """The places of one document, in reading order."""
    places = line_places([hit for hit in hits if hit.method in ("keywords", "patterns")], content)
    for hit in hits:
        if hit.method == "vectors":
            join_passage(hit, places, content)
    share_nearness(places)
    for hit in hits:
        if hit.statement:
            places = join_statement(hit, places, content)
        elif hit.method == "titles":
            join_section(hit, places, content)
        elif hit.method == "pinned":
            join_page(hit, places, content)
        elif hit.method == "references":
            join_reference(hit, places, content)
    return sorted(places, key=lambda place: place.best_line)


def line_places(hits: Sequence[Hit], content: DocumentContent) -> list[Spot]:
    """One place around the best line of each section and page; a second one if it scores nearly as much."""
    units: dict[tuple[int, int], list[Hit]] = {}
    for hit in hits:
        line = content.lines[hit.lines.first - 1]
        units.setdefault((line.toc_index, line.page_number), []).append(hit)
    places: list[Spot] = []
    for unit in units.values():
        ranked = sorted(unit, key=lambda hit: (-line_worth(hit, content), hit.lines))
        leaders = [ranked[0]]
        for hit in ranked[1:]:
            is_apart = all(abs(hit.lines.first - leader.lines.first) > CLUSTER_GAP for leader in leaders)
            if is_apart and line_worth(hit, content) >= SECOND_SHARE * line_worth(ranked[0], content):
                leaders.append(hit)
            if len(leaders) == PLACES_PER_UNIT:
                break
        found = [Spot(content, leader.lines.first) for leader in leaders]
        for hit in unit:
            min(found, key=lambda place: abs(place.best_line - hit.lines.first)).hits.append(hit)
        places += found
    return places


def line_worth(hit: Hit, content: DocumentContent) -> float:
    """A line's score as the centre of a place: headings count less, since they rarely contain the answer."""
    is_heading = content.lines[hit.lines.first - 1].kind in ("heading", "caption")
    return hit.score * HEADING_SHARE if is_heading else hit.score


def join_passage(hit: Hit, places: list[Spot], content: DocumentContent) -> None:
    """A near passage supports the places inside it, or becomes a place itself."""
    inside = [place for place in places if hit.lines.first <= place.best_line <= hit.lines.last]
    if not inside:
        inside = [Spot(content, first_text_line(hit.lines, content))]
        places += inside
    for place in inside:
        place.hits.append(hit)


def share_nearness(places: Sequence[Spot]) -> None:
    """Set each place's best cosine on its page, and the lowest cosine proposed in the document."""
    nearest: dict[int, float] = {}
    found = [hit for place in places for hit in place.hits if hit.method == "vectors" and hit.detail == "passage"]
    far = min((hit.score for hit in found), default=0.0)
    for place in places:
        nearest[place.line.page_number] = max(nearest.get(place.line.page_number, 0.0), place.score("vectors"))
    for place in places:
        place.page_cosine = nearest[place.line.page_number]
        place.far_cosine = far


def join_statement(hit: Hit, places: list[Spot], content: DocumentContent) -> list[Spot]:
    """A statement's page is one place, around the row that covers most of the question."""
    page = content.lines[hit.lines.first - 1].page_number
    inside = [place for place in places if place.line.page_number == page]
    whole = Spot(content, hit.lines.first, [hit, *(found for place in inside for found in place.hits)])
    whole.page_cosine = max((place.page_cosine for place in inside), default=0.0)
    whole.far_cosine = max((place.far_cosine for place in inside), default=0.0)
    return [place for place in places if place not in inside] + [whole]


def join_section(hit: Hit, places: list[Spot], content: DocumentContent) -> None:
    """A title supports its section's places, and less those of sub-sections (R37); an empty section gets a place."""
    entry = content.toc_by_index[hit.toc_index or FRONT_INDEX]
    own = [place for place in places if place.line.toc_index == entry.index]
    below = [place for place in places if place not in own and entry.first_line <= place.best_line <= entry.last_line]
    if not own and not below:
        own = [Spot(content, first_text_line(LineRange(entry.first_line, entry.last_line), content))]
        places += own
    for place in own:
        place.hits.append(hit)
    for place in below:
        place.hits.append(replace(hit, score=hit.score * INHERITED_SHARE, exact_title=False))


def join_page(hit: Hit, places: list[Spot], content: DocumentContent) -> None:
    """A page named in the question is a place, whether or not it contains a word of the question (R36)."""
    inside = [place for place in places if hit.lines.first <= place.best_line <= hit.lines.last]
    if not inside:
        inside = [Spot(content, first_text_line(hit.lines, content))]
        places += inside
    max(inside, key=lambda place: place.score("keywords")).hits.append(hit)


def join_reference(hit: Hit, places: list[Spot], content: DocumentContent) -> None:
    """A place another passage refers to: one that begins there already, or a new one."""
    inside = [place for place in places if place.best_line == hit.lines.first]
    if not inside:
        inside = [Spot(content, hit.lines.first)]
        places += inside
    inside[0].hits.append(hit)


def first_text_line(lines: LineRange, content: DocumentContent) -> int:
    """The first line that is neither heading nor page furniture, else the first line."""
    rows = content.lines_between(lines.first, lines.last)
    skipped = UNSEARCHED_KINDS | {"heading", "caption"}
    return next((row.number for row in rows if row.kind not in skipped), lines.first)


# ---- candidates


def candidate_of(place: Spot, rank: int, prefixed: bool, terms: Sequence[WeighedTerm], asked: str = "") -> Briefed:
    content = place.content
    anchor = anchor_of(place)
    first, last = content.lines[anchor.first - 1], content.lines[anchor.last - 1]
    entry = content.toc_by_index.get(place.line.toc_index)
    methods = tuple(method for method in (*METHODS, *POINTED) if place.best(method))
    candidate_id = f"p{first.page_number}-l{anchor.first}-{anchor.last}"
    if prefixed:
        candidate_id = f"{content.sha256[:FINGERPRINT]}-{candidate_id}"
    inside = [hit for hit in place.hits if hit.method in ("keywords", "patterns") and hit.lines.overlaps(anchor)]
    candidate = Candidate(
        candidate_id=candidate_id,
        document_id=content.document_id,
        parse_id=content.parse_id,
        methods=methods,
        matched_keywords=matched_keywords(place, anchor, terms),
        toc_index=place.line.toc_index,
        section_title=entry.title if entry and entry.index != FRONT_INDEX else "",
        breadcrumb=entry.breadcrumb if entry and entry.index != FRONT_INDEX else "",
        anchor=anchor,
        anchor_pages=(first.page_number, last.page_number),
        anchor_text=content.text_between(*anchor, searched_only=True),
        snippet=snippet_of(anchor, place),
        line_score=max((hit.line_score for hit in inside), default=0.0),
        exact_title=any(hit.exact_title for hit in place.hits),
        co_occurrence=any(hit.co_occurrence for hit in inside),
        type_match=any(hit.type_match for hit in inside),
        rrf_rank=rank,
        best_line=place.best_line,
        strength=strength_of(place) * bibliography_share(content.title_forms.get(place.line.toc_index, ""), asked),
        parts=tuple(sorted({hit.part for hit in place.hits if hit.part})),
        is_faint=is_faint(place, rarities(terms, content)),
        referred=next((hit.detail for hit in place.hits if hit.method == "references"), ""),
        statement=next((hit.statement for hit in place.hits if hit.statement), ""),
        rows_share=max((hit.score for hit in place.hits if hit.statement), default=0.0),
    )
    return Briefed(**vars(candidate), brief=brief_of(candidate, content))


def strength_of(place: Spot) -> float:
    """How much of the question the place covers, 0..1: a fixed weighted sum of the detectors' scores."""
    shared = ROW_COSINE_SHARE * place.page_cosine if place.line.kind == "table_row" else 0.0
    cosine = max(place.score("vectors"), shared)
    nearness = min(1.0, max(0.0, (cosine - place.far_cosine) / COSINE_SPAN))
    return round(
        KEYWORD_WEIGHT * min(KEYWORDS_MAX, place.score("keywords")) / KEYWORDS_MAX
        + VECTOR_WEIGHT * nearness
        + TITLE_WEIGHT * place.score("titles")
        + TYPE_WEIGHT * any(hit.type_match for hit in place.hits),
        6,
    )


def bibliography_share(title: str, asked: str) -> float:
    """The share of its strength a place keeps in a bibliography; 1 if the question asks for works."""
    return BIBLIOGRAPHY_SHARE if BIBLIOGRAPHY.match(title) and not CITED.search(asked) else 1.0


def anchor_of(place: Spot) -> LineRange:
    """The lines an auditor should look at: the sentence of the best line, or the row with similar neighbours."""
    kind = place.line.kind
    if kind == "table_row":
        return rows_around(place)
    if kind in ("heading", "caption"):
        below = first_text_line(LineRange(place.best_line, last_of_section(place)), place.content)
        below = min(max(below, place.best_line), place.best_line + SENTENCE_REACH)
        return LineRange(place.best_line, sentence_end(below, place.content))
    return sentence_around(place)


def rows_around(place: Spot) -> LineRange:
    best = place.score("keywords")
    like = {
        hit.lines.first
        for hit in place.hits
        if hit.method == "keywords"
        and hit.score >= ROW_SHARE * best
        and place.content.lines[hit.lines.first - 1].kind == "table_row"
    }
    first = last = place.best_line
    while first - 1 in like and last - first + 1 < ROWS_MAX:
        first -= 1
    while last + 1 in like and last - first + 1 < ROWS_MAX:
        last += 1
    return LineRange(first, last)


def sentence_around(place: Spot) -> LineRange:
    first = place.best_line
    while place.best_line - first < SENTENCE_REACH and is_sentence_continued(first - 1, place.content):
        first -= 1
    return LineRange(first, sentence_end(place.best_line, place.content))


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
    return is_text and is_near and not SENTENCE_END.search(line.text.rstrip())


def last_of_section(place: Spot) -> int:
    entry = place.content.toc_by_index.get(place.line.toc_index)
    return entry.last_line if entry else len(place.content.lines)


def rarities(terms: Sequence[WeighedTerm], content: DocumentContent) -> dict[str, float]:
    """How rare each word of the question is in this document, 0..1; 1 if on at most one line."""
    lexicon = lexicon_of(content)
    return {term.text: lexicon.rarity(len(term.lines)) for term in terms}


def is_faint(place: Spot, rarity: Mapping[str, float]) -> bool:
    """Whether the place covers little of the question, and only by words that are common in the document (R54)."""
    if place.score("keywords") >= FAINT_SHARE or place.score("pinned"):
        return False
    words = {text for hit in place.hits for text in hit.matched_keywords}
    return not any(rarity.get(word, 1.0) >= TELLING_RARITY for word in words)


def matched_keywords(place: Spot, anchor: LineRange, terms: Sequence[WeighedTerm]) -> tuple[str, ...]:
    """The question words found in the anchor or in the title, in the order of the question.

    Of several names for a thing, the one that occurs: a reason must not name a word the page lacks.
    """
    near = [hit for hit in place.hits if hit.method in ("titles", "pinned") or hit.lines.overlaps(anchor)]
    entry = place.content.toc_by_index.get(place.line.toc_index)
    text = match_form(place.content.text_between(*anchor) + "\n" + (entry.breadcrumb if entry else ""))
    words = dict.fromkeys(word for hit in near for word in hit.matched_keywords)
    names = {term.text: standing_name(term, text) for term in terms if term.text in words}
    return tuple(dict.fromkeys(names.get(word, word) for word in words))


def standing_name(term: WeighedTerm, text: str) -> str:
    """The name of a term that occurs in the text, whole or in its longest form; else the first one."""
    standing = [name for name, match in zip(term.texts, term.match_texts, strict=True) if match in text]
    forms = [form for form in term.forms if form in text]
    return standing[0] if standing else max(forms, key=len) if forms and len(term.texts) > 1 else term.text


def snippet_of(anchor: LineRange, place: Spot) -> str:
    """Three to five lines around the anchor, without page furniture, cut at a word's end."""
    content = place.content
    spare = max(0, SNIPPET_LINES - (anchor.last - anchor.first + 1))
    first, last = anchor.first - (spare + 1) // 2, anchor.last + spare // 2
    text = content.text_between(first, last, searched_only=True)
    return text if len(text) <= SNIPPET_CHARS else (text[:SNIPPET_CHARS].rsplit(maxsplit=1) or [""])[0]


def brief_of(candidate: Candidate, content: DocumentContent) -> Brief:
    first, last = candidate.anchor_pages
    return Brief(
        candidate_id=candidate.candidate_id,
        methods=candidate.methods,
        document_title=content.title,
        breadcrumb=candidate.breadcrumb,
        page_heading=page_heading(first, content),
        pages=str(first) if first == last else f"{first}-{last}",
        matched_keywords=candidate.matched_keywords,
        exact_title=candidate.exact_title,
        co_occurrence=candidate.co_occurrence,
        type_match=candidate.type_match,
        snippet=candidate.snippet,
    )


def page_heading(page_number: int, content: DocumentContent) -> str:
    """The heading at the top of a page, often a statement's or chapter's name."""
    numbers = lexicon_of(content).page_headings.get(page_number, ())
    return " / ".join(content.lines[number - 1].text.strip() for number in numbers)[:PAGE_HEADING_CHARS]
