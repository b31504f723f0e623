"""Parse a typed question into a Question by rules (R16-R24): what to search, where, and the kind of answer wanted."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import NamedTuple

from documents.storage.content import DocumentContent
from llm.exchange import clean_text
from reading.language import UNKNOWN
from reading.matching import RUN_OR_WORD, UNSPACED, identifier_form, match_form
from reading.values.currencies import CURRENCIES, CURRENCY_SIGNS
from reading.values.months import MONTH_STEM
from reading.values.years import FISCAL_YEAR, YEAR, YEAR_DIGITS, years_in
from reading.wording import LANGUAGES
from retrieval.question.across import carried_terms, carry_across, tell_language, written_apart
from retrieval.question.bands import measured_in
from retrieval.question.forms import ReadForm, read_form
from retrieval.question.kinds import SHIPPED, ReadingRules, answer_rules
from retrieval.question.learned import learned_keywords
from retrieval.question.pages import labels_of, pages_named, pages_taken, without_pages
from retrieval.question.phrasing import (
    AskedPart,
    Phrasing,
    around_asked,
    asks_for_own_date,
    layout_named,
    lines_beside_asked,
    numbers_named,
    objects_named,
    parts_named,
    phrasing_rules,
    read_phrasing,
    section_named,
    split_condition,
    split_parts,
    split_scope,
)
from retrieval.question.vague import consider, say, with_meaning
from retrieval.types import ConceptTerms, Hints, Keyword, Question, VagueWord
from retrieval.words.concepts import Named, concepts_named
from retrieval.words.counts import count_before, counting_words, read_count
from retrieval.words.lexicon import FORMS_MAX, Lexicon, is_foreign_to, lexicon_of
from retrieval.words.options import option_groups_in
from retrieval.words.periods import names_whole, side_asked
from retrieval.words.statements import statement_names, statement_terms
from retrieval.words.tokens import (
    CORRECTED_MIN,
    compounds,
    is_cognate,
    is_generic,
    is_run,
    is_slip,
    is_stop_word,
    normalise_words,
    plurals_of,
    split_words,
    stem,
    word_lists,
    words_anywhere,
)
from retrieval.words.unspaced import cut_run, form_of_run, is_filler

QUESTION_MAX = 4000  # characters, about a page and a half: anything longer is a document, not a question
NAME_WEIGHT = 0.3  # the document's own name is on every page
NAMED_PART_WEIGHT = 2.0  # "use the balance sheet" says where to look, and its heading is rare
PHRASE_WORDS_MAX = 4
PLURAL_ENDING_MAX = 2  # letters: -s, -es, -en, -x

CURRENCY_CODES = "|".join(sorted(set(CURRENCIES.values())))
IDENTIFIER = re.compile(
    rf"""(?<![\w.])(?:
        [A-Za-z]\w*_\w+                            # d_model
        | [A-Z]{{1,6}}(?:[.-][A-Za-z]{{1,6}})*[.-][A-Z0-9][\w.-]*\w   # ID.AM, PR.AA-05, SP-800
        | [A-Z]+-[A-Z]*\d[\w-]* | [A-Z]{{1,5}}\d[\w.-]*\w?             # ISO-27001, EX10.1
        | \d+(?:\.\d+)+[a-z]?                      # 3.2.1
        | \d+-[A-Z]\b | (?!{YEAR_DIGITS}-)\d{{2,}}-\d+  # 10-K, 800-53
        | [A-Z]-[A-Z]{{2,}}                          # C-SCRM
        | [A-Z][a-z]{{2,}}(?:-[A-Z][a-z]{{2,}}){{2,}}   # Automatic-Reboot-Time
        | (?!(?:{CURRENCY_CODES})\b)[A-Z]{{2,6}}\ (?!{YEAR_DIGITS}\b)\d{{2,}}(?![-.:]\w)  # ISO 14001
        )(?!\w)""",
    re.VERBOSE,
)
HYPHENATED = re.compile(r"(?<![\w-])[^\W\d_]+(?:-[^\W\d_]+)+(?![\w-])")
FISCAL = re.compile(r"^(?:fy|q[1-4]|h[12])?\d*$")

# A word and a number that may name one of several alike, as "Berth 44"; a day of a month is none.
NUMBERED_NAME = re.compile(
    rf"\b(?!{MONTH_STEM}[a-z]{{0,7}}\b)(?P<name>[^\W\d_]{{3,}}) (?P<number>\d{{1,5}})\b(?![.,/:-]?\d|\s?%)",
    re.IGNORECASE,
)
NUMBERED_ROW = re.compile(r" (?P<number>\d{1,5})(?= |$)")
NUMBERED_ROWS_MIN = 2

LISTED_SHAPES = ("listing", "tree", "nested")
NAME_PART_MIN = 5
VAGUE_LENGTH_MAX = 5  # "What is the cap, then?" is vague; a longer sentence with one topic word is odd, not vague


class QuestionToken(NamedTuple):
    """A word of the question: in match form, as typed, and whether a stop word precedes it."""

    word: str
    typed: str
    starts_phrase: bool


def parse_question(
    text: str,
    contents: Sequence[DocumentContent],
    dictionary: Sequence[ConceptTerms] = (),
    rules: ReadingRules = SHIPPED,
) -> Question:
    """Read a question against the documents it is asked of, by the rules of its base; deterministic (R26).

    A vague word that the base has learned the meaning of is read as that.
    """
    question = read_question(text, contents, dictionary, rules)
    if not question.vague.assumed:
        return question
    read = read_question(asked_with(question, question.vague.assumed), contents, dictionary, rules)
    return replace(read, original=question.original, vague=question.vague, clarification="")


def read_as_whole(
    question: Question, contents: Sequence[DocumentContent], dictionary: Sequence[ConceptTerms], rules: ReadingRules
) -> Question:
    """The question for the term, a start or an end, where it would be asked back, read as that of the document as a
    whole: the "term" is the "term of this agreement". For a field, which nobody is there to explain.
    """
    wholes = [each for each in question.vague.meanings if len(each.key.split()) == 1 and names_whole(each.text)]
    is_of_whole = phrasing_rules()["names_term"].match(question.topic_form) or side_asked(question.original)
    if not (question.clarification and wholes and is_of_whole):
        return question
    read = read_question(asked_with(question, wholes[0].text), contents, dictionary, rules)
    vague = replace(question.vague, assumed=wholes[0].text, why="it is asked of the document as a whole")
    return replace(read, original=question.original, vague=vague, clarification="")


def asked_with(question: Question, meaning: str) -> str:
    """The question with its vague word replaced by what is meant by it."""
    forms = (question.vague.word, *(each for key in question.keywords for each in key.forms if key.source == "direct"))
    return with_meaning(question.original, forms, meaning)


def read_question(
    text: str, contents: Sequence[DocumentContent], dictionary: Sequence[ConceptTerms], rules: ReadingRules
) -> Question:
    asked = " ".join(clean_text(text).split())[:QUESTION_MAX]
    lexicons = [lexicon_of(content) for content in contents]
    phrasing = read_phrasing(asked)
    topic = without_pages(phrasing.topic)
    told, language = tell_language(topic, lexicons)
    topic, phrasing = without_scope(topic, phrasing, language)
    corrections = find_misspellings(normalise_words(topic), lexicons, language)
    topic = correct(topic, corrections)
    rows_named = (*row_numbers_in(topic, contents, lexicons), *numbered_rows_in(topic, contents, lexicons))
    labels = (*numbers_named(topic, language), *rows_named)
    looked_for = written_apart(topic, dictionary, language) if is_foreign_to(lexicons, language) else topic
    keywords, phrases = read_keywords(looked_for, phrasing, contents, lexicons, language, labels)
    concepts = concepts_named(looked_for, dictionary)
    keywords, named = carry_across(looked_for, keywords, concepts, lexicons, language)
    added = added_keywords(named, keywords, lexicons, language)
    searched = (*keywords, *without_excluded(added, phrasing.exclusions, language))
    learned = learned_keywords(rules.learned, [each.concept.name for each in concepts], searched, lexicons, language)
    hints = read_hints(asked, contents)
    shape = rules.shape_of(topic, told)
    answer_type = rules.type_of(topic, language, is_told=bool(told))
    value_pattern, printed_pattern = rules.patterns_of(answer_type, topic, told)
    parts = real_parts(topic, language)
    listed, listed_count, is_count = listed_in(topic, shape, keywords, language)
    asks_form = read_form(asked, contents, language, is_told=bool(told)) if not parts else ReadForm()
    vague, clarification = (
        (VagueWord(), "") if asks_form.form else clarify(asked, keywords, hints, topic, contents, language, rules)
    )
    return Question(
        original=asked,
        corrected=correct(asked, corrections),
        language=language,
        intent=intent_of(topic, shape, hints, told),
        shape=shape,
        answer_type=answer_type,
        topic=topic,
        keywords=(*searched, *without_excluded(learned, phrasing.exclusions, language)),
        phrases=phrases,
        years=tuple(year for year in read_years(asked) if year not in labels),
        hints=hints,
        parts=tuple(part.text for part in parts),
        part_kinds=tuple(part.kind for part in parts),
        condition="" if parts else real_condition(topic, language),
        listed=listed,
        listed_count=listed_count,
        is_count=is_count,
        exclusions=phrasing.exclusions,
        instructions=phrasing.instructions,
        clarification=clarification,
        vague=vague,
        notes=tuple(f"Read “{typed}” as “{word}”." for typed, word in corrections),
        form=asks_form.form,
        outlined=asks_form.document_ids,
        sides=asks_form.sides,
        value_pattern=value_pattern,
        printed_pattern=printed_pattern,
        part_types=tuple(rules.type_of(part.text, language, is_told=bool(told)) for part in parts),
    )


def read_hints(asked: str, contents: Sequence[DocumentContent]) -> Hints:
    """Where the question says to look: pages, a section, a layout, a statement, an object, lines around."""
    before, after = lines_beside_asked(asked)
    hints = Hints(
        pages_named(asked, labels_of(contents)),
        known_section(section_named(asked), contents),
        layout_named(asked),
        statement_names(asked),
        objects_named(asked),
        around_asked(asked),
        file_pages=tuple(int(page) for page in pages_named(asked, of_file=True)),
        lines_before=before,
        lines_after=after,
    )
    return replace(hints, taken=pages_taken(hints, contents))


def without_scope(topic: str, phrasing: Phrasing, language: str) -> tuple[str, Phrasing]:
    """The topic without words that only say where to look or how much to read (R21), if it still names something; what
    they name is looked for as the parts that an instruction mentions are.
    """
    rest, said = split_scope(topic)
    if not said or not is_topical(rest, language):
        return topic, phrasing
    named = dict.fromkeys((*phrasing.named_parts, *(part for each in said for part in parts_named(each))))
    return rest, phrasing._replace(instructions=(*phrasing.instructions, *said), named_parts=tuple(named))


# ---- keywords


def read_keywords(
    topic: str,
    phrasing: Phrasing,
    contents: Sequence[DocumentContent],
    lexicons: Sequence[Lexicon],
    language: str,
    labels: Sequence[str],
) -> tuple[list[Keyword], tuple[str, ...]]:
    """Identifiers, then words that name the topic, then words that only frame it, and the phrases they form.

    `labels` are numbers that look like years and name a thing.
    """
    identifiers = read_identifiers(topic, lexicons, language, labels)
    for keyword in identifiers:
        topic = re.sub(rf"(?<!\w){re.escape(keyword.text)}(?!\w)", " , ", topic)
    names = document_words(contents)
    said = answer_rules().in_language("duration", language).sub(" , ", topic)
    tokens = tokens_of(FISCAL_YEAR.sub(" , ", said), language)
    words = {key.text: key for token in tokens for key in token_keywords(token, lexicons, language, names)}
    keywords = [*identifiers, *words.values(), *part_keywords([topic, *phrasing.named_parts])]
    keywords = put_choosing_behind(keywords, contents, lexicons)
    if asks_for_own_date(match_form(topic)):  # a preamble prints it and need not call it a date
        dating = phrasing_rules().in_language("dating", language)
        keywords = [each for each in keywords if not dating.match(each.text)] or keywords
        tokens = []
    if phrasing_rules()["names_currency"].match(match_form(topic).strip()):  # said by its name: "in US dollars"
        said_so = tuple(
            name for name in CURRENCIES if name.isalpha() and any(name in lexicon.lines for lexicon in lexicons)
        )
        signs = {sign for content in contents for line in content.lines for sign in CURRENCY_SIGNS if sign in line.text}
        if len({CURRENCIES[name] for name in (*said_so, *signs)}) > 1:  # nobody knows which it is
            said_so = ()
        keywords = [replace(each, forms=(*each.forms, *said_so)) for each in keywords]
    if not any(keyword.priority == "primary" for keyword in keywords):
        keywords = [replace(keyword, priority="primary") for keyword in keywords]
    return keywords, phrases_of(tokens)


def put_choosing_behind(
    keywords: Sequence[Keyword], contents: Sequence[DocumentContent], lexicons: Sequence[Lexicon]
) -> list[Keyword]:
    """The keywords, with what is done to an option ("ticked") as a framing word where a form does not say it."""
    choosing = words_anywhere("choosing_words")
    if choosing.isdisjoint(each.text for each in keywords) or not any(map(option_groups_in, contents)):
        return [*keywords]
    said = {each.text for each in keywords for lexicon in lexicons if len(lexicon.lines_with_any(each.forms))}
    unsaid = choosing - said
    return [replace(each, priority="secondary") if each.text in unsaid else each for each in keywords]


def read_identifiers(
    topic: str, lexicons: Sequence[Lexicon], language: str, labels: Sequence[str] = ()
) -> list[Keyword]:
    """Codes and numbered things as typed, neighbouring words that the document joins ("d model" for "dmodel"), and
    names it prints that are made of stop words.
    """
    codes = (found for found in codes_in(topic, language) if not FISCAL_YEAR.fullmatch(found))
    typed = [*labels, *(code for code in codes if " " not in code or not topic.isupper())]
    for first, second, joined in compounds(normalise_words(IDENTIFIER.sub(" ", topic))):
        is_letter = len(first) == 1 and first.isalpha() and not is_run(first) and not is_stop_word(second, language)
        if is_letter and first != "a" and any(joined in lexicon.lines for lexicon in lexicons):
            typed.append(f"{first} {second}")
    for name in HYPHENATED.findall(topic):  # "before-all", an option, is a name, though its words say nothing
        is_printed = any(len(lexicon.lines_with_any(identifier_forms(name))) for lexicon in lexicons)
        if is_printed and all(is_stop_word(word, language) for word in normalise_words(name)):
            typed.append(name)
    return [
        Keyword(text, identifier_forms(text), source="identifier", group=identifier_form(text))
        for text in dict.fromkeys(typed)
    ]


def codes_in(topic: str, language: str) -> list[str]:
    """What looks like a code, without the numbers that are measured: "clause 12.5", not "12.5 metres" or "€12.50"."""
    section = section_named(topic)
    measured = [(each.start, each.end) for each in measured_in(topic, language)]
    return [
        found[0]
        for found in IDENTIFIER.finditer(topic)
        if found[0] == section or not any(start <= found.start() and found.end() <= end for start, end in measured)
    ]


def part_keywords(said: Sequence[str]) -> list[Keyword]:
    """Parts of a document the question or its instructions mention, under each of their usual names."""
    found: dict[str, Keyword] = {}
    for text in said:
        for part in parts_named(text):
            named = [name for kind in statement_names(part) for name in statement_terms()[kind]]
            forms = tuple(dict.fromkeys(" ".join(normalise_words(name)) for name in named or [part]))
            found.setdefault(
                forms[0], Keyword(forms[0], forms, priority="secondary", weight=NAMED_PART_WEIGHT, group=forms[0])
            )
    return list(found.values())


def identifier_forms(text: str) -> tuple[str, ...]:
    """An identifier joined, and as its runs of letters and digits with any separator."""
    return tuple(dict.fromkeys((identifier_form(text), " ".join(normalise_words(text)))))


def tokens_of(text: str, language: str) -> list[QuestionToken]:
    """The words of a text without stop words; a stop word or sign between two words ends a phrase."""
    tokens: list[QuestionToken] = []
    starts_phrase = True
    for piece in re.findall(r"[\w'’]+|[^\w\s-]", text):
        words = words_typed(piece)
        starts_phrase = starts_phrase or not words or any(map(is_run, words))
        for word in words:
            if is_stop_word(word, language) or FISCAL.match(word):
                starts_phrase = True
            else:
                tokens.append(QuestionToken(word, piece, starts_phrase))
                starts_phrase = False
    return tokens


def words_typed(piece: str) -> list[str]:
    """The words of a piece of a question; a run without spaces stays whole."""
    matched = match_form(piece)
    return RUN_OR_WORD.findall(matched) if UNSPACED.search(matched) else split_words(matched)


def owners_named(topic: str, language: str, behind: str = "owner") -> list[tuple[str, ...]]:
    """What the things in a question belong to, in match form: "late delivery of cargo ships" has ("cargo", "ships")."""
    owners: list[tuple[str, ...]] = []
    for found in phrasing_rules().in_language(behind, language).finditer(topic):
        rest = topic[found.end() :]
        tokens = tokens_of(rest, language)
        if not tokens or not rest.startswith(tokens[0].typed):
            continue  # a stop word follows: "of which"
        last = next((at for at, token in enumerate(tokens) if at and token.starts_phrase), len(tokens))
        owners.append(tuple(token.word for token in tokens[:last]))
    return owners


def token_keywords(
    token: QuestionToken, lexicons: Sequence[Lexicon], language: str, names: frozenset[str]
) -> list[Keyword]:
    """The keyword of a word; of a run without spaces those of its parts."""
    if not is_run(token.word):
        within = words_within(token, lexicons, language)
        return [word_keyword(each, lexicons, language, names) for each in within]
    return [
        Keyword(
            text=part,
            forms=(form_of_run(part),),
            priority="secondary" if is_filler(part, language) else "primary",
            group=part,
            language=language,
        )
        for part in cut_run(token.word, lexicons, language)
    ]


def words_within(token: QuestionToken, lexicons: Sequence[Lexicon], language: str) -> list[QuestionToken]:
    """The parts of a word that the documents have, where none has the word itself: "Wasserschaden" is damage by water.

    With one part the word stays beside it, and is missed.
    """
    parted = [parts for one in lexicons if one.language == language and (parts := one.parts_of(token.word))]
    if not parted or any(one.inflections(token.word) for one in lexicons):
        return [token]
    parts = max(parted, key=lambda parts: len(parts.known))
    known = [QuestionToken(part, token.typed, starts_phrase=False) for part in parts.known]
    return [known[0]._replace(starts_phrase=token.starts_phrase), *known[1:]] if parts.is_known else [token, *known]


def word_keyword(token: QuestionToken, lexicons: Sequence[Lexicon], language: str, names: frozenset[str]) -> Keyword:
    forms = word_forms(token.word, lexicons, language)
    is_name = token.typed[:1].isupper() and is_name_of(token.word, names)
    framing = is_name or is_framing(token.word, lexicons, language)
    return Keyword(
        text=token.word,
        forms=forms,
        priority="secondary" if framing else "primary",
        weight=NAME_WEIGHT if is_name else 1.0,
        group=forms[0],
        language=language,
    )


def is_framing(word: str, lexicons: Sequence[Lexicon], language: str) -> bool:
    """Whether a word only frames a question: where no document has its language, not by its stem, "endet" by "Ende"."""
    if not is_foreign_to(lexicons, language):
        return is_generic(word, language)
    listed = (word_lists(name).get(language, frozenset()) for name in ("generic_words", "framing_verbs"))
    return any(not words.isdisjoint((word, *plurals_of(word, language))) for words in listed)


def word_forms(word: str, lexicons: Sequence[Lexicon], language: str) -> tuple[str, ...]:
    """The word's inflections in the documents, in another language only plurals, in an unknown one also cognates."""
    forms = {word: None}
    for lexicon in lexicons:
        if lexicon.language in (language, UNKNOWN):  # another stemmer makes "during" of "durée"
            forms.update(dict.fromkeys(lexicon.inflections(word)[:FORMS_MAX]))
        else:
            forms.update(dict.fromkeys(other for other in plurals_of(word, language) if other in lexicon.lines))
        if lexicon.language == UNKNOWN != language and len(forms) == 1:
            forms.update(dict.fromkeys(other for other in lexicon.lines if is_cognate(word, other)))
    return tuple(forms)


