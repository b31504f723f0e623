"""Split a question into its topic and its phrasing: instructions, where to look, exclusions, several questions.

Rules only: each returns the matched text and removes it from the topic. Words are data in
`phrasing.<language>.toml`; the frames around them are here. Matching ignores case.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple, get_args

from reading.matching import match_form
from reading.registry.references import LABEL, ROW_NAMES, ROWS, Reference, one_of_names, references_in
from reading.registry.references import NAMES as OBJECT_NAMES
from reading.values.sentences import QUESTION_SENTENCE
from reading.values.years import YEAR
from reading.wording import read_once
from retrieval.types import OBJECT_KINDS, NamedThing, PartKind, ReadAround
from retrieval.words.counts import read_count
from retrieval.words.statements import names_in
from retrieval.words.tokens import is_stop_word

COURTEOUSLY = r"(?:(?:{courtesy})(?:\s*,\s*|\s+))?"
SPOKEN_OF = r"[^?]{0,300}?\b(?:{answer})\b"
# What to do when there is no answer: "if it is not useful, then state that and explain why".
OTHERWISE = r"""\b(?:{conditional})\s+(?>(?:(?!\b(?:{conditional})\b)[^.?;]){0,80}?\b(?:{negation})\b)
    [^.?;]{0,100}?(?:,|\b(?:{then})\b)\s*(?:(?:{then}|{courtesy})\s+){0,3}(?:{fallback})\b[^.?;]*"""
NUMBER, TITLE, LETTER = (
    r"""(?:{section})\s+["“']?(?P<number>[A-Z]?\d+(?:\.\d+)*[a-z]?)\b""",
    r"""(?:{titled_section})\s*["“'](?P<title>[^"”']{3,80})["”']""",
    r"(?:{annex})\s+(?P<annex>[A-Z\d]{1,3})\b",
)
NEXT_QUESTION = r"(?<!\s)\s*(?:[,;]\s*)?\b(?:{joining})\s+(?=(?:(?:{sequence})\b,?\s+)?(?:{question_word})\b)"
NEXT_STEP = r"(?<!\s)\s*[,;]\s*(?=(?:{sequence})\b,?\s+(?:{question_word})\b)"
# "What is the rent, and the deposit?": the second thing is asked for with the words of the first.
SAME_QUESTION = r"""^(?P<head>(?:{asking})\s+)(?P<first>[^,;?]+),\s*(?:{joining})\s+
    (?P<second>(?=(?:{determiner}))[^,;?]+)(?P<end>\s*\??)$"""
OBJECT = one_of_names(tuple(name for kind in OBJECT_KINDS for name in OBJECT_NAMES[kind]))
ITS_LABEL = r"\.?\s+(?-i:" + LABEL + r")(?!\w)"
POINTING_AT = r"\b(?:(?:{locating})\s+(?:{article})|(?:{contracted})\s+)(?P<which>(?:[\w-]+\s+){0,2}?)"
# "in the table", "in the second table"; "in a table" says how to answer, not where to look.
CAPITALISED = r"(?-i:[A-ZÀ-ÖØ-Þ][\w’'&/-]{0,40})"
TITLE_WORDS = rf"{CAPITALISED}(?:[,;]?\s(?:(?-i:[a-z]{{1,3}})\s){{0,2}}{CAPITALISED})"  # and as many more as follow it
LOCATED = POINTING_AT + r"(?:(?P<table>{table})|(?P<figure>{figure})|(?P<appendix>{annex}))(?!\w)(?!" + ITS_LABEL + ")"
NAMED = r"\b(?:{locating}|{contracted})\s+(?:{article})?(?:" + OBJECT + ")" + ITS_LABEL
NAMED += r"(?:\s*,?\s*(?:" + ROW_NAMES + r")\s*(?:" + ROWS + "))?"
AROUND = r"""(?:(?P<line>{line})|(?P<paragraph>{paragraph})|(?P<section>{section_whole})|(?P<page>{page_whole})
    |(?P<chapter>{chapter_whole})|(?P<document>{document_whole}))(?!\w|\s*\d)"""
