"""The not-found gates (R54-R58): what was and could be searched, and when absence may be claimed."""

from collections.abc import Collection, Mapping, Sequence

from documents.storage.content import DocumentContent
from reading.tables import cells_of_line, is_wrapped
from retrieval.accounting import named_facts, summarise
from retrieval.filters import Within
from retrieval.search import Search
from retrieval.told.clauses import Clause, join_clauses, recorded_facts
from retrieval.told.reasons import give_clause
from retrieval.told.searched import is_of_other_language
from retrieval.types import (
    WORDLESS,
    AbsenceVerdict,
    Candidate,
    Contradiction,
    Coverage,
    Gate,
    Question,
    Ranking,
    RetrievalResult,
    SearchedWord,
    Settled,
    Status,
)
from retrieval.words.lexicon import is_foreign_to, lexicon_of
from retrieval.words.options import unread_choices
from retrieval.words.terms import said_as, weigh_terms
from retrieval.words.tokens import as_typed

NAMES = {
    "G0": "coverage",
    "G1": "zero hits",
    "G2": "no keyword support",
    "G3": "nothing primary",
}
STRUCK_SHARE = 0.5  # of a quote: what is left of it says little


def count_words(
    question: Question,
    contents: Sequence[DocumentContent],
    elsewhere: Mapping[str, int],
    within: Within | None = None,
) -> tuple[SearchedWord, ...]:
    """Every searched word (R55) in all its forms, with the number of lines that contain it, titles included.

    `elsewhere` adds what SQL counted in documents of the scope that were not read line by line.
    """
    counts: dict[str, int] = {}
    forms: dict[str, dict[str, None]] = {}
    for content in contents:
        lexicon = lexicon_of(content)
        for term in weigh_terms(question, lexicon):
            in_titles = {index for form in term.forms for index in lexicon.titles_with(form)}
            lines = len(term.lines)
            if within is not None:
                searched = within[content.document_id]
                in_titles = {index for index in in_titles if searched[content.toc_by_index[index].first_line]}
                lines = int(searched[term.lines].sum())
            counts[term.text] = counts.get(term.text, 0) + max(lines, len(in_titles))
            forms.setdefault(term.text, {}).update(dict.fromkeys(term.forms))
    every = [*map(lexicon_of, contents)]
    added = [each for each in question.keywords if not each.is_own and is_foreign_to(every, question.language)]
    carried = {
        form: as_typed(form, content.lines[number - 1].text)
        for form in {form for each in added for form in each.forms}
        for content in contents
        for number in lexicon_of(content).lines_with(form)[:1]
    }
    return tuple(
        SearchedWord(
            text,
            (*forms[text],),
            count + elsewhere.get(text, 0),
            tuple(carried[form] for form in forms[text] if form in carried and form != text),
        )
        for text, count in counts.items()
    )


def zero_hits(question: Question, searched: Sequence[SearchedWord], languages: Collection[str] = ()) -> str:
    """The evidence that no word of the topic occurs, or "". Years and words that only frame a question do not count.

    Names that the program added are told apart, and only where they are of a language that the documents have.
    """
    counts = {word.text: word.count for word in searched}
    if not question.topic_words or any(counts.get(text) for text in question.topic_words):
        return ""
    keywords = [each for each in question.keywords if each.priority == "primary"]
    named = [each for each in keywords if not is_of_other_language(each.source, each.language, languages)]
    words = dict.fromkeys(as_typed(each.text, question.original) for each in named if each.is_own)
    added = dict.fromkeys(each.text for each in named if not each.is_own and each.text not in words)
    also = {"also": [*added]} if words and added else {}
    return give_clause("zero hits", words=[*(words or added)], **also, is_foreign=is_foreign(question, languages))


def topic_words_nowhere(question: Question, searched: Sequence[SearchedWord]) -> tuple[str, ...]:
    """Those of the asker's own words, as they were typed, that name the topic and do not occur; and years."""
    counts = {word.text: word.count for word in searched}
    own = {each.text for each in question.keywords if each.is_own}
    wanted = [*(text for text in question.topic_words if text in own), *question.years]
    return tuple(dict.fromkeys(said_as(text, question) for text in wanted if counts.get(text) == 0))


