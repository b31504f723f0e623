"""Read printed persons, parties, roles, addresses and postcodes (R77), each cut whole from its lines.

What a value of a type looks like is data (`retrieval/question/values.*.toml`, run by RE2). A pattern finds where
one is, which may be a part of it: the name around the "Ltd", the town after the street.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

from reading.matching import match_form, match_map
from reading.values.sentences import FIRM_ABBREVIATED
from reading.wording import read_once
from retrieval.question.kinds import SHIPPED
from retrieval.question.linear import compile_linear
from retrieval.question.phrasing import phrasing_rules
from retrieval.words.printed import Value, values_in
from retrieval.words.tokens import is_stop_word

NAMES = ("person", "party", "role", "address", "postcode")
# Each of these may answer a question for the type: "who" is answered by a role or a firm as well.
ANSWERED_BY = {
    "person": ("person", "role", "party"),
    "party": ("party", "person"),
    "role": ("role",),
    "address": ("address", "postcode"),
    "postcode": ("postcode",),
}
LANGUAGES = ("en", "fr", "de", "es")
UPPER = "A-ZÀ-ÖØ-Þ"
WORD = rf"[{UPPER}][\w’'-]{{0,40}}"
AFTER = re.compile(rf"\.?(?: {WORD}){{1,3}}")  # of a title or a first name
INITIAL = re.compile(rf"[a-zß-öø-ÿ] [{UPPER}]\. ")
NAMED = re.compile(rf"{WORD}\W{{1,3}}(?:\w\.\W)?{WORD}")  # two capitals at least: a title alone is nobody
# What follows a street: a town, a state, a postcode, a country, each after a comma or on the next line.
PART = re.compile(rf"(?:\.?,? ?\n|\.?, |\. (?=[A-Z]{{2}}\b))((?:[{UPPER}\d][\w’'-]{{0,30}} ?){{1,5}})(?=[,.;)\n]|$)")
STREET_NAME = re.compile(rf"\w*(?:(?:[ ’'-][a-zß-öø-ÿ]{{1,3}}){{0,3}}[ ’'-][{UPPER}]\w*){{0,6}}")
PARTS_MAX = 5
WITNESS_CHARS = 60
LINE_TO_SIGN = re.compile(r"[_.…]{3,}")  # as long as it is drawn
LOOK_BEFORE = 200  # characters in which the beginning of a firm's name is looked for
SMALL = re.compile(r"([^\W\d_]{2,})\s+")
PARTICLE = "(?:de|del|della|den|der|di|dos|du|la|las|le|los|van|von|y|zu)"
# In the line of a name: it is cut. "Ann Lee for Acme Ltd" is whole.
GOES_ON = re.compile(rf"[ \t]{{1,9}}+(?!\w+\s?:)(?:(?!for|in|as|on)[a-zß-öø-ÿ]{{1,3}}[ \t]{{1,9}}+)?[{UPPER}]")
BY_NAME = re.compile(r"\A\W{0,3}(?:\w+\W{1,3}){0,2}\Z")  # from a name to what it is called
SIGNER = rf"(?P<name>(?-i:{WORD}\.?(?:[ \t](?:{PARTICLE}[ \t]){{0,2}}(?!\w+\s?:){WORD}\.?){{1,3}}))"
FRAMES = {
    "joint": "(?:{joint})",
    "signing": rf"(?:(?<!\w)(?:{{signing}})\s{{0,3}}(?:/s/\s{{0,3}})?|/s/\s{{0,3}}){SIGNER}",
    "addressed": r"(?<!\w)(?:{addressed})\s{0,3}",
    "witness": r"\b(?:{witness})\b",
    "witnessing": r"\b(?:{witness}|{witnessing})\b",
    # "Witness" alone on a line, or "In the presence of:" over an empty one: of the name before or after
    "alone": r"""\n[ \t]*(?:{witness})\b[^\n:_]*(?:\n|:[ \t]*\n[ \t]*\n)
        |\b(?:{witnessing})[ \t]*:?[ \t]*\n[ \t]*\n""",
    "next": r"\n[ \t]*(?:\n|/s/|{signing})",
}
name_words = read_once(__name__, "names", FRAMES)

Span = tuple[int, int]


def read_values(text: str, answer_type: str, language: str = "") -> list[Value]:
    """The values of one type of answer in a text, in reading order: numbers and dates, or names."""
    return whole_names_in(text, answer_type) if answer_type in NAMES else values_in(text, answer_type, language)


def whole_names_in(text: str, answer_type: str) -> list[Value]:
    """The names that answer a question for a type, in reading order; of two at one place the longer one."""
    found = [
        Value(name, " ".join(text[first:last].split()), first, last)
        for name in ANSWERED_BY[answer_type]
        for first, last in spans_of(text, name)
    ]
    kept: list[Value] = []
    for value in sorted(found, key=lambda value: (value.start, -value.end)):
        if not kept or value.start >= kept[-1].end:
            kept.append(value)
    return kept


def spans_of(text: str, name: str) -> Iterator[Span]:
    """The characters of each value of a type."""
    for start, end in places_named(text, name):
        if span := WHOLE[name](text, *strip_span(text, start, end)):
            yield strip_span(text, *span)


@lru_cache(maxsize=16)
def places_named(text: str, name: str) -> tuple[Span, ...]:
    """Where the patterns of a type match, which are made for lines; a name may go on in the next."""
    found: set[Span] = set()
    start = 0
    for line in text.split("\n"):
        found |= {(start + first, start + last) for first, last in matches(line, name)}
        start += len(line) + 1
    return tuple(sorted(found | set(matches(text, name))))


def matches(text: str, name: str) -> Iterator[Span]:
    """The places of the patterns for what is printed, and of those for the match form."""
    matched, printed = patterns_of(name)
    if printed:
        yield from (found.span() for found in compile_linear(printed).finditer(text))
    if matched and compile_linear(matched).search(match_form(text)):  # to map a text takes a hundred times as long
        form, places = map_form(text)
        for found in compile_linear(matched).finditer(form):
            yield places[found.start()], places[found.end() - 1] + 1


@lru_cache(maxsize=64)
def map_form(text: str) -> tuple[str, tuple[int, ...]]:
    """`match_map`, cached: one line is read for several types."""
    form, places = match_map(text)
    return form, tuple(places)


def signers_in(text: str) -> list[Value]:
    """Who signs, in a block of signatures, each once: no firm, no role, and nobody who only witnesses it; none at all
    where a name would be cut, where "Witness" alone between two may be said of either, or where one who is named as a
    witness may sign as well. What says that one signs stands at the start of a line, or behind the last one.
    """
    found: dict[str, Value] = {}
    witnesses = witnesses_named(text)
    firms, roles = places_named(text, "party"), places_named(text, "role")
    name_end = last = 0
    for sign in name_words()["signing"].finditer(text):
        start, end = sign.span("name")
        before = text[last : sign.start()]
        if before.rpartition("\n")[2].strip(" \t_|"):
            if last and "\n" not in before and match_form(sign["name"]) not in found:
                return []  # a second one on the line, who may sign as well
            continue
        if name_words()["alone"].search(text[name_end : sign.start()]):
            return []
        witness_end = end_of_witness(text[end:])
        is_witness = witness_end or heads_witness(before)
        form = match_form(sign["name"])
        if (witness_end and form in found) or (not is_witness and form in witnesses):
            return []
        name_end, last = end, end + witness_end
        is_firm = any(first < end and stop > start and text[first].isupper() for first, stop in firms)
        end = min((first for first, stop in roles if first < end and stop > start), default=end)
        name = text[start : max(start, end)].rstrip()
        is_unnamed = is_firm or not NAMED.match(name) or phrasing_rules()["names_signer"].match(match_form(name))
        if is_unnamed or is_witness:
            continue
        if end == name_end and GOES_ON.match(text, end):
            return []
        found.setdefault(match_form(name), Value("person", name, start, start + len(name)))
    return [*found.values()]


def witnesses_named(text: str) -> str:
    """What stands behind the words for one who witnesses, each up to the next who signs: "by Ann Lee and Bob Ray"."""
    said = ((name_words()["witnessing"].search(part), part) for part in name_words()["next"].split(text))
    return match_form("\n".join(part[found.end() :] for found, part in said if found))


def heads_witness(before: str) -> bool:
    """Whether a text before a name says that one witnesses, and does not name another behind it: "Witness: Ann Lee"."""
    before = LINE_TO_SIGN.sub("_", before.rpartition("\n\n")[2])[-WITNESS_CHARS:]
    said = [*name_words()["witnessing"].finditer(before)]
    return bool(said) and not NAMED.search(before[said[-1].end() :].partition("\n")[0])


def end_of_witness(after: str) -> int:
    """Where the words behind a name end that call him a witness, and head no next one; 0 without any."""
    called = name_words()["witness"].search(after[:WITNESS_CHARS])
    if called is None or not BY_NAME.match(after[: called.start()]):
        return 0
    _, is_below, label = after[: called.start()].rpartition("\n")
    rest = after[called.end() :].partition("\n")[0].lstrip()
    is_heading = re.search("[:_]", rest) if is_below and not label.strip() else rest.startswith(":")
    return 0 if is_heading else called.end()


def addresses_of_block(text: str) -> list[Value]:
    """The whole addresses of a block: those it calls no more than "Address", else those it calls nothing."""
    named, unnamed = [], []
    for each in read_values(text, "address"):
        line = text[: each.start].rstrip().rpartition("\n")[2]
        label = name_words()["addressed"].search(f"{line} ")
        if text[: each.start][-1:].strip() or each.type != "address":
            continue
        if label is None:
            unnamed.append(each)
        elif not line[: label.start()].strip():
            named.append(each)
    return named or unnamed


@cache
def before_firm() -> re.Pattern[str]:
    """What may stand of a firm's name before the last word of it and "Ltd"."""
    joints = "|".join(each.pattern for each in name_words().alternatives if each.section == "joint")
    return re.compile(rf"(?<!\w)(?:(?:[{UPPER}][\w.&’'-]{{0,40}}|&|{joints})\s){{1,8}}+\Z")