CLAUSE_ENDS = r"(?=\s*(?:[.,;:?!)]|\Z|\b(?:{joining})\b))"
# Only what is asked for in so many words: "show me the whole section on rent", ", with the full page", a sentence of
# its own. In any other place the same words name a thing: "who may strike the whole section".
AROUND_ASKED = rf"""(?:(?P<begins>(?:\A|(?<=[.?!:]\s))¿?+(?:(?:{{courtesy}})(?:\s*,\s*|\s+))?+)
    |(?<!\s)(?:\s*[,;]\s*(?:(?:{{joining}})\s+)?+|\s+(?:{{joining}})\s+))
    (?:(?:{{showing_us}})\s+|(?P<plainly>(?:{{showing}})\s+)|(?P<along>(?:{{along}})\s+)|(?(begins)(?P<alone>)|(?!)))
    {AROUND}(?(alone)(?=\s*(?:[.!]|\Z))|(?(along){CLAUSE_ENDS}|(?:\s+(?:{{concerning}})\b|{CLAUSE_ENDS})))"""
COUNTED = r"(?:\d{1,3}|[^\W\d_]{2,12})"
# "with 2 lines before and five after"
BESIDE = rf"""\b(?:{{showing_us}}|{{showing}}|{{along}}|{{joining}})\s+(?:{{article}})?(?P<count>{COUNTED})
    \s+(?:{{lines}})\s+(?:(?P<before>{{above}})|(?P<after>{{below}}))
    (?:\s*(?:,|\b(?:{{joining}}))\s+(?:{{article}})?(?P<second>{COUNTED})\s+(?:(?:{{lines}})\s+)?
    (?:(?P<then_before>{{above}})|(?P<then_after>{{below}})))?(?=\s*(?:[.,;:?!)]|\Z|\b(?:{{joining}})\b))"""
# A page as people name it: a number, a Roman one (no "I", which asks), or one with letters before it, as "A-3".
PAGE = r"(?:\d{1,5}|(?!(?-i:I)\b|l\b)(?=[ivxl])(?:xl|l?x{0,3})(?:ix|iv|v?i{0,3})|(?-i:[A-Z]{1,2})[-–.]\d{1,4})(?!\w)"
# "Where is the premium shown?": not only where the thing itself is.
ASKED_WHERE = r"\A(?>.*?\b(?:{where})\b).*\b(?:{shown})\b"
# A side of a contract that must or may: "must the tenant pay", "the tenant shall pay", not "must the tenant be told".
UNDERGOING = r"(?!\s++(?:not\s++)?+(?:{undergoing})\b)"
OBLIGED = rf"""\b(?P<asked>(?:{{obliging}})\s++(?:{{determiner}})?+)?+
    (?:(?P<paying>{{paying_side}})|(?P<delivering>{{delivering_side}}))s?+\b(?!['’])
    (?(asked){UNDERGOING}|\s++(?=(?:{{obliging}})\b{UNDERGOING}))"""
# A sentence that leaves its value to another place: "is set out in Schedule 2", "ist in Anlage 2 festgelegt".
THING = "(?:" + one_of_names(tuple(name for names in OBJECT_NAMES.values() for name in names)) + ")" + ITS_LABEL
UP_TO_IT = r"\s+(?:[\w-]+\s+){0,3}?(?:l['’])?"
DEFERRED = rf"""\b(?:(?:{{deferring}}){UP_TO_IT}(?P<after>{THING})
    |(?:{{deferring_within}}){UP_TO_IT}(?P<within>{THING})(?=(?:\s+\w+){{0,3}}?\s+(?:{{deferred}})(?!\w)))
    (?!\s+(?:{{elsewhere}}))"""