def is_foreign(question: Question, languages: Collection[str]) -> bool:
    """Whether a document of the scope is in another language than the question: words that are missing there prove
    nothing (R57). A text whose language is not known is taken for one of the question's.
    """
    return bool({*languages} - {question.language, "und"})


def judge_absence(search: Search) -> AbsenceVerdict:
    """The gates G0-G3 in order; the first that fires gives the reason. Zero hits are the only proof of absence by
    words; a model that read all and found no answer is a judgement, which the reason says.

    Whatever fires, it is "not found" only where the coverage has no gap. In a language of the scope that is not the
    question's zero hits prove nothing, nor do rules that refuse what was found.
    """
    question, ranking, coverage, searched = search.question, search.ranking, search.coverage, search.searched
    languages = {*search.account.languages}
    zero = zero_hits(question, searched, {content.language for content in search.contents})
    primary = [verdict for verdict in ranking.verdicts if verdict.role == "primary"]
    is_judged = ranking.status == "ran" and ranking.arbiter != "none"
    proposed = sorted({hit.method for hit in search.hits if hit.method in WORDLESS})
    is_pinned = "pinned" in proposed
    saved = bool(primary) and (is_pinned or ranking.arbiter == "model")
    nothing = not ranking.verdicts or (is_judged and not primary)
    fires = {
        "G1": bool(zero) and not proposed and not saved,
        "G2": bool(zero) and bool(proposed) and not saved and not is_pinned,
        "G3": not zero and nothing or (is_pinned and nothing),
    }
    is_absent = any(fires.values())
    fires["G0"] = is_absent and bool(coverage.gaps)
    evidence = {
        "G0": coverage_evidence(coverage),
        "G1": zero or hits_evidence(question, searched),
        "G2": support_evidence(zero, proposed, primary != []),
        "G3": ranking_evidence(ranking),
    }
    gates = tuple(Gate(code, NAMES[code], fires[code], evidence[code]) for code in ("G0", "G1", "G2", "G3"))
    if not is_absent:
        is_page_alone = question.hints.names_page and all(each.is_own for each in question.keywords)
        is_told = ranking.arbiter == "model" or is_page_alone
        return doubt_because(AbsenceVerdict("found", "", gates), "" if is_told else doubt_across(search))
    is_unread = any(unread_choices(question, content) for content in search.contents)
    if not zero and ranking.is_doubtful and not is_unread:
        doubt = join_clauses([ranking.answerable_reason, *coverage.gaps], "; besides, ")
        return AbsenceVerdict("weak", doubt, gates)
    reason = zero if zero else ranking_evidence(ranking)
    if fires["G0"]:
        said = f"{reason}; but {'; '.join(coverage.gaps)}"
        parts = [recorded_facts(each) for each in (reason, *coverage.gaps)]
        return AbsenceVerdict("cannot_tell", Clause(said, "several", parts=parts), gates)
    if (zero or ranking.arbiter != "model") and is_foreign(question, languages):
        texts = sorted(languages - {question.language, "und"})
        is_partly = len(texts) < len(languages)
        foreign = give_clause("foreign", asked=question.language, texts=texts, is_partly=is_partly)
        return AbsenceVerdict("cannot_tell", join_clauses([reason, foreign], "; "), gates)
    return AbsenceVerdict("not_found", reason, gates)


# ---- what was found and does not clearly answer


def doubt_across(search: Search) -> str:
    """That a word of the topic stands nowhere in documents of another language, or only what the list of everyday words
    has for it: any "Support" does without "verlängert", and "policy" is no insurance.
    """
    question, languages = search.question, {*search.account.languages}
    is_read = not languages.isdisjoint((question.language, "und"))
    if lost := () if is_read else topic_words_nowhere(question, search.searched):
        return give_clause("doubt", nowhere=[*lost], elsewhere=[])
    every = [*map(lexicon_of, search.contents)]
    by_list = [
        said_as(group[0].text, question)
        for group in question.groups
        if any(each.priority == "primary" for each in group)
        and {each.source for each in group for one in every if len(one.lines_with_any(each.forms))} == {"everyday"}
    ]
    return give_clause("everyday", words=[*dict.fromkeys(by_list)]) if by_list else ""


