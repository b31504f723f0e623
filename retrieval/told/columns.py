"""What the JSON columns of a stored run hold, field by field; the values they are made of say what each means."""

from typing import NotRequired, TypedDict


class StoredHit(TypedDict):
    """`retrieval.types.Hit`, its lines as first and last; runs of earlier versions lack those at the end."""

    method: str
    document_id: str
    lines: list[int]
    score: float
    matched_keywords: list[str]
    toc_index: int | None
    exact_title: bool
    co_occurrence: bool
    type_match: bool
    detail: str
    line_score: float
    part: int
    statement: str
    fetched: bool
    wanted_words: list[str]


class StoredFlag(TypedDict):
    """`retrieval.types.Flag`."""

    name: str
    on: bool
    reason: str


class StoredGate(TypedDict):
    """`retrieval.types.Gate`."""

    code: str
    name: str
    fired: bool
    evidence: str


class StoredPart(TypedDict):
    """`retrieval.types.PartFinding`."""

    text: str
    subject: str
    kind: str
    outcome: str
    candidate_ids: list[str]
    missing: list[str]
    reason: str


class StoredKeyword(TypedDict):
    """`retrieval.types.Keyword`; `language` was not always recorded."""

    text: str
    forms: list[str]
    source: str
    priority: str
    weight: float
    group: str
    language: str
    computed: bool


class StoredWord(TypedDict):
    """`retrieval.types.SearchedWord`; `carried` was not always recorded."""

    text: str
    forms: list[str]
    count: int
    carried: NotRequired[list[str]]


class StoredCoverage(TypedDict, total=False):
    """`retrieval.types.Coverage`; runs from before a scope had a table have no `read`."""

    documents: int
    pages: int
    pages_with_text: int
    sections: int
    unreadable: list[str]
    read: int
    counted: int
    unreadable_documents: int
    gaps: list[str]
    alone: int


class StoredLeftOut(TypedDict):
    """`retrieval.types.LeftOut`."""

    candidate_id: str
    document_id: str
    page_number: int
    section_title: str
    rrf_rank: int
    matched_keywords: list[str]
    reason: str


class StoredContradiction(TypedDict):
    """`retrieval.types.Contradiction`; runs from before amendments were read have the first two alone."""

    candidate_ids: list[str]
    point: str
    values: NotRequired[list[str]]
    clause: NotRequired[str]
    in_force: NotRequired[list[dict[str, str]]]  # `retrieval.types.ClauseState`
    is_conditional: NotRequired[bool]


class StoredPlan(TypedDict, total=False):
    """`retrieval.types.Plan`, with what was left out and what became of the parts; `told` has the facts of reasons.

    `headlines` are what an answer without a writer says first; runs from before they were chosen here have none.
    """

    flags: list[StoredFlag]
    left_out: list[StoredLeftOut]
    parts: list[StoredPart]
    told: dict[str, object]
    headlines: list[dict[str, object]]


class StoredQuestion(TypedDict, total=False):
    """What of `retrieval.types.Question` is read back by name; erased runs have none of it."""

    language: str
    intent: str
    shape: str
    answer_type: str
    keywords: list[StoredKeyword]
    years: list[str]
    parts: list[str]
    condition: str
    is_count: bool
    exclusions: list[str]
    parsed_by: str
    form: str