@cache
def patterns_of(name: str) -> tuple[str, str]:
    return SHIPPED.join_patterns_of((name,))


# ---- from a place to the whole value


def whole_person(text: str, start: int, end: int) -> Span | None:
    """A title with the name after it, or a name with initials."""
    start = after_small_words(text, start, end)
    after = None if INITIAL.search(text, start, end) else AFTER.match(text, end)
    last = after.end() if after else end
    return (start, last) if NAMED.match(text, start, last) else None


def whole_party(text: str, start: int, end: int) -> Span:
    """A firm with all words of its name, or the word for a party."""
    is_firm = text[start].isupper() and " " in text[start:end]
    if not is_firm:
        return start, end
    before = before_firm().search(text, max(start - LOOK_BEFORE, 0), start)
    first = after_small_words(text, before.start() if before else start, end)
    is_short = text[end : end + 1] == "." and FIRM_ABBREVIATED.search(text, start, end)
    return first, end + bool(is_short)


def whole_address(text: str, start: int, end: int) -> Span:
    """From the street to the postcode, over commas and lines; without one, to the end of one more part of its line."""
    postcodes = places_named(text, "postcode")
    end = end_of_street(text, end)
    last, first_part = end, 0
    for _ in range(PARTS_MAX):
        if not (part := PART.match(text, last)):
            break
        last = len(text[: part.end(1)].rstrip())
        first_part = first_part or last
        if any(first < last and stop > part.start(1) for first, stop in postcodes):
            return start, last
    return start, first_part if first_part and "\n" not in text[end:first_part] else end


def end_of_street(text: str, end: int) -> int:
    """The end of a street's name, where a pattern ends in the midst of its first word: "rue d|e la Paix"."""
    rest = STREET_NAME.match(text, end) if text[end - 1 : end + 1].isalnum() and text[end : end + 1] else None
    return rest.end() if rest else end


def whole_term(text: str, start: int, end: int) -> Span:
    return after_small_words(text, start, end), end


WHOLE: dict[str, Callable[[str, int, int], Span | None]] = {
    "person": whole_person,
    "party": whole_party,
    "role": whole_term,
    "address": whole_address,
    "postcode": whole_term,
}


def after_small_words(text: str, start: int, end: int) -> int:
    """Where a span begins without the articles and prepositions before it: "by the manager" is "manager"."""
    while (word := SMALL.match(text, start, end)) and is_joining(word[1]):
        start = word.end()
    return start


def is_joining(word: str) -> bool:
    return any(is_stop_word(match_form(word), language) for language in LANGUAGES)


def strip_span(text: str, start: int, end: int) -> Span:
    """A span without the signs around it; a full stop is kept, which may be of an abbreviation."""
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not (text[end - 1].isalnum() or text[end - 1] == "."):
        end -= 1
    return start, end
