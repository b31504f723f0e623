"""The values passed between the steps of retrieval, in order; R61-R64 define what the result must contain."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

from documents.storage.content import DocumentContent, DocumentSnapshot
from llm.exchange import Exchange
from reading.boxes import Box, PictureBox
from reading.matching import match_form

Method = Literal["titles", "keywords", "patterns", "vectors", "pinned", "references", "whole", "requested", "outline"]
Role = Literal["primary", "supporting", "tangential", "discarded", "unjudged"]
ArbiterName = Literal["model", "rules", "none", "hybrid", "rerank"]
Mode = Literal["fast", "balanced", "thorough"]
Status = Literal["found", "weak", "not_found", "cannot_tell", "clarify"]
ABSENT: tuple[Status, ...] = ("not_found", "cannot_tell")  # nothing is there, or it cannot be known
UNANSWERED: tuple[Status, ...] = ("weak", *ABSENT)
# A part leans on the one before it (sequential), is the case in which another holds (conditional), or neither.
PartKind = Literal["independent", "sequential", "conditional"]
PartOutcome = Literal["found", "weak", "not_found", "cannot_tell"]
Form = Literal["", "outline", "compare"]  # of the answer; "" is that of a question like any other
DocumentState = Literal["read", "counted", "unreadable", "unsearched"]
METHODS: tuple[Method, ...] = ("titles", "keywords", "patterns", "vectors")
# Proposed by no detector: somebody points there, the document is so short that all of it is judged, the model that
# judges asked for more, or an outline of the document is asked for.
POINTED: tuple[Method, ...] = ("pinned", "references", "whole", "requested", "outline")
WORDLESS: tuple[Method, ...] = ("vectors", "titles", "pinned")  # they propose without a word: no evidence alone
KEPT_ROLES: tuple[Role, ...] = ("primary", "supporting")  # what generation may read
# What a question can point to by a name, as the register of a document calls it (R14).
OBJECT_KINDS = ("figure", "table", "equation", "appendix", "exhibit", "schedule", "note")
# Around a hit; "" is as the kind of question asks.
ReadAround = Literal["", "line", "paragraph", "section", "page", "chapter", "document"]
IN_QUESTION = "named in the question"
VALUE_LEFT = "says that the value stands"
FINGERPRINT = 6  # hexadecimal digits of a document's SHA-256 in an id, when there are several documents
HEADED = " / "  # between the headings at the top of a page
HEAD_LINES = 5  # the hit of a title is its heading with the lines below
ROLE_ORDER: dict[str, int] = {"primary": 0, "supporting": 1, "tangential": 2, "unjudged": 3, "discarded": 4}


class LineRange(NamedTuple):
    """Consecutive document-wide line numbers, both ends included."""

    first: int
    last: int

    def overlaps(self, other: "LineRange") -> bool:
        return self.first <= other.last and other.first <= self.last

    def union(self, other: "LineRange") -> "LineRange":
        """From the first line of both to the last."""
        return LineRange(min(self.first, other.first), max(self.last, other.last))


@dataclass(frozen=True)
class Keyword:
    """A search word of a question. `forms` are the match forms that count as it (inflections, identifiers)."""

    text: str
    forms: tuple[str, ...]
    source: Literal["direct", "llm_rewrite", "dictionary", "everyday", "identifier", "learned"] = "direct"
    priority: Literal["primary", "secondary"] = "primary"
    weight: float = 1.0
    group: str = ""
    language: str = ""
    computed: bool = False  # names a figure that other figures add up to, so few tables have it as a row

    @property
    def is_own(self) -> bool:
        """Whether the asker wrote it."""
        return self.source in ("direct", "identifier")


class ConceptTerm(NamedTuple):
    """A name of a concept in one language ("" is any), or of a concept it is computed from."""

    text: str
    language: str
    priority: Literal["primary", "secondary"] = "primary"
    weight: float = 1.0
    pulled_from: str = ""  # the other concept: searched too, but naming it does not name this one


@dataclass(frozen=True)
class ConceptTerms:
    """A dictionary entry as retrieval uses it: a question that names one term searches them all (R18)."""

    name: str
    terms: tuple[ConceptTerm, ...]

    def __hash__(self) -> int:
        return hash(self.name)  # a question looks up the whole dictionary


class NamedThing(NamedTuple):
    """A thing a question points to: "Table 3 row (E)" in lower case; any thing of the kind without a label."""

    kind: str
    label: str = ""
    row: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.kind.capitalize(), self.label.upper(), self.row.upper())))


class PageTaken(NamedTuple):
    """A page that a question names, and the pages of the file it was taken for: those that print it, else the one at
    that place in the file; "asked" was expressly the file's, and "none" is nowhere.
    """

    named: str
    taken_as: Literal["printed", "file", "asked", "none"]
    pages: tuple[int, ...] = ()
    title: str = ""


@dataclass(frozen=True)
class Hints:
    """Where the question asks to look."""

    pages: tuple[int | str, ...] = ()  # as typed: 6, "ii", "A-3"
    section: str = ""
    layout: str = ""  # "table", "figure" or ""
    statements: tuple[str, ...] = ()  # "balance sheet", "income statement", "cash flow statement"
    objects: tuple[NamedThing, ...] = ()  # figures, tables, appendices it points to
    around: ReadAround = ""  # how much is to be read around a hit
    file_pages: tuple[int, ...] = ()  # pages that are expressly the file's
    taken: tuple[PageTaken, ...] = ()  # what the pages named were taken for, where there was a choice
    lines_before: int = 0  # as many lines as are to be read before and after a hit, where their number is said
    lines_after: int = 0

    @property
    def says_around(self) -> bool:
        return bool(self.around or self.lines_before or self.lines_after)

    @property
    def names_page(self) -> bool:
        return bool(self.pages or self.file_pages)

    @property
    def written_pages(self) -> str:
        return ", ".join(map(str, (*self.pages, *self.file_pages)))


@dataclass(frozen=True)
class Side:
    """One of the things that are compared: its name, what is asked of it, and the documents it is, () for a thing."""

    name: str
    asked: str  # "" where it is compared as a whole
    document_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Meaning:
    """One thing that a vague word stands for in the documents: "liability cap", and how often."""

    key: str
    text: str
    count: int


@dataclass(frozen=True)
class VagueWord:
    """The word of a question that is too vague alone, what it can mean here, and what was made of it (R23)."""

    word: str = ""
    meanings: tuple[Meaning, ...] = ()
    proposed: str = ""  # the text of the meaning that was asked about
    assumed: str = ""  # the text of the meaning it was read as
    confidence: float = 0.0  # of what was learned, 0..1
    document_type: str = ""
    why: str = ""  # it was asked back, assumed or neither
    typed: str = ""  # the word as the asker wrote it; "" in records of before

    @property
    def shown(self) -> str:
        """The word for people."""
        return self.typed or self.word


@dataclass(frozen=True)
class Question:
    """The user's question, and what was understood from it (R16-R24)."""

    original: str
    corrected: str
    language: str
    intent: str  # field_extraction, section_retrieval, conditional_lookup, listing, open_scoped, open_corpus_wide
    shape: str  # single, listing, table, tree, nested
    answer_type: str  # text, amount, date, percentage, number, boolean, definition, …
    keywords: tuple[Keyword, ...]
    topic: str = ""  # the corrected question without instructions, page hints and exclusions: this is searched
    phrases: tuple[str, ...] = ()
    years: tuple[str, ...] = ()
    hints: Hints = Hints()
    parts: tuple[str, ...] = ()  # several questions in one, each searched by itself
    part_kinds: tuple[PartKind, ...] = ()  # of the parts, in their order; unknown of parts that a model named
    condition: str = ""  # the case in which the answer is wanted; searched with the rest, as one clause has both
    listed: str = ""  # the keyword for what is to be listed or counted: "functions"
    listed_count: int = 0  # how many of it the question says there are; 0 if it does not
    is_count: bool = False  # how many there are is asked for
    exclusions: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    clarification: str = ""
    vague: VagueWord = VagueWord()
    notes: tuple[str, ...] = ()
    parsed_by: Literal["rules", "model"] = "rules"
    form: Form = ""
    outlined: tuple[str, ...] = ()  # ids of the documents whose outline is asked for; () for the whole scope
    sides: tuple[Side, ...] = ()  # of a comparison
    instruction: str = ""  # how the asker wants a field read, beside its question: shown to who judges, never searched
    value_pattern: str = ""  # what values of the type asked for look like in match form, in RE2's syntax; "" for none
    printed_pattern: str = ""  # … and as they are printed
    part_types: tuple[str, ...] = ()  # the type of answer each part asks for
    nowhere: tuple[str, ...] = ()  # the asker's own words that no line searched has in any form, as they were typed

    def __hash__(self) -> int:
        return hash((self.original, self.topic))  # what is kept for a question is asked for at every place

    @cached_property
    def topic_form(self) -> str:
        """The topic in match form; a property, so that it is not stored."""
        return match_form(self.topic)

    @cached_property
    def groups(self) -> tuple[tuple[Keyword, ...], ...]:
        """The keywords by group: those of a group count as one word, and stand in the record under its first text.

        Without what was learned: a question asks for its own words, and only these can be missing.
        """
        groups: dict[str, list[Keyword]] = {}
        for keyword in self.keywords:
            if keyword.source == "learned":
                continue
            groups.setdefault(keyword.group or keyword.text, []).append(keyword)
        return tuple(map(tuple, groups.values()))

    @cached_property
    def learned(self) -> tuple[Keyword, ...]:
        """The further keywords that were learned for its concept (R83)."""
        return tuple(each for each in self.keywords if each.source == "learned")

    @cached_property
    def topic_words(self) -> tuple[str, ...]:
        """The first texts of the groups that name the topic: where none of them occurs, nothing is said of it."""
        return tuple(group[0].text for group in self.groups if any(each.priority == "primary" for each in group))

    @cached_property
    def section_form(self) -> str:
        """The section the question names, in match form."""
        return match_form(self.hints.section)


