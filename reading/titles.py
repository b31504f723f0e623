"""What a document is called: what its first pages print about it, before what the file declares.

A filing is called by its registrant, form and period, an agreement by its title line, parties and date, a release of
results by its company and what it announces, anything else by its largest print.

The metadata of the file is believed where the pages print it or print no title. A name a person gave is kept.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from reading.layout.kinds import numbering_of
from reading.layout.lines import PageLine
from reading.layout.traced import TracedText, TracedValue, trace
from reading.matching import match_form
from reading.rows import UNSEARCHED_KINDS
from reading.values.months import MONTH
from reading.values.sentences import PARTY_ABBREVIATED
from reading.values.years import YEAR_DIGITS, YEAR_WORD

TITLE_CHARS = 120  # what fits on one line of a list
FIRST_PAGES = 3
FIRST_LINES = 300  # of one page; a page of a spreadsheet has thousands
LETTERS_MIN = 4
CREDIBLE_CHARS = 200  # anything longer is a paragraph
TITLE_LINES = 4
TOP_LINES = 12  # a title line without a preamble after it is a title only at the top of the first page
PREAMBLE_CHARS, PARTIES_CHARS, DATE_CHARS = 1_500, 1_200, 500
PARTY_CHARS, PARTY_WORDS = 70, 9
SAME_SIZE = 0.5  # points
SHORT_LINE = 0.75  # of where the text ends on the right
LARGER = 1.15  # times the size most of the text has
TITLE_GAP = 2.4  # times the size: title lines are often set with double spacing
DECLARED_LINES = 3  # lines in a row that must have the words of a declared title
UPPER_SHARE = 0.8

# What programs write as a file's title if nobody gave one.
NO_TITLE = re.compile(
    r"^(?:microsoft (?:word|powerpoint|excel)|powerpoint presentation|untitled|(?:document|slide|presentation) ?\d*$)"
    r"|\.(?:pdf|docx?|pptx?|xlsx?|indd|tex|dvi|qxd|txt|html?)$",
    re.IGNORECASE,
)
DATE = re.compile(
    rf"\b(?:{MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?,? ?{YEAR_DIGITS}"
    rf"|\d{{1,2}}(?:st|nd|rd|th|er|\.)? (?:day of )?{MONTH},? {YEAR_DIGITS})\b",
    re.IGNORECASE,
)
DAY_OF = re.compile(r"(\d{1,2})(?:st|nd|rd|th)? day of (\w+),? (\d{4})", re.IGNORECASE)

FORM = re.compile(
    r"(?:(?P<kind>form|schedule) (?P<form>\d{1,2}-[A-Z]{1,3}|[A-Z]{1,2}-\d{1,2}|\d{1,2}[A-Z])(?P<change>/A)? ?)+",
    re.IGNORECASE,
)
CHARTER = re.compile(
    r"\b(?:exact )?name of (?:the )?(?:registrant|issuer|company) as (?:specified|it appears) in", re.IGNORECASE
)
COVER_WORDS = re.compile(
    r"united states|securities and exchange|washington, d\.?c|commission file|table of contents|\(?mark one|"
    r"(?:annual|quarterly|transition|current) report|form |schedule |or$|date of |pursuant |_+$|.*\d{4}",
    re.IGNORECASE,
)
PERIOD = re.compile(
    r"\b(?P<period>(?:(?:fiscal |financial )?(?:year|quarter)|quarterly period|(?:three|six|nine) months) ended"
    r"|exercice (?:social )?clos le|geschäftsjahr zum):? ",
    re.IGNORECASE,
)
EVENT = re.compile(r"\bdate of (?:the )?report\b(?: \(date of(?: the)? earliest event reported\))?:? ?", re.IGNORECASE)

AGREEMENT = re.compile(
    r"\b(?:agreement|contract|covenant|deed|lease|licen[cs]e|memorandum of understanding|letter of intent|amendment"
    r"|addendum|statement of work|indenture|guarant(?:y|ee)|undertaking|terms (?:of|and)|accord|contrat|convention|bail"
    r"|avenant|vertrag|\w{1,30}vertrag|vereinbarung|\w{1,30}vereinbarung|contrato|acuerdo|convenio)\b",
    re.IGNORECASE,
)
BETWEEN = re.compile(
    r"\b(?:(?:by and )?(?:between|among|amongst)(?: and among)?|entre(?: les soussign[ée]e?s)?|zwischen)\b"
    r"(?! the parties)|\bPARTIES\b",
    re.IGNORECASE,
)
PREAMBLE = re.compile(
    r"\b(?:between|among|amongst|entre|zwischen|parties|soussign[ée]e?s|this agreement|dear)\b", re.IGNORECASE
)
AND = {"entre": "et", "zwisc": "und"}
NOT_IN_TITLE = re.compile(
    r"(?:exhibit|annex|appendix|annexe|schedule|between|by and|among|and|entre|recitals|parties|background|whereas|this"
    r"|the company|confidential|strictly|personal|table|contents|execution|draft|quicklinks|for immediate)\b|[\[(_*]"
    rf"|.*[:;]|.*{YEAR_DIGITS}",
    re.IGNORECASE,
)
PREAMBLE_END = re.compile(
    r"\b(?:WHEREAS|WITNESSETH|RECITALS|R E C I T A L S|BACKGROUND|NOW,? THEREFORE|PRÉAMBULE|Attendu)\b"
    r"|(?<=[)”\"])\. (?=[A-Z])"
)
DEFINED_TERM = re.compile(r"\([^()\"“”«]{0,60}[\"“”«][^()]{0,80}\)")
MARK = re.compile(r"[\"“”„«»]")
LINKED = re.compile(r"\b(?:to|of|and|the|for|à|au|de|du|et|zum|zur|und)$", re.IGNORECASE)
LIST_MARK = re.compile(
    r"(?:\(?[0-9A-Z]{1,2}[.)]|[,;:) ]|(?:and|et|und|among)\b(?! ?[.&])|on the (?:one|other) hand\b)+", re.IGNORECASE
)
CONJUNCTION = re.compile(r"\b(?:and|et|und)\b")
NAME_END = re.compile(
    r"(?<=\.) (?=§ ?\d|\d{1,2}[.)]\d{0,2}[.)]? )| ?\(| ?;"  # "Birch GmbH. 1. Services", not "No. 5 Fund"
    r"|,(?! ?(?i:inc|incorporated|l\.?l\.?c|l\.?p|l\.?l\.?p|ltd|limited|corp|co|n\.a|s\.a|p\.c|gmbh|ag|b\.v)\b)"
    r"| (?:an?|with|having|whose|located|acting|registered|organi[sz]ed|incorporated|of \[|of \d|dont|ayant|sise?|"
    r"société|mit|hereinafter|is|are|\[)(?= |\b)",
)
NO_PARTY = re.compile(
    r"(?:the )?(?:company|part(?:y|ies)|recipient|discloser|agreement|undersigned|each|both|its|supplier|client"
    r"|customer)$|.*(?:\[|_{2}|\.{3}|…)",
    re.IGNORECASE,
)

NOTICE = re.compile(
    r"(?:exhibit|annex|appendix|annexe) [\dA-Z(]|(?:table of )?contents$|quicklinks|for immediate|confidential|strictly"
    r"|personal and|draft$|arxiv:|doi:|https?:|[\[(_*]",
    re.IGNORECASE,
)
RELEASE = re.compile(
    r"(?:^|[–—-] |\. )(?P<company>[A-Z][\w&.,'’ -]{1,60}?) ?\([^()]{0,40}\b[A-Z]{2,8} ?: ?[A-Z.]{1,6}[^()]{0,40}\),? "
    r"(?:today )?(?:has )?(?:announce[sd]|report(?:s|ed)|publie|a publié|a annoncé)(?: today| aujourd'hui)? "
    r"(?:(?:its|their|ses) )?(?P<what>[^.;“\"]{8,90}?)(?=[.;,“\"]|$)"
)


Span = tuple[int, int]


class Filing(NamedTuple):
    """The cover of a filing: who files it, the form, and the period or day it is of."""

    registrant: TracedValue
    form: str
    period: TracedValue


class Release(NamedTuple):
    """A release of results: which company announces what."""

    company: TracedValue
    what: str


def find_title(lines: Sequence[PageLine], declared: str = "") -> str:
    """What the document is called, at most TITLE_CHARS long; "" if nothing is sure.

    `declared` is the title in the file's metadata: taken if the first pages print it and it says no less than their
    largest print, or if they have none.
    """
    first = first_lines(lines)
    declared = " ".join(declared.split())
    if title := find_named(first):
        return title
    credible = declared if is_credible(declared) else ""
    printed = "" if any(map(is_form, first)) else largest_print(first)  # all a cover without a name has is its form
    if printed and not (is_printed(credible, first) and set(words_of(printed)) <= set(words_of(credible))):
        return shorten(printed)
    return shorten(credible)


def find_named(lines: Sequence[PageLine]) -> str:
    """The name of a filing, an agreement or a release of results; "" for anything else."""
    first = first_lines(lines)
    return shorten(filing_title(first) or agreement_title(first) or release_title(first))


def first_lines(lines: Iterable[PageLine]) -> list[PageLine]:
    """The upright lines of the first pages."""
    first: list[PageLine] = []
    for number, page in groupby(lines, key=lambda line: line.page_number):
        if number > FIRST_PAGES:
            break
        first += [line for line in list(page)[:FIRST_LINES] if not line.is_rotated]
    return first


def is_credible(title: str) -> bool:
    """Whether a declared title may be one: not a paragraph, a number or what a program filled in."""
    letters = sum(character.isalpha() for character in title)
    return letters >= LETTERS_MIN and len(title) <= CREDIBLE_CHARS and not NO_TITLE.search(title)


def is_printed(title: str, first: Sequence[PageLine]) -> bool:
    """Whether the words of a title are printed together; a title of one or two words as a line of its own."""
    words = set(words_of(title))
    if not words:
        return False
    if len(words) < DECLARED_LINES:
        return any(set(words_of(line.text)) == words for line in first)
    said = [set(words_of(line.text)) for line in first]
    return any(words <= set().union(*said[place : place + DECLARED_LINES]) for place in range(len(said)))


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", match_form(text))


def shorten(title: str) -> str:
    """The title without stray blanks, cut between words where it is too long."""
    return cut_between_words(re.sub(r" (?=[.,;:])", "", " ".join(title.split())), TITLE_CHARS)


def cut_between_words(text: str, size: int) -> str:
    """A text of about so many characters at most, with what shows that more is said."""
    return text if len(text) <= size else f"{text[:size].rpartition(' ')[0].rstrip(' ,;:–—-')}…"


def running_text(lines: Iterable[PageLine]) -> str:
    """The text of lines in one, with single blanks; a word divided by a hyphen stays as it is printed."""
    return trace(lines, joins_words=True).text


def plain_date(text: str) -> str:
    """A date as printed, "3rd day of April, 1996" as "April 3, 1996", a month in capitals as a word."""
    if found := DAY_OF.fullmatch(text):
        text = f"{found[2]} {found[1]}, {found[3]}"
    return re.sub(r"[A-ZÉÛ]{3,}", lambda month: month[0].capitalize(), text)


# ---- filings


def filing_title(first: Sequence[PageLine]) -> str:
    """Registrant, form and period of the first page that is the cover of a filing."""
    filing = find_filing(first)
    parts = (filing.registrant.value, filing.form, filing.period.value) if filing else ()
    return ", ".join(filter(None, parts))


def find_filing(first: Sequence[PageLine]) -> Filing | None:
    """What the first page that is the cover of a filing says; None if no page is one."""
    for _, page in groupby(first, key=lambda line: line.page_number):
        cover = list(page)
        form = next((found for line in cover if (found := is_form(line))), None)
        registrant = registrant_of(cover) if form else TracedValue("")
        if form and registrant.value:
            named = f"{form['kind'].capitalize()} {form['form'].upper()}{(form['change'] or '').upper()}"
            return Filing(registrant, named, period_of(trace(cover, joins_words=True)))
    return None


def is_form(line: PageLine) -> re.Match[str] | None:
    """The form a line names and nothing else, "FORM 10-K"."""
    return FORM.fullmatch(" ".join(line.text.split()))


def registrant_of(cover: Sequence[PageLine]) -> TracedValue:
    """The name above "exact name of registrant", else the largest print that is not of every cover."""
    place = next((place for place, line in enumerate(cover) if CHARTER.search(line.text)), None)
    if place is None:
        names = [line for line in cover if not COVER_WORDS.match(line.text) and has_letters(line)]
        largest = max((line.size for line in names), default=0.0)
        named = [line for line in names if line.size == largest > text_size(cover) * LARGER][:1]
        return trace(named).whole()
    above: list[PageLine] = []
    for line in reversed(cover[:place]):
        is_rule = not any(character.isalnum() for character in line.text)
        if is_rule and not above:
            continue
        if is_rule or COVER_WORDS.match(line.text) or (above and not is_set_alike(line, above[0])):
            break
        above.insert(0, line)
    return trace(above[-TITLE_LINES:], joins_words=True).whole()


def period_of(cover: TracedText) -> TracedValue:
    """The period a cover names, "fiscal year ended May 31, 2023", or the date of a current report."""
    text = cover.text
    for found in PERIOD.finditer(text):
        if date := DATE.match(text, found.end()):
            said = f"{found['period'].lower()} {plain_date(date[0])}"
            return TracedValue(said, cover.stretches(found.start(), date.end()))
    if event := EVENT.search(text):
        before = [*DATE.finditer(text, max(event.start() - 40, 0), event.start())]
        date = DATE.match(text, event.end()) or (before[-1] if before else None)
        return TracedValue(plain_date(date[0]), cover.stretches(*date.span())) if date else TracedValue("")
    return TracedValue("")


# ---- agreements


def agreement_title(first: Sequence[PageLine]) -> str:
    """The title line of an agreement with its parties and date."""
    title, after = find_agreement(first)
    return with_parties(title, after.text) if after else title


def find_agreement(first: Sequence[PageLine]) -> tuple[str, TracedText | None]:
    """The title line of an agreement, "" if there is none, and the text of its preamble, None if there is none."""
    for place, line in enumerate(first):
        if line.kind in UNSEARCHED_KINDS or not is_agreement_line(line):
            continue
        title = title_around(first, place)
        after = preamble_text(first[place + 1 :])
        if PREAMBLE.search(after.text[:PREAMBLE_CHARS]):
            return title, after
        if is_upper(line.text) and place < TOP_LINES:
            return title, None
    return "", None


def preamble_text(lines: Sequence[PageLine]) -> TracedText:
    """What lines say up to their parties, with a semicolon where a line ends early: a list, not running text."""
    margin = max((line.x1 for line in lines), default=0.0)
    text = trace(lines, ending=lambda line: ";" * (line.x1 < SHORT_LINE * margin), joins_words=True)
    return text.cut(PREAMBLE_CHARS + PARTIES_CHARS)


def is_agreement_line(line: PageLine) -> bool:
    """Whether a line is a heading that names an agreement, in capitals or with a capital in each long word."""
    text = " ".join(line.text.split())
    if len(text) > TITLE_CHARS or NOT_IN_TITLE.match(text) or text.endswith((".", ",", ";")):
        return False
    return bool(AGREEMENT.search(text)) and (is_upper(text) or is_capitalised(text))


def title_around(first: Sequence[PageLine], place: int) -> str:
    """The title line with the lines above and below that continue it."""
    lines = [first[place]]
    for step in (-1, 1):
        at = place + step
        while 0 <= at < len(first) and len(lines) < TITLE_LINES:
            line, edge = first[at], lines[0 if step < 0 else -1]
            if not is_set_alike(line, edge) or NOT_IN_TITLE.match(line.text) or not is_upper(line.text):
                break
            upper, lower = (line, edge) if step < 0 else (edge, line)
            if AGREEMENT.search(upper.text) and AGREEMENT.search(lower.text) and not LINKED.search(upper.text):
                break
            lines.insert(0 if step < 0 else len(lines), line)
            at += step
    texts = dict.fromkeys(" ".join(line.text.split()) for line in lines)
    return " ".join(texts)


def with_parties(title: str, after: str) -> str:
    """The title with what of parties and date fits."""
    date = next((plain_date(found[0]) for found in DATE.finditer(after[:DATE_CHARS])), "")
    places, conjunction = parties_in(after)
    parties = [after[start:end] for start, end in places]
    both = f" {conjunction} ".join(parties) if len(parties) <= 2 else f"{', '.join(parties[:2])} et al."
    some = [f"{parties[0]} et al."] if len(parties) > 1 else []
    for parts in ((title, both, date), (title, both), *((title, one, date) for one in some), (title, date)):
        named = ", ".join(part for part in parts if part)
        if len(named) <= TITLE_CHARS:
            return named
    return title


def parties_in(after: str) -> tuple[list[Span], str]:
    """Where a preamble names the parties, each once, and the word that joins them in its language."""
    for between in BETWEEN.finditer(after[:PREAMBLE_CHARS]):
        if between[0].lower() == "parties" and between[0] != "PARTIES":
            continue
        begin = between.end()
        text = PREAMBLE_END.split(after[begin : begin + PARTIES_CHARS], maxsplit=1)[0]
        named: dict[str, Span] = {}
        for start, end in party_places(text):
            named.setdefault(text[start:end], (begin + start, begin + end))
        if named:
            return [*named.values()], AND.get(between[0].lower()[:5], "and")
    return [], "and"


def term_given(text: str) -> str:
    """What a text behind a party's name calls it: 'a Delaware corporation ("Supplier")'; "" if nothing."""
    found = DEFINED_TERM.search(text)
    return MARK.split(found[0])[1].strip(" ,;") if found else ""