def doubt_because(finding: AbsenceVerdict, why: str) -> AbsenceVerdict:
    """Weak where something was found and there is a reason to doubt it."""
    return finding._replace(status="weak", reason=why) if why and finding.status == "found" else finding


def may_hold_more(question: Question, ranking: Ranking) -> bool:
    """Whether one doubtful passage leaves an answer: several things were asked, or a model has read all of them."""
    return bool(question.parts) or question.intent == "listing" or ranking.arbiter == "model"


def doubt_differing(search: Search, differing: Sequence[Contradiction]) -> str:
    """That nobody can say which of two values holds: a primary passage says the same with another one (R50).

    A model has read both. Where several things were asked, or a list, the other passages still answer.
    """
    by_id = {each.candidate_id: each for each in search.settled}
    sides = [
        (value, by_id[key])
        for found in differing
        if any(by_id[each].verdict.role == "primary" for each in found.candidate_ids)
        for value, key in zip(found.values, found.candidate_ids, strict=True)
    ]
    if not sides or may_hold_more(search.question, search.ranking):
        return ""
    is_several = len({each.document_id for _, each in sides}) > 1
    told = {(value, each.brief.document_title if is_several else "", each.page_label): None for value, each in sides}
    return give_clause("differ", sides=[[*each] for each in told])


def doubt_wrapped(search: Search) -> str:
    """That the best passage is a row with cells that go on below, of a table that could not be read."""
    best = next(iter(search.primary), None)
    if best is None or may_hold_more(search.question, search.ranking):
        return ""
    content = search.content_of[best.document_id]
    is_untold = any(is_untold_row(piece.line_number, content) for piece in best.quote.pieces)
    return give_clause("no cell") if is_untold else ""


def is_untold_row(number: int, content: DocumentContent) -> bool:
    """Whether a line is a row of several figures that goes on below and is in no table that could be read."""
    lines = content.lines_between(number, number + 1)
    if len(lines) < 2 or not is_wrapped(*lines):
        return False
    if sum(any(map(str.isdigit, cell.text)) for cell in cells_of_line(lines[0])[1:]) < 2:
        return False
    return all(table.row_at(number) is None for table in content.tables_on_page(lines[0].page_number))


def doubt_struck(search: Search) -> str:
    """That most of what every primary passage says is struck through on the page."""
    shares = [struck_share(each, search.content_of[each.document_id]) for each in search.primary if each.quote.pieces]
    return give_clause("struck") if shares and min(shares) >= STRUCK_SHARE else ""


def doubt_amended(
    finding: AbsenceVerdict, primary: Sequence[Settled], amended: Mapping[str, Sequence[str]]
) -> AbsenceVerdict:
    """Weak where a primary passage is of a document that another one amends which was not read, whatever it changes."""
    told = {each.document_id: each for each in primary if amended.get(each.document_id)}
    if finding.status not in ("found", "weak") or not told:
        return finding
    reasons = [amended_reason(each.brief.document_title, amended[key]) for key, each in told.items()]
    return finding._replace(status="weak", reason=join_clauses([finding.reason, *reasons], "; "))


def is_only_amended(result: RetrievalResult) -> bool:
    """Whether something was found, and in doubt only because other documents amend those it is of."""
    is_compared = result.question.form == "compare"
    doubts = [part.reason for part in result.parts if part.outcome != "found"] if is_compared else []
    told = [recorded_facts(reason) for reason in doubts or [result.not_found_reason]]
    return result.status == "weak" and all(
        each.get("code") == "amended" for facts in told for each in facts.get("parts", [facts])
    )


def amended_reason(title: str, amending: Sequence[str]) -> Clause:
    """Without titles of what amends a document it names none."""
    return give_clause("amended", title=title, **named_facts(amending), count=len(amending))