def document_words(contents: Sequence[DocumentContent]) -> frozenset[str]:
    """The words of titles and file names: they name a document, and say little about where to look in it."""
    return frozenset().union(
        *(normalise_words(f"{content.title} {re.sub(r'[_-]', ' ', content.file_name)}") for content in contents)
    )


def is_name_of(word: str, names: frozenset[str]) -> bool:
    """Whether the word is a name, or part of a name without spaces ("express" of "AMERICANEXPRESS_2022")."""
    return word in names or (len(word) >= NAME_PART_MIN and any(word in name for name in names))


def phrases_of(tokens: Sequence[QuestionToken]) -> tuple[str, ...]:
    """Runs of two or more adjacent words, in match form."""
    runs: list[list[str]] = []
    for token in tokens:
        if token.starts_phrase or not runs:
            runs.append([])
        runs[-1].append(token.word)
    return tuple(dict.fromkeys(" ".join(run[-PHRASE_WORDS_MAX:]) for run in runs if len(run) > 1))


def added_keywords(
    named: Sequence[Named], keywords: Sequence[Keyword], lexicons: Sequence[Lexicon], language: str
) -> list[Keyword]:
    """Every term, in every language, of each concept the question names and those it is computed from (R18), without
    its own words; where it is in another language than the documents, only in theirs.

    A concept named by one word joins that word's group; one named by several forms its own, across languages theirs.
    """
    added: dict[tuple[str, str], Keyword] = {}
    known, is_foreign = {each.text for each in keywords}, is_foreign_to(lexicons, language)
    joined = [each for each in named if len(each.words) == 1 or is_foreign]
    groups = {(each.source, each.concept.name): " ".join(each.words) for each in joined}
    for concept, _, source in named:
        is_computed = any(term.pulled_from and term.priority == "primary" for term in concept.terms)
        for term, phrase, forms in carried_terms(concept, lexicons, is_foreign=is_foreign):
            name = term.pulled_from or concept.name
            group = groups.get((source, name), name)
            computed = is_computed and not term.pulled_from
            text = term.text if is_foreign else phrase
            keyword = Keyword(text, forms, source, term.priority, term.weight, group, term.language, computed)
            if phrase not in known:
                added.setdefault((group, phrase), keyword)
    return list(added.values())