def party_places(text: str) -> Iterator[Span]:
    """The name before each defined term, or on each side of the first "and"."""
    terms = list(DEFINED_TERM.finditer(text))
    ends = [0, *(term.end() for term in terms)]
    chunks = [(start, term.start()) for start, term in zip(ends, terms, strict=False)]
    if not terms:
        joint = CONJUNCTION.search(text)
        chunks = [(0, joint.start()), (joint.end(), len(text))] if joint else [(0, len(text))]
    for start, end in chunks:
        last = max((found.end() for found in CONJUNCTION.finditer(text[start:end])), default=0)
        if place := name_at_start(text, start, end) or name_at_start(text, start + last, end):
            yield place


def name_at_start(text: str, start: int, stop: int) -> Span | None:
    """Where the name stands that text[start:stop] begins with, up to what describes it; None if it is no name."""
    mark = LIST_MARK.match(text[start:stop])
    start += mark.end() if mark else 0
    end = NAME_END.search(text[start:stop])
    said = text[start : start + end.start() if end else stop]
    start += len(said) - len(said.lstrip(" ,;:"))
    name = said.strip(" ,;:")
    name = name if PARTY_ABBREVIATED.search(name) else name.rstrip(".")
    words = name.split()
    is_name = (
        words
        and len(name) <= PARTY_CHARS
        and len(words) <= PARTY_WORDS
        and is_capitalised(name)
        and not NO_PARTY.match(name)
        and sum(character.isalpha() for character in name) >= 2
    )
    return (start, start + len(name)) if is_name else None