# Which slots the entries of each section fill; the last ones combine several sections.
FOLLOWING_WORD = re.compile(r"\s+(\w+)")
FRAMES = {
    "courtesy": r"\b(?:{courtesy})\b",
    "role": rf"^{COURTEOUSLY}(?:{{role}})\b",
    "order": rf"^{COURTEOUSLY}(?:{{order}})\b",
    "answer": f"^{SPOKEN_OF}",
    "conditional": OTHERWISE,
    "negation": OTHERWISE,
    "then": OTHERWISE,
    "fallback": OTHERWISE,
    "announced": r"\b(?:{announced})\b[^.?:]{0,80}:\s*",
    "lead_in": rf"^{COURTEOUSLY}(?:{{lead_in}})\b[^,?]*?,\s*(?=\S)",
    "aside": r"{aside}",
    "part": r"\b(?:{part})",
    "page": rf"""\b(?:{{page}})\s*(?P<pages>(?:{PAGE}|(?-i:[A-Z]{{1,2}})\d{{1,4}}(?!\w))
        (?:\s*(?:-|–|&|,|{{page_to}}|{{page_and}})\s*(?:(?:{{page}})\s*)?{PAGE})*)
        (?P<file>\s+(?:{{page_of_file}}))?""",
    "page_to": r"\d\s+(?:{page_to})\s+\d",
    "page_and": r"\d\s+(?:{page_and})\s+\d",
    "page_of_file": r"\d\s+(?:{page_of_file})\b",
    "section": rf"\b\s*{NUMBER}",
    "titled_section": rf"\b\s*{TITLE}",
    "annex": rf"\b\s*{LETTER}",
    "numbered": r"(?<!\w)(?:{numbered})[\s:#]*(?P<number>\d{3,8})(?![\w%]|[.,]\d)",
    "table": r"\b(?:{table})\b",
    "figure": r"\b(?:{figure})\b",
    "owner": r"\b(?:{owner})(?=\w)",
    "which": r"\b(?:{which})(?=\w)",
    "locating": f"{LOCATED} | {NAMED}",
    "contracted": LOCATED,
    "article": LOCATED,
    "showing": AROUND_ASKED,
    "showing_us": AROUND_ASKED,
    "along": AROUND_ASKED,
    "concerning": AROUND_ASKED,
    "line": AROUND_ASKED,
    "paragraph": AROUND_ASKED,
    "section_whole": AROUND_ASKED,
    "page_whole": AROUND_ASKED,
    "chapter_whole": AROUND_ASKED,
    "document_whole": AROUND_ASKED,
    "lines": BESIDE,
    "above": BESIDE,
    "below": BESIDE,
    "where": ASKED_WHERE,
    "shown": ASKED_WHERE,
    "exclusion": r"(?:{exclusion})\s+(?P<what>[^,;.?]{2,80})",
    "joining": NEXT_QUESTION,
    "question_word": NEXT_QUESTION,
    "sequence": r"^(?:{sequence})\b,?\s+",
    "first_step": r"^(?:{first_step})\b,?\s+",
    "asking": r"^(?:{asking})\s",
    "determiner": r"^(?:{determiner})",
    "paired": r"\b(?:{paired})\b",
    "leaning": r"\b(?:{leaning})\b",
    "condition": r"\b(?:{condition})\s",
    "reporting": r"\b(?:{reporting})\s+(?:{condition})\s",
    # An instruction is recognised by its grammar: a role, an order to the reader, or talk about the answer itself.
    "instruction": rf"^{COURTEOUSLY}(?:(?:{{role}})\b | (?:{{order}})\b | {OTHERWISE} | {SPOKEN_OF})",
    "remark": rf"{{aside}} | (?<![\s;,])[;,]?\s*{OTHERWISE}",
    "page_span": rf"(?P<first>{PAGE})\s*(?:-|–|{{page_to}})\s*(?:(?:{{page}})\s*)?(?P<last>{PAGE})",
    "place": rf"\b\s*(?:{NUMBER} | {TITLE} | {LETTER})",
    "layout": r"\b(?P<table>{table})\b | \b(?P<figure>{figure})\b",
    "located": LOCATED,
    "named": NAMED,
    "around": AROUND_ASKED,
    "beside": BESIDE,
    "beside_asked": rf"""(?:(?<!\s)\s*[,;]\s*)?+(?:\b(?:{{joining}})\s+)?{BESIDE}""",
    "part_break": rf"{NEXT_QUESTION} | {NEXT_STEP} | (?<!\s)\s*;\s*(?=(?:{{question_word}})\b) | (?<=\?)\s+(?=[^?]*\?)",
    "same_question": SAME_QUESTION,
    "condition_before": r"^(?:{condition})\s+(?P<said>[^,?;]{3,100}),\s*(?:(?:{then})\s+)?(?=\S)",
    "condition_after": r"(?<=\S),?\s+\b(?:{condition})\s+(?P<said>[^,?;]{3,100}+)(?=\s*\??$)",
    "permission": r"^(?:{permission})\b",
    "circumstance": r"(?<!\s)\s+(?:{circumstance})\s",
    "allowing": r"^(?:{allowing})$",
    "spanning": r"^(?:{spanning})$",
    "ruling": r"\b(?:{ruling})\b",
    "binding": r"\b(?:{binding})\b",
    "excepting": r"\b(?=[^\W\d]{2}|[aà]\s|[ns]')(?:{excepting})\b",  # one letter: "à moins que", "n'est", "s'il"
    "reasoning": r"\b(?:{reasoning})(?!\w)",
    "denial": r"\b(?:{negation})\b",
    "settling": r"\b(?:{settling})\b",
    "doing": r"\b(?:{doing})\b",
    "obliging": OBLIGED,
    "undergoing": r"\b(?:{undergoing})\b",
    "undergone": r"\b(?:{undergone})\b",
    "paying_side": OBLIGED,
    "delivering_side": OBLIGED,
    "summing": r"^(?:{summing})$",
    "fronted": r"^\W*(?:{fronted})",
    "dating": r"^(?:{dating})$",
    "asks_all_parties": r"\A\W*(?:{asks_all_parties})\W*\Z",
    "asks_own_date": r"\A\W*(?:{asks_own_date})\W*\Z",
    "asks_when_made": r"\A\W*(?:{asks_when_made})\W*\Z",
    "names_period": r"\A(?:{determiner})?(?:{names_period})\Z",
    "names_term": r"\A(?:{determiner})?(?:{names_term})\Z",
    "names_currency": r"\A(?:{determiner})?(?:{names_currency})\Z",
    "names_signer": r"\A(?:{determiner})?(?:{names_signer})\Z",
    "limited": r"\A[\W\d]*(?:{limited})",
    "relating": r"\b(?:{relating})(?!\w)",
    "portion": r"\b(?:{portion})\b",
    "moment": r"\b(?:{moment})\b",
    "occurring": r"\b(?:{occurring})(?!\w)",
    "adding": r"\b(?:{adding})\b",
    "opening": rf"\A[\W\d]*+(?!(?:{{opening}})\b){TITLE_WORDS}{{0,9}}?[,;:]?\s(?={CAPITALISED})(?=(?:{{opening}})\s)",
    "deferring": DEFERRED,
    "deferring_within": DEFERRED,
    "deferred": DEFERRED,
    "elsewhere": rf"{THING}\s+(?:{{elsewhere}})",
    "which_one": r"^¿?(?:\w+\s+)?(?:{which_one})\b",
    "subject": r"^(?:(?:{asking})\s+)?(?:{determiner})?",
}
phrasing_rules = read_once(__name__, "phrasing", FRAMES)