def without_excluded(added: Iterable[Keyword], exclusions: Sequence[str], language: str) -> list[Keyword]:
    """The keywords added to a question that do not say what it leaves out: "euros" of "in dollars, not in euros" (R24).

    Its own words are not looked at: "fee" is searched for "the break fee, not the cancellation fee".
    """
    runs: list[set[str]] = [set()]
    for words in map(normalise_words, exclusions):
        for word in (*words, ""):
            if word and not is_stop_word(word, language):
                runs[-1].add(stem(word, language))
            else:
                runs.append(set())
    excluded = [run for run in runs if run]
    return [
        keyword
        for keyword in added
        if not any(run <= {stem(word, language) for word in keyword.text.split()} for run in excluded)
    ]


# ---- spelling


def find_misspellings(words: Sequence[str], lexicons: Sequence[Lexicon], language: str) -> list[tuple[str, str]]:
    """Words missing from the documents, each with the one document word it is a misspelling of (R16)."""
    found: list[tuple[str, str]] = []
    if is_foreign_to(lexicons, language):
        return []  # words of another language are not misspelled
    for word in dict.fromkeys(words):
        is_strange = len(word) >= CORRECTED_MIN and word.isalpha() and not is_stop_word(word, language)
        if not is_strange or any(word in lexicon.lines or lexicon.inflections(word) for lexicon in lexicons):
            continue
        meant = find_nearest_word(word, lexicons)
        if meant:
            found.append((word, meant))
    return found