# ---- releases, and anything else


def release_title(first: Sequence[PageLine]) -> str:
    """Company and what it announces, of a release of results; "" if a larger headline says it."""
    found = find_release(first)
    if not found or not YEAR_WORD.search(found.what) or largest_print(first):
        return ""
    return f"{found.company.value}, {found.what}"


def find_release(first: Sequence[PageLine]) -> Release | None:
    """What the first page says a company announces."""
    page = trace((line for line in first if line.page_number == 1), joins_words=True)
    found = RELEASE.search(page.text)
    return Release(page.printed(*found.span("company"), strip=" ,"), found["what"].strip()) if found else None


def largest_print(first: Sequence[PageLine]) -> str:
    """The largest print of the first page, over at most TITLE_LINES lines; of one size the heading it begins with."""
    page = [line for line in first if line.page_number == first[0].page_number and line.kind not in UNSEARCHED_KINDS]
    titles = [line for line in page if has_letters(line) and not is_notice(line)]
    if not titles:
        return ""
    largest = max(line.size for line in titles)
    begin = next(place for place, line in enumerate(page) if line in titles and line.size >= largest - SAME_SIZE)
    lines = [page[begin]]
    for line in page[begin + 1 :]:
        if not is_set_alike(line, lines[-1]) or is_notice(line):
            break
        lines.append(line)
    is_set_apart = largest >= text_size(first) * LARGER and len(lines) <= TITLE_LINES
    if not is_set_apart:
        lines = [lines[0]] if lines[0] is titles[0] and is_upper(lines[0].text) else []
    title = running_text(lines)
    is_section = bool(numbering_of(title)[0])  # "1 Scope" is the first chapter, not the book
    return "" if is_section or len(title) > CREDIBLE_CHARS else title