class AskedPart(NamedTuple):
    """One question of several, and whether it leans on the one before it (sequential)."""

    text: str
    kind: PartKind


class Phrasing(NamedTuple):
    """The topic of a question, and the text removed around it."""

    topic: str
    instructions: tuple[str, ...]
    named_parts: tuple[str, ...]
    exclusions: tuple[str, ...]


def read_phrasing(text: str) -> Phrasing:
    """Remove instructions and exclusions from a question (R24), unless nothing else would be left."""
    expressions = phrasing_rules()
    *before, question = expressions["announced"].split(text)
    sentences = [said.strip() for said in QUESTION_SENTENCE.split(question) if said.strip()]
    instructions: list[str] = [said.strip() for said in before if said.strip()]
    topics: list[str] = []
    for sentence in sentences:
        is_instruction = expressions["instruction"].match(sentence) and not sentence.rstrip("\"')").endswith("?")
        (instructions if is_instruction else topics).append(sentence)
    for expression in (expressions["lead_in"], expressions["remark"]):
        instructions += [found.group().strip(" ,;()") for said in topics for found in expression.finditer(said)]
        topics = [expression.sub(" ", said).strip() for said in topics]
    topic = " ".join(topics)
    exclusions = [found.group("what").strip() for found in expressions["exclusion"].finditer(topic)]
    topic = " ".join(expressions["exclusion"].sub(" ", topic).split())
    if not re.search(r"\w{2}", topic):
        return Phrasing(text, (), (), ())
    named = dict.fromkeys(part for said in instructions for part in parts_named(said))
    return Phrasing(topic, tuple(instructions), tuple(named), tuple(exclusions))