class Expected(NamedTuple):
    """What is said of an answer beside the question: its type ("" as the question tells), and how it is to be read."""

    answer_type: str = ""
    instruction: str = ""

    def of(self, question: Question, patterns_of: Callable[[str, str], tuple[str, str]]) -> Question:
        """The question with what is expected of its answer; `patterns_of` are those of values of a type."""
        answer_type = self.answer_type or question.answer_type
        if (answer_type, self.instruction) == (question.answer_type, question.instruction):
            return question
        patterns = (question.value_pattern, question.printed_pattern)
        if answer_type != question.answer_type:
            patterns = patterns_of(answer_type, question.topic)
        return replace(
            question,
            answer_type=answer_type,
            instruction=self.instruction,
            value_pattern=patterns[0],
            printed_pattern=patterns[1],
        )


ANYTHING = Expected()


@dataclass(frozen=True)
class Flag:
    """One decision of the dispatcher, with its reason for the audit."""

    name: str
    on: bool
    reason: str


@dataclass(frozen=True)
class Plan:
    flags: tuple[Flag, ...]

    def is_on(self, name: str) -> bool:
        return any(flag.name == name and flag.on for flag in self.flags)

    @property
    def detectors(self) -> tuple[Method, ...]:
        return tuple(method for method in METHODS if self.is_on(method))