def struck_share(candidate: Settled, content: DocumentContent) -> float:
    """The share of a quote's characters that are struck through."""
    struck = total = 0
    for piece in candidate.quote.pieces:
        spans = content.lines[piece.line_number - 1].spans
        total += piece.end - piece.start
        struck += sum(max(min(span.end, piece.end) - max(span.start, piece.start), 0) for span in spans if span.struck)
    return struck / total if total else 0.0


def coverage_evidence(coverage: Coverage) -> str:
    """The documents and pages of the scope, and every gap."""
    states = (coverage.documents, coverage.read, coverage.counted, coverage.unreadable_documents)
    said = [summarise(*states)] if coverage.documents > 1 else []
    if coverage.pages_with_text == coverage.pages:
        said.append(give_clause("pages", some=coverage.pages_with_text, all=coverage.pages))
    return join_clauses([*said, *coverage.gaps], "; ")


def hits_evidence(question: Question, searched: Sequence[SearchedWord]) -> str:
    """How many of the words occur; those of the asker's own that name the topic and do not are named."""
    counts = [word.count for word in searched]
    missing = list(topic_words_nowhere(question, searched))
    some, lines = sum(map(bool, counts)), sum(counts)
    return give_clause("words occur", some=some, all=len(counts), lines=lines, missing=missing)


def support_evidence(zero: str, proposed: Sequence[str], is_primary: bool) -> str:
    if not zero:
        return give_clause("words there")
    if not proposed:
        return give_clause("nothing proposed")
    return give_clause("proposed", proposed=list(proposed), is_primary=is_primary)


def ranking_evidence(ranking: Ranking) -> str:
    count = len(ranking.verdicts)
    primary = sum(verdict.role == "primary" for verdict in ranking.verdicts)
    if not count:
        return give_clause("no candidate")
    if ranking.status == "not_run" or ranking.arbiter == "none":
        return give_clause("not judged", count=count)
    if primary:
        return give_clause("primary", some=primary, all=count)
    why = {"why": recorded_facts(ranking.answerable_reason)} if ranking.answerable_reason else {}
    return give_clause("none carries", count=count, **why)


# ---- confidence: computed from the class of evidence, never reported by a model (R63)

CONFIDENCE = (
    (("exact_title", "co_occurrence"), 0.95),
    (("exact_title",), 0.9),
    (("co_occurrence",), 0.8),
    (("type_match",), 0.7),
)
WORD_ONLY, MEANING_ONLY = 0.55, 0.4
CAPS = {"rules": 0.8, "rerank": 0.6, "none": 0.3}  # nobody judged the passages
NOT_RUN_CAP, WARNING_CAP = 0.3, 0.6
WEAK_STRENGTH, WEAK_CAP = 0.25, 0.4  # the best passage covers little of the question


def confidence_of(status: Status, candidates: Sequence[Settled], ranking: Ranking, coverage: Coverage) -> float:
    """0 if nothing was found, else the best class among the primary candidates, capped by any doubts."""
    if ranking.probability is not None and status in ("found", "weak"):
        is_open = any(not each.clause for each in ranking.contradictions)
        return min(ranking.probability, WARNING_CAP) if is_open else ranking.probability
    if status != "found":
        return 0.0
    primary = [candidate for candidate in candidates if candidate.verdict.role == "primary"]
    value = max((evidence_class(candidate) for candidate in primary), default=MEANING_ONLY)
    value = min(value, CAPS.get(ranking.arbiter, 1.0))
    if ranking.status == "not_run":
        value = min(value, NOT_RUN_CAP)
    if ranking.arbiter != "model" and max((each.strength for each in primary), default=0.0) < WEAK_STRENGTH:
        value = min(value, WEAK_CAP)
    if ranking.contradictions or ranking.answerable is False or coverage.unreadable:
        value = min(value, WARNING_CAP)
    return value


def evidence_class(candidate: Candidate) -> float:
    for names, value in CONFIDENCE:
        if all(getattr(candidate, name) for name in names):
            return value
    return WORD_ONLY if candidate.matched_keywords else MEANING_ONLY