def parts_named(text: str) -> list[str]:
    """The parts of a document a text mentions: its statements, "Exhibit 4"."""
    return names_in(text) + [found.group() for found in phrasing_rules()["part"].finditer(text)]


def numbers_named(text: str, language: str) -> list[str]:
    """Numbers that name a thing: "account 2098", "credit note 312", but not "order 500 boxes"."""
    named = []
    for found in phrasing_rules()["numbered"].finditer(text):
        following = FOLLOWING_WORD.match(text, found.end())
        if YEAR.fullmatch(found["number"]) or not following or is_stop_word(match_form(following[1]), language):
            named.append(found["number"])
    return named


def asks_for_parties(asked: str) -> bool:
    """Whether a text in match form asks who the parties of a document are, and nothing else: also a field's name."""
    return bool(phrasing_rules()["asks_all_parties"].match(asked))


def asks_for_own_date(asked: str) -> bool:
    """Whether a text in match form asks for the date of the agreement itself, and no other: also a field's name."""
    return bool(phrasing_rules()["asks_own_date"].match(asked))


def asks_of_preamble(asked: str) -> bool:
    """Whether the preamble of an agreement answers: it names the parties and the date."""
    return asks_for_parties(asked) or asks_for_own_date(asked)


def section_named(text: str) -> str:
    """The number or title of the section a question names, or ""."""
    found = phrasing_rules()["place"].search(text)
    return next((said for said in found.groups() if said), "") if found else ""


def find_front(topic: str, language: str) -> str:
    """The words, in match form, in which a question tells what it asks for ("which model", "how does"), or ""."""
    found = phrasing_rules().in_language("fronted", language).match(match_form(topic))
    return found[0] if found else ""


def layout_named(text: str) -> str:
    """ "table" or "figure" if the question mentions one, else ""."""
    found = phrasing_rules()["layout"].search(text)
    return found.lastgroup or "" if found else ""


def objects_named(text: str) -> tuple[NamedThing, ...]:
    """The figures, tables, appendices and the like a question points to (R21): "Table 3 row (E)" is one of them, "in
    the table" any table, with an empty label.
    """
    named = [each for each, _, _ in references_in(text) if each.kind in OBJECT_KINDS]
    kinds = [found.lastgroup or "" for found in phrasing_rules()["located"].finditer(text)]
    found = [NamedThing(each.kind, each.label, each.row) for each in named] + [NamedThing(kind) for kind in kinds]
    return tuple(dict.fromkeys(found))


def deferrals_in(text: str) -> Iterator[tuple[Reference, str, str]]:
    """What a text says its values stand in ("is set out in Schedule 2"), with the text before and after that."""
    text = " ".join(unicodedata.normalize("NFKC", text).split())  # letters that are printed as one
    for found in phrasing_rules()["deferring"].finditer(text):
        start = found.start("after") if found["after"] else found.start("within")
        reference, _, end = next(references_in(text[start:]))
        yield reference, text[: found.start()], text[start + end :]