def find_nearest_word(word: str, lexicons: Sequence[Lexicon]) -> str:
    """The most frequent word one slip away, or ""."""
    counts: Counter[str] = Counter()
    for lexicon in lexicons:
        for other, numbers in lexicon.lines.items():
            if abs(len(other) - len(word)) <= 1 and other[0] == word[0] and other.isalpha() and is_slip(word, other):
                counts[other] += len(numbers)
    return min(counts, key=lambda other: (-counts[other], other)) if counts else ""


def correct(text: str, corrections: Sequence[tuple[str, str]]) -> str:
    for typed, word in corrections:
        text = re.sub(rf"\b{re.escape(typed)}\b", word, text, flags=re.IGNORECASE)
    return text


# ---- what kind of answer, and where


def intent_of(topic: str, shape: str, hints: Hints, language: str = "") -> str:
    if shape in LISTED_SHAPES:
        return "listing"
    if hints.section or hints.names_page:
        return "section_retrieval"
    if answer_rules().in_language("conditional", language).search(topic):
        return "conditional_lookup"
    return "open_scoped" if answer_rules().in_language("open", language).search(topic) else "field_extraction"


def listed_in(topic: str, shape: str, keywords: Sequence[Keyword], language: str) -> tuple[str, int, bool]:
    """The keyword for what is to be listed or counted, how many the question says there are, and whether it asks that.

    "What are the six functions?" lists functions, six of them; "How many steps are there?" counts steps. "How many days
    of leave are there?" counts nothing that could be listed: a passage says the number.
    """
    counted = answer_rules().in_language("counted", language).search(topic)
    if not counted and shape not in LISTED_SHAPES:
        return "", 0, False
    named = {word: each.text for each in keywords if each.source == "direct" for word in (*each.forms, each.text)}
    words = normalise_words(topic[counted.end() :] if counted else without_order(topic, named, language))
    known = counting_words()
    if counted and words and words[0] in known.measures:
        return "", 0, False
    runs = [
        list(run)
        for is_one, run in groupby(
            range(len(words)),
            key=lambda at: words[at] in named and words[at] not in known.measures and not read_count(words[at]),
        )
        if is_one
    ]
    heads = [next((at for at in run if is_plural(words[at], language)), run[-1]) for run in runs]
    stated = {at: count for at in heads if not counted and (count := count_before(words, at))}
    at = next(iter(stated), heads[0] if heads else -1)
    return (named[words[at]], stated.get(at, 0), bool(counted)) if at >= 0 else ("", 0, False)


