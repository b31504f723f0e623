"""Question words in section titles (R28). A title the question names whole is the strongest evidence there is (R48)."""

from documents.content import DocumentContent
from documents.matching import match_form
from documents.rows import FRONT_INDEX, TocRow
from retrieval.lexicon import Lexicon, lexicon_of
from retrieval.terms import Term, terms_of
from retrieval.types import Hit, LineRange, Question
from retrieval.words import is_stop_word, words_of

HEAD_LINES = 5  # a title's hit shows the heading and the lines below it
SECTION_NAMED_SCORE = 1.0  # the question names the section itself
EXACT_SHARE = 0.75  # a title is what is asked for when it carries this share of the question's own words


def detect_titles(question: Question, content: DocumentContent) -> list[Hit]:
    """A hit for every section with a question word in its title, best covered first."""
    lexicon = lexicon_of(content)
    terms = [term for term in terms_of(question, lexicon) if term.points]
    total = sum(term.weight for term in terms)
    hits = []
    for entry in content.toc:
        matched = [term for term in terms if is_in_title(term, entry, lexicon)]
        is_named = is_section_named(question.hints.section, entry)
        if entry.index != FRONT_INDEX and (is_named or any(term.is_primary for term in matched)):
            share = sum(term.weight for term in matched) / total if total else 0.0
            hits.append(title_hit(entry, matched, terms, share, is_named, content))
    return sorted(hits, key=lambda hit: (-hit.score, hit.lines))


def title_hit(
    entry: TocRow, matched: list[Term], terms: list[Term], share: float, is_named: bool, content: DocumentContent
) -> Hit:
    words = [word for word in words_of(match_form(entry.title)) if not is_stop_word(word, content.language)]
    covered = sum(any(word in term.forms for term in matched) for word in words) / len(words) if words else 0.0
    # One word is a title by chance: "Attention" is not what "how is attention computed" asks for.
    needed = [term for term in terms if term.is_primary or len(words) == 1]
    asked = sum(term.weight for term in matched if term in needed)
    is_exact = is_named or (covered == 1.0 and asked >= EXACT_SHARE * sum(term.weight for term in needed))
    return Hit(
        method="titles",
        document_id=content.document_id,
        lines=LineRange(entry.first_line, min(entry.first_line + HEAD_LINES - 1, entry.last_line)),
        score=SECTION_NAMED_SCORE if is_named else share * covered,
        matched_keywords=tuple(term.text for term in matched),
        toc_index=entry.index,
        exact_title=is_exact,
        detail=entry.title,
    )


def is_in_title(term: Term, entry: TocRow, lexicon: Lexicon) -> bool:
    return any(entry.index in lexicon.titles.get(form, ()) for form in term.forms)


def is_section_named(named: str, entry: TocRow) -> bool:
    wanted, title = match_form(named), match_form(entry.title)
    return bool(wanted) and (
        entry.number.rstrip(".").casefold() == wanted or title == wanted or f"appendix {wanted}" in title
    )