def asks_where(text: str) -> bool:
    """Whether a question asks where in the documents something stands."""
    return bool(phrasing_rules()["where"].search(text))


def around_asked(text: str) -> ReadAround:
    """How much a question asks to have read around what is found (R71): "the whole section"; "" if it does not say."""
    found = next(requests_around(text), None)
    return next((size for size in get_args(ReadAround) if size and found[size]), "") if found else ""


def requests_around(text: str) -> Iterator[re.Match[str]]:
    """The requests of a question to read more than the place itself. A bare verb inside a sentence is one only after a
    question for a thing: "what is the rent, and quote the whole clause", not "must I sign and quote the whole clause".
    """
    expressions = phrasing_rules()
    asks_thing = bool(expressions["asking"].match(text))
    for found in expressions["around"].finditer(text):
        if asks_thing or not found["plainly"] or found["begins"] is not None:
            yield found


def lines_beside_asked(text: str) -> tuple[int, int]:
    """How many lines a question asks to have read before and after what is found (R21); 0 where it does not say."""
    found = phrasing_rules()["beside"].search(text)
    if not found:
        return 0, 0
    first, second = number_said(found["count"]), number_said(found["second"] or "")
    before = first if found["before"] else second if found["then_before"] else 0
    after = first if found["after"] else second if found["then_after"] else 0
    return before, after


def number_said(text: str) -> int:
    return int(text) if text.isdecimal() else read_count(match_form(text))


def split_scope(topic: str) -> tuple[str, tuple[str, ...]]:
    """A topic without what only says where to look and how much to read, and what was taken out of it (R21)."""
    asked = [*requests_around(topic)]
    said = [found.group().strip(" ,;") for found in asked]
    for found in reversed(asked):
        topic = f"{topic[: found.start()]} {topic[found.end() :]}"
    beside = ("beside_asked",) if any(lines_beside_asked(topic)) else ()
    for name in (*beside, "located", "named"):
        expression = phrasing_rules()[name]
        said += [found.group().strip(" ,;") for found in expression.finditer(topic)]
        kept = r" \g<which> " if "which" in expression.groupindex else " "  # "in the fee table" asks for a fee
        topic = " ".join(expression.sub(kept, topic).split()).rstrip(" .,;")
    return topic, tuple(said)


def split_parts(topic: str) -> tuple[AskedPart, ...]:
    """The questions inside a compound question, () if there is only one (R22)."""
    expressions = phrasing_rules()
    found = expressions["same_question"].match(topic)
    if found and not expressions["paired"].search(found["first"]):
        texts = [f"{found['head']}{found[name].strip()}{found['end']}" for name in ("first", "second")]
    else:
        texts = [text for part in expressions["part_break"].split(topic) if (text := part.strip(" ,;"))]
    return tuple(map(read_part, texts, range(len(texts)))) if len(texts) > 1 else ()


def read_part(text: str, number: int) -> AskedPart:
    """A part without its "first" or "then". After "then", or with "it" and the like, it leans on the one before."""
    expressions = phrasing_rules()
    whole = expressions["sequence" if number else "first_step"].sub("", text)
    leans = number > 0 and (whole != text or expressions["leaning"].search(whole) is not None)
    return AskedPart(whole, "sequential" if leans else "independent")


def split_condition(topic: str) -> tuple[str, str]:
    """The case in which something is asked, and what is asked; "" and the topic where no case is named (R22)."""
    expressions = phrasing_rules()
    for name in ("condition_before", "condition_after"):
        found = expressions[name].search(topic)
        if found and not expressions["reporting"].search(topic):
            return found["said"].strip(), f"{topic[: found.start()]}{topic[found.end() :]}".strip()
    return "", topic


def name_subject(part: str) -> str:
    """What a part is about, for people: "notice period" of "What is the notice period?"."""
    said = part.strip(" ?.,;")
    return phrasing_rules()["subject"].sub("", said, count=1) or said