def is_plural(word: str, language: str) -> bool:
    """Whether a word has a short ending, as "functions" has: "CSF functions", "fees apply" name functions and fees."""
    root = stem(word, language)
    return word != root and word.startswith(root) and len(word) - len(root) <= PLURAL_ENDING_MAX


def without_order(topic: str, named: Container[str], language: str) -> str:
    """A topic without the words at its head that only ask for a list: "List", "What are", not "Which fees"."""
    found = answer_rules().in_language("listing", language).match(topic)
    said = normalise_words(found.group()) if found else []
    return topic[found.end() :] if found and (len(said) == 1 or said[-1] not in named) else topic


def row_numbers_in(topic: str, contents: Sequence[DocumentContent], lexicons: Sequence[Lexicon]) -> list[str]:
    """Numbers that look like years and begin the label of a row, of which the question says the next word as well."""
    words = normalise_words(topic)
    return [
        number
        for number, following in pairwise(words)
        if YEAR.fullmatch(number) and following.isalpha()
        for content, lexicon in zip(contents, lexicons, strict=True)
        for line in (content.lines[at - 1] for at in lexicon.lines_with_any((number,)))
        if line.kind == "table_row" and line.match.startswith(f"{number} {following}")
    ]


def numbered_rows_in(topic: str, contents: Sequence[DocumentContent], lexicons: Sequence[Lexicon]) -> list[str]:
    """Names such as "Berth 44" of which the rows of a table begin with the like: one that no row has is missed."""
    named = {section_named(topic), *(each.label for each in objects_named(topic))}
    return [
        found[0]
        for found in NUMBERED_NAME.finditer(topic)
        if found["number"] not in named and not YEAR.fullmatch(found["number"])
        if count_numbered_rows(match_form(found["name"]), contents, lexicons) >= NUMBERED_ROWS_MIN
    ]