def is_notice(line: PageLine) -> bool:
    """Whether a line is a notice, a label or a date such as many first pages have, or was filled in."""
    text = " ".join(line.text.split())
    return line.is_filled or bool(NOTICE.match(text) or DATE.fullmatch(text))


def text_size(lines: Sequence[PageLine]) -> float:
    """The size most of the text has."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def is_set_alike(line: PageLine, edge: PageLine) -> bool:
    """Whether a line is set like its neighbour and close to it."""
    upper, lower = sorted((line, edge), key=lambda each: each.y0)
    is_close = line.page_number == edge.page_number and lower.y0 - upper.y1 <= (TITLE_GAP - 1) * edge.size
    return is_close and abs(line.size - edge.size) <= SAME_SIZE and line.is_bold == edge.is_bold


def has_letters(line: PageLine) -> bool:
    return sum(character.isalpha() for character in line.text) >= LETTERS_MIN


def is_upper(text: str) -> bool:
    letters = [character for character in text if character.isalpha()]
    return len(letters) >= LETTERS_MIN and sum(map(str.isupper, letters)) >= UPPER_SHARE * len(letters)


def is_capitalised(text: str) -> bool:
    """Whether it begins with a capital, as does each of its long words."""
    words = text.split()
    long = [word for word in words if len(word) >= LETTERS_MIN and word[0].isalpha()]
    return text[:1].isupper() and all(word[0].isupper() for word in long)
