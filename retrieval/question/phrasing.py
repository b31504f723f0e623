"""How a question is put: instructions to the writer, where to look, what to leave out, how many questions. A leaf.

Rules only; each returns what it took and leaves the topic. The expressions read the text as typed, case ignored.
"""

import re
from typing import NamedTuple

SENTENCE_END = re.compile(r"(?<=[.?!:])\s+(?=[A-Z\d\"'(¿¡])")
INSTRUCTION = re.compile(
    r"""^(?:please\s+|kindly\s+)?(?:
        (?:you\s+are|imagine|act\s+as|assume|pretend|suppose\s+you)\b
        | (?:answer|address|respond|reply|round|give|provide|state|express|approach|utili[sz]e|use|format|write|show)\b
        | (?:base|derive|rely|solve|refer)\b | (?:calculate|compute)\s+what\b
        | (?:compute\s+or\s+extract|keep\s+(?:it|your)|be\s+(?:brief|concise)|do\s+not|don'?t|limit\s+your|cite|quote)\b
        | (?:we|i)\s+(?:need|want|would\s+like)\s+to\s+(?:calculate|compute|know|find|determine)\s+(?:a|an|the)?
          [^.?]*(?:metric|approximation|number)[^.?]*\.?$
        | your\s+(?:answer|response|task|only)
        | (?:help|explain)\s+(?:us|your)
        | if\s+[^?]*\b(?:is\s+not|isn'?t|are\s+not|not\s+meaningful|cannot)\b[^?]*\b(?:state|explain|say)\b
        | (?:reponds?|repondez|répond\w*|antworte|responde)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
ANNOUNCED = re.compile(
    r"\b(?:here'?s|here\s+is)\s+the\s+question\s*:\s*|\banswer\s+the\s+following\s+question\s*:\s*", re.IGNORECASE
)
LEAD_IN = re.compile(
    r"""^(?:please\s+)?(?:
        (?:according\s+to|based\s+on|considering|(?:by\s+|only\s+)?(?:using|relying|referring|referencing|drawing\s+on)
            |looking\s+at|going\s+by|in\s+light\s+of|judging\s+by|taking\s+into\s+account|in\s+agreement\s+with)
        | (?:basing|base)\s+your\s+\w+\s+(?:off\s+of|off|on|by)
        | by\s+drawing\s+conclusions\s+from | (?:when\s+)?primarily\s+referencing | when\s+\w+\s+referencing
        | answer\s+the\s+following\s+question\s+as | from\s+the\s+perspective
    )\b[^,?]*?,\s*(?=\S)""",
    re.IGNORECASE | re.VERBOSE,
)
ASIDE = re.compile(
    r"""(?<![\s;,])[;,]?\s*\bif\s+(?>(?:(?!\bif\b)[^.?;]){0,80}?\b(?:not|isn'?t)\b)[^.?;]{0,100}?\b(?:state|explain|say)\b[^.?;]*
        | (?<![\s,]),?\s*\bby\s+(?:primarily\s+)?(?:using|relying\s+on|referencing)\s+[^.?,]*
        | \(?\bin\s+units\s+of\s+\w+(?:\s+and\s+round\s+to\s+[^)?.,]*)?\)?
        | \(?\b(?:and\s+)?round(?:ed)?\s+(?:it\s+|your\s+answer\s+)?to\s+[\w\s-]*(?:decimals?|places?|digits?|whole\s+number|percent)\b\)?
        | \(\s*in\s+[A-Z]{3}(?:\s+\w+)?\s*\) | \bin\s+[A-Z]{3}\s+(?:thousands?|millions?|billions?)\b
        | \bto\s+the\s+best\s+of\s+your\s+abilities\b | \bplease\b | \bif\s+possible\b
        | \banswer\s+the\s+following\s+question\b\s*:?""",
    re.IGNORECASE | re.VERBOSE,
)
# The document's parts an instruction may point at; kept as words to search, because they name where to look.
NAMED_PARTS = re.compile(
    r"""\b(?:(?:consolidated\s+)?(?:balance\s+sheets?|income\s+statements?|cash\s+flows?\s+statements?|
        statements?\s+of\s+(?:financial\s+position|financial\s+condition|cash\s+flows?|income|operations|earnings))
        | p\s?&\s?l(?:\s+statement)? | (?:table|figure|fig\.?|appendix|annex|exhibit|schedule|note|article)\s+[A-Z\d][\w.]*)""",
    re.IGNORECASE | re.VERBOSE,
)
PAGES = re.compile(
    r"""\b(?:on\s+|at\s+|from\s+|in\s+)?(?:pages?|pp?\.|seiten?|p[aá]ginas?)\s*
        (\d{1,4}(?:\s*(?:-|–|to|until|through|thru|and|&|,|à|a|et|bis|und|y)\s*(?:pages?\s*)?\d{1,4})*)""",
    re.IGNORECASE | re.VERBOSE,
)
PAGE_SPAN = re.compile(r"(\d{1,4})\s*(?:-|–|to|until|through|thru|à|a|bis)\s*(?:pages?\s*)?(\d{1,4})", re.IGNORECASE)
PAGES_MAX = 50  # "pages 1 to 9999" must not pin a whole book
SECTION = re.compile(
    r"""\b(?:in|under|of|from|does|see)?\s*(?:the\s+)?(?:
        (?:section|chapter|clause|article|§)\s+["“']?(?P<number>[A-Z]?\d+(?:\.\d+)*[a-z]?)\b
        | (?:section|chapter)\s+(?:called|named|titled|on|about)?\s*["“'](?P<title>[^"”']{3,80})["”']
        | (?:appendix|annex)\s+(?P<annex>[A-Z\d]{1,3})\b)""",
    re.IGNORECASE | re.VERBOSE,
)
LAYOUT = re.compile(
    r"\b(?P<table>tables?|tableau|tabelle|tabla)\b|\b(?P<figure>figures?|fig\.|chart|diagram|graph)\b", re.IGNORECASE
)
EXCLUDED = re.compile(
    r"""(?:,\s*(?:but\s+)?not | \bbut\s+not | \bexcluding | \bexcept(?:\s+for)? | \bother\s+than | \bnot\s+including
        | \bsauf | \bmais\s+pas | \bausser | \baußer | \bexcepto)\s+(?P<what>[^,;.?]{2,80})""",
    re.IGNORECASE | re.VERBOSE,
)
QUESTION_STARTS = r"(?:what|which|who|whom|where|when|why|how|does|do|did|is|are|was|were|can|could|will|has|have)"
PART_BREAK = re.compile(
    rf"(?<!\s)\s*(?:[,;]\s*)?\b(?:and|but)\s+(?:also\s+)?(?={QUESTION_STARTS}\b)|(?<=\?)\s+(?=[^?]*\?)", re.IGNORECASE
)


class Phrasing(NamedTuple):
    """The topic of a question, and what was said around it."""

    topic: str
    instructions: tuple[str, ...]
    named_parts: tuple[str, ...]
    exclusions: tuple[str, ...]


def read_phrasing(text: str) -> Phrasing:
    """Take instructions and exclusions out of a question (R24). A question that is nothing else is kept whole."""
    *before, question = ANNOUNCED.split(text)
    sentences = [said.strip() for said in SENTENCE_END.split(question) if said.strip()]
    instructions: list[str] = [said.strip() for said in before if said.strip()]
    topics: list[str] = []
    for sentence in sentences:
        (instructions if is_instruction(sentence) else topics).append(sentence)
    for expression in (LEAD_IN, ASIDE):
        instructions += [found.group().strip(" ,;()") for said in topics for found in expression.finditer(said)]
        topics = [expression.sub(" ", said).strip() for said in topics]
    topic = " ".join(topics)
    exclusions = [found.group("what").strip() for found in EXCLUDED.finditer(topic)]
    topic = " ".join(EXCLUDED.sub(" ", topic).split())
    if not re.search(r"\w{2}", topic):
        return Phrasing(text, (), (), ())
    named = dict.fromkeys(found.group() for said in instructions for found in NAMED_PARTS.finditer(said))
    return Phrasing(topic, tuple(instructions), tuple(named), tuple(exclusions))


def is_instruction(sentence: str) -> bool:
    return bool(INSTRUCTION.match(sentence)) and not sentence.rstrip("\"')").endswith("?")


def pages_named(text: str) -> tuple[int, ...]:
    """Every page a question names, ranges spelled out: "pages 5 to 7" is 5, 6, 7."""
    pages: list[int] = []
    for found in PAGES.finditer(text):
        said = found.group(1)
        for first, last in PAGE_SPAN.findall(said):
            pages += range(int(first), min(int(last), int(first) + PAGES_MAX - 1) + 1)
        pages += [int(number) for number in re.findall(r"\d+", PAGE_SPAN.sub(" ", said))]
    return tuple(dict.fromkeys(page for page in pages if page > 0))


def without_pages(text: str) -> str:
    return " ".join(PAGES.sub(" ", text).split())


def section_named(text: str) -> str:
    """The number or title of the section a question names, or ""."""
    found = SECTION.search(text)
    return next((said for said in found.groups() if said), "") if found else ""


def layout_named(text: str) -> str:
    """ "table" or "figure" when the question speaks of one, else ""."""
    found = LAYOUT.search(text)
    return found.lastgroup or "" if found else ""


def split_parts(topic: str) -> tuple[str, ...]:
    """The questions inside a compound question, or () when it is one (R22)."""
    parts = [part.strip(" ,;") for part in PART_BREAK.split(topic)]
    return tuple(part for part in parts if part) if len(parts) > 1 else ()