def count_numbered_rows(name: str, contents: Sequence[DocumentContent], lexicons: Sequence[Lexicon]) -> int:
    """How many numbers stand behind a name at the beginning of the rows of tables."""
    rows = (
        NUMBERED_ROW.match(line.match, len(name))
        for content, lexicon in zip(contents, lexicons, strict=True)
        for line in (content.lines[at - 1] for at in lexicon.lines_with_any((name,)))
        if line.kind == "table_row" and line.match.startswith(name)
    )
    return len({found["number"] for found in rows if found})


def read_years(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(years_in(text)))


def known_section(named: str, contents: Sequence[DocumentContent]) -> str:
    """The section a question names, if a document has it; otherwise "section 23" may be a name in the text."""
    wanted = match_form(named)
    is_known = any(
        wanted == entry.number.casefold() or title == wanted or f"appendix {wanted}" in title
        for content in contents
        for entry in content.toc
        for title in [content.title_forms[entry.index]]
    )
    return named if wanted and is_known else ""


def real_parts(topic: str, language: str) -> tuple[AskedPart, ...]:
    """The parts of a compound question, if each names a topic of its own."""
    parts = split_parts(topic)
    return parts if all(is_topical(part.text, language) for part in parts) else ()


def real_condition(topic: str, language: str) -> str:
    """The case in which something is asked, if the case and what is asked each name a topic; else ""."""
    condition, asked = split_condition(topic)
    return condition if condition and is_topical(condition, language) and is_topical(asked, language) else ""