@dataclass(frozen=True)
class Hit:
    """One detector's match in one document. `score` is comparable only within a detector; ranks start at 1."""

    method: Method
    document_id: str
    lines: LineRange
    score: float
    matched_keywords: tuple[str, ...] = ()
    toc_index: int | None = None
    exact_title: bool = False
    co_occurrence: bool = False
    type_match: bool = False
    detail: str = ""
    line_score: float = 0.0  # R29: 3 for each primary word on the line, 1 for each secondary
    part: int = 0  # of a compound question, from 1; 0 is the question as a whole
    statement: str = ""  # the page is this kind of statement; the score is the share its rows cover
    fetched: bool = False  # by the further pass for a list: it says how many there are, or lists all of them
    wanted_words: tuple[str, ...] = ()  # that a model which judged asked for, and this is a place of

    @classmethod
    def on_line(cls, method: Method, number: int, content: DocumentContent, score: float = 1.0, **more: Any) -> "Hit":
        line = LineRange(number, number)
        return cls(method, content.document_id, line, score, toc_index=content.lines[number - 1].toc_index, **more)


@dataclass(frozen=True)
class Brief:
    """What the arbiter reads about a candidate as it was found; chat, audit and exports show the same text."""

    candidate: "Candidate"
    document_title: str
    page_heading: str
    snippet: str
    is_struck: bool = False  # words of the snippet, which are marked
    is_sentence: bool = False  # it looks so little like an answer that only its best sentence or row is shown
    is_of_several: bool = False  # documents are asked