def is_topical(text: str, language: str) -> bool:
    tokens = tokens_of(text, language)
    return any(not is_generic(token.word, language) for token in tokens) or bool(IDENTIFIER.search(text))


def greeting_language(text: str, language: str) -> str:
    """The language of a greeting, thanks or a farewell, `language` if that says so too; "" where something is asked."""
    if not answer_rules()["greeting"].search(text):
        return ""
    spoken = (each for each in (language, *LANGUAGES) if answer_rules().in_language("greeting", each).search(text))
    return next(spoken, language)


def clarify(
    asked: str,
    keywords: Sequence[Keyword],
    hints: Hints,
    topic: str,
    contents: Sequence[DocumentContent],
    language: str,
    rules: ReadingRules,
) -> tuple[VagueWord, str]:
    """What a vague question can mean, and what is said back where nothing is asked, or too little; else "" (R23)."""
    if greeted := greeting_language(asked, language):
        return VagueWord(), say("greeted", greeted)
    if hints.names_page or hints.section or hints.layout:
        return VagueWord(), ""
    if not keywords:
        return VagueWord(), say("subject", language)
    word = keywords[0]
    if len(keywords) > 1 or word.text not in rules.vague_words or len(normalise_words(topic)) > VAGUE_LENGTH_MAX:
        return VagueWord(), ""
    return consider(word.text, word.forms, asked, contents, language, rules)