@dataclass(frozen=True)
class QuotePiece:
    """Characters [start, end) of one line."""

    line_number: int
    start: int
    end: int


@dataclass(frozen=True)
class Repair:
    """What calibration did to a quote: exact, truncated, rejected or none (nothing was quoted)."""

    status: Literal["exact", "truncated", "rejected", "none"]
    original_length: int
    final_length: int
    reason: str = ""


@dataclass(frozen=True)
class Calibrated:
    """The literal text and its pieces ("" and none if the quote was refused), and what was done to it."""

    text: str
    pieces: tuple[QuotePiece, ...]
    repair: Repair


@dataclass(frozen=True)
class Verdict:
    """The arbiter's decision on one candidate. `rule` names the rule that decided, for the rules arbiter."""

    candidate_id: str
    role: Role
    reason: str
    raw_content_anchor: str = ""
    rule: str = ""


@dataclass(frozen=True)
class ClauseState:
    """From when a passage holds, and what became of it: ISO dates, "" where nothing is said.

    `change` is replaced, deleted or added (to, or changed in part, or on a `condition` or with an exception, in the
    document's words), "" if no document that was read changes it: a `condition` is then that on which it holds at all.
    """

    begins: str = ""
    ends: str = ""
    change: str = ""
    condition: str = ""

    @property
    def is_past(self) -> bool:
        """Whether other words are in force instead, at least from some day on."""
        return self.change in ("replaced", "deleted")

    def holds_between(self, first: str, last: str) -> bool:
        """Whether it was in force on some day from `first` to `last`."""
        return self.begins <= last and (not self.is_past or first < self.ends)


@dataclass(frozen=True)
class Contradiction:
    """Candidates that say different things about one point, or versions of one clause, the newest first."""

    candidate_ids: tuple[str, ...]
    point: str
    values: tuple[str, ...] = ()  # what each of the candidates says, as printed, where rules found it
    clause: str = ""  # of which the candidates are versions
    in_force: tuple[ClauseState, ...] = ()  # when each of these versions holds
    is_conditional: bool = False  # of no change of the clause is it known whether, or how far, it holds


@dataclass(frozen=True)
class SecondLookRequest:
    """Where a model that judged asks to look once more: ids of sections as it was shown them, and words."""

    sections: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.sections or self.words)


@dataclass(frozen=True)
class Ranking:
    """The arbiter's whole reply, validated: every id once, unknown ids dropped and recorded."""

    arbiter: ArbiterName
    status: Literal["ran", "not_run", "not_needed"]
    verdicts: tuple[Verdict, ...]
    contradictions: tuple[Contradiction, ...] = ()
    answerable: bool | None = None
    answerable_reason: str = ""
    violations: tuple[str, ...] = ()
    exchange: Exchange | None = None
    failure: str = ""
    probability: float | None = None  # that what is primary answers the question; of the rules, see arbiter.evidence
    answered_parts: tuple[int, ...] | None = None  # their numbers, from 1; None where the rules did not weigh them
    wanted: SecondLookRequest = SecondLookRequest()
    is_doubtful: bool = False  # too improbable to be shown as an answer, and not shown to be absent either


class Sentences(NamedTuple):
    """The literal text of whole sentences, and its lines; "" where a place is no prose."""

    text: str
    lines: LineRange


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A place worth judging, with the evidence for it. The rules judge by this alone."""

    candidate_id: str
    document_id: str
    parse_id: str
    methods: tuple[Method, ...]
    matched_keywords: tuple[str, ...] = ()
    toc_index: int
    section_title: str
    breadcrumb: str
    anchor: LineRange  # the matched lines
    anchor_pages: tuple[int, int]
    anchor_text: str
    snippet: str
    line_score: float = 0.0
    exact_title: bool = False
    co_occurrence: bool = False
    type_match: bool = False
    rrf_rank: int
    best_line: int = 0  # the line of the anchor that covers most of the question
    strength: float = 0.0  # 0..1 by the rules of aggregation; orders candidates inside one class of evidence
    parts: tuple[int, ...] = ()  # the parts of a compound question it was found for
    is_faint: bool = False  # little of the question, and only words that stand everywhere
    statement: str = ""  # its page is this statement of a report
    referred: str = ""  # what another passage called this place, and on which page
    is_headed: bool = False  # a cell has a value of the expected type by what its column is called
    rows_share: float = 0.0  # of the question, on the rows of that statement
    shown: LineRange | None = None  # the passage it is shown with, in a document that is passed whole
    sentences: Sentences | None = None  # that hold its words, where it is prose
    running: str = ""  # it is a running head: "at the head of 19 pages"
    fetched: bool = False  # by the further pass for a list
    is_told: bool = False  # the row of a table whose interval holds a number of the question
    is_untold: bool = False  # a table was found, and not which of its rows is asked for

    @property
    def own_text(self) -> str:
        """The whole sentences that hold its words; of a table or a running head its own lines."""
        return (self.sentences.text if self.sentences else "") or self.anchor_text

    @property
    def is_left_value(self) -> bool:
        """Whether it is the value of a sentence that only says where its value stands."""
        return VALUE_LEFT in self.referred


@dataclass(frozen=True)
class LeftOut:
    """A place that was found and not judged, and why: so much of it that it can be looked up."""

    candidate_id: str  # the name it would have had
    document_id: str
    page_number: int
    section_title: str
    rrf_rank: int
    matched_keywords: tuple[str, ...]
    reason: str

    @classmethod
    def of(cls, candidate: Candidate, reason: str) -> "LeftOut":
        """A candidate that was made and is not judged after all."""
        return cls(
            candidate.candidate_id,
            candidate.document_id,
            candidate.anchor_pages[0],
            candidate.section_title,
            candidate.rrf_rank,
            candidate.matched_keywords,
            reason,
        )


@dataclass(frozen=True, kw_only=True)
class Briefed(Candidate):
    """A place with what a reading arbiter is given of it: the brief for a model, the source passage for a reranker."""

    brief: Brief
    passage: str = ""
    needed_rows: tuple[int, ...] = ()  # lines of its page with words of the question, the most telling first
    brief_lines: LineRange | None = None  # the first and the last line of what a model was given to judge


class Pool(NamedTuple):
    """The candidates that are judged, or shown in a request, and the places for which there was no room."""

    candidates: tuple[Briefed, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class Context:
    """The lines around an anchor handed to the writer; one box per page and column."""

    lines: LineRange
    pages: tuple[int, int]
    text: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True, kw_only=True)
class Settled(Briefed):
    """A candidate with verdict, literal quote and context; showing a stored run needs no document."""

    verdict: Verdict
    quote: Calibrated
    boxes: tuple[Box | PictureBox, ...]  # of the quote, else of the anchor; then of pictures they belong to (R85)
    context: Context
    page_label: str  # of the anchor's first page, as printed
    page_size: tuple[float, float]  # its width and height in points


class ChosenSentence(NamedTuple):
    """A sentence that an answer without a writer says first, as it reads; each piece is a line, its start and end.

    Of a long one only the characters [start, end) of its text that are named by `bold` are bold.
    """

    candidate_id: str
    text: str
    pieces: tuple[tuple[int, int, int], ...]
    bold: tuple[int, int] | None = None


@dataclass(frozen=True)
class Gate:
    """One not-found gate: whether it fired, and on what evidence."""

    code: str
    name: str
    fired: bool
    evidence: str


class AbsenceVerdict(NamedTuple):
    """The outcome of the gates: the status of the result and, unless something was found, the reason."""

    status: Status
    reason: str
    gates: tuple[Gate, ...]


@dataclass(frozen=True)
class SearchedWord:
    """How often one word, with all its forms, occurs in the searched lines of the scope."""

    text: str
    forms: tuple[str, ...]
    count: int
    carried: tuple[str, ...] = ()  # those of the text that stand for it, where that is in another language


@dataclass(frozen=True)
class ShortlistRank:
    """Where a shortlist put a document: its rank among `of`, and each score that gave it one, where it had it.

    `words` is the full-text rank of its best passage, `meaning` the cosine similarity of its nearest one, `name` how
    many words of the question are in its title and file name, `fused` what the ranks of these add up to, with that of
    its card where the reason says that the question names it.
    """

    of: int
    rank: int | None = None
    words: float | None = None
    meaning: float | None = None
    name: float | None = None
    fused: float | None = None


@dataclass(frozen=True)
class DocumentResult:
    """What one document says to the question when it is searched on its own, by rules, and its best passage."""

    status: Status
    reason: str  # why nothing was found, or no clear answer; "" where it was
    confidence: float
    candidates: int
    quote: str = ""
    page: int | None = None
    page_label: str = ""


@dataclass(frozen=True)
class ScopeDocument:
    """One document of the scope: was it read line by line, were words counted in it only, or neither, and why."""

    document_id: str
    title: str
    sha256: str
    state: DocumentState
    reason: str  # of its state, in words
    cause: str = ""  # why it is unreadable, in one word: waiting, reading, or a code of reading.reasons
    parse_id: str = ""
    parse_number: int | None = None
    pages: int | None = None  # None while nobody has counted them
    pages_with_text: int | None = None
    place: ShortlistRank | None = None  # None where no shortlist was made
    words: tuple[str, ...] = ()  # of the question, that occur in it: told where they were only counted
    finding: DocumentResult | None = None  # where every document was searched on its own


@dataclass(frozen=True)
class ScopeAccount:
    """Every document of the scope, in its order, and how often each word occurs in those not read together."""

    documents: tuple[ScopeDocument, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    unreadable: tuple[str, ...] = ()  # pages without text of the documents not read together, by name
    sections: int = 0  # of these documents, where their contents were read
    languages: tuple[str, ...] = ()  # of all documents that have text
    attached: tuple[tuple[str, str], ...] = ()  # files that those not read together carry: names and digests
    amended: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # titles of what amends one read, by its id
    amending: Mapping[str, frozenset[str]] = field(default_factory=dict)  # ids of it, and of what is read as well


@dataclass(frozen=True)
class PartFinding:
    """What became of one part of a question (R22): its outcome, the kept candidates that carry it, and why not more.

    `missing` are its words that occur on no page that was read or searched.
    """

    text: str
    subject: str  # what it is about, in the asker's words: "shoe size of the chairman"
    kind: PartKind
    outcome: PartOutcome
    candidate_ids: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Coverage:
    """What could be searched: documents and pages of the scope, pages with text, and what was not looked at.

    `documents` are `read`, `counted` (searched for words only) or `unreadable_documents`. `gaps` says in words what
    could hold an answer that nobody saw; without any, "not found" may be said.
    """

    documents: int
    pages: int
    pages_with_text: int
    sections: int
    unreadable: tuple[str, ...] = ()
    read: int = 0
    counted: int = 0
    unreadable_documents: int = 0
    gaps: tuple[str, ...] = ()
    alone: int = 0  # how many of those read were also searched on their own


@dataclass(frozen=True, kw_only=True)
class RetrievalResult:
    """Everything one retrieval found, or why it found nothing. `candidates` has all of them, primary first."""

    question: Question
    plan: Plan
    scope: tuple[DocumentSnapshot, ...]  # of each document that was read line by line
    documents: tuple[ScopeDocument, ...]  # every document of the scope
    hits: tuple[Hit, ...] = ()
    candidates: tuple[Settled, ...] = ()
    ranking: Ranking
    gates: tuple[Gate, ...] = ()
    searched: tuple[SearchedWord, ...] = ()
    coverage: Coverage
    status: Status
    not_found_reason: str = ""
    confidence: float = 0.0
    methods_used: tuple[Method, ...] = ()
    toc_shown: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    timings_ms: dict[str, float] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()  # places that were found and not judged, by their RRF rank
    parts: tuple[PartFinding, ...] = ()  # of a question that asks several things, or one in a certain case
    question_exchange: Exchange | None = None  # of the model that read the question, in thorough mode
    other_look: Exchange | None = None  # where a model looked twice: the exchange whose verdicts were not taken
    shared: Exchange | None = None  # an exchange for several questions at once, whatever came of it for this one
    headlines: tuple[ChosenSentence, ...] = ()

    def kept(self) -> tuple[Settled, ...]:
        """The candidates the answer may be written from: primary and supporting."""
        return tuple(candidate for candidate in self.candidates if candidate.verdict.role in KEPT_ROLES)
