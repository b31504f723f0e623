"""Whether a passage that is shown for a field says what its name alone asks for (R54, R87).

Every passage about arbitration has words of "arbitration seat", and a court "of competent jurisdiction" is no choice of
one. Where the question is a sentence, what it asks may be said in other words, and nothing is doubted here.
"""

from chat.drafts import Quoted
from chat.figures.typed import cited_lines, contents_of
from reading.matching import match_form
from reading.rows import name_in_force
from retrieval.arbiter.numbers_told import telling_terms
from retrieval.headlines.choosing import SentenceText, is_title
from retrieval.headlines.mismatches import clause_of
from retrieval.headlines.undecided import clause_left_open
from retrieval.question.phrasing import phrasing_rules
from retrieval.types import Question
from retrieval.words.periods import period_words
from retrieval.words.tokens import as_typed, normalise_words

RULED_REACH = 4  # words from "shall" to what is ruled on: "no party shall assign"


def name_unsaid(shown: str, quoted: Quoted, question: Question) -> str:
    """Why a passage that is shown for a name says nothing of it, or "": it is a heading, it holds in a case only, it
    and the title of its section lack words of the name, or the only word of it stands there by the way.
    """
    content, candidate = contents_of([quoted]).get(quoted.candidate.parse_id), quoted.candidate
    if content is None or content.language not in (question.language, "und"):
        return ""
    if is_title(SentenceText((), shown)) or all(line.kind == "heading" for line in cited_lines(quoted, content)):
        return clause_left_open()
    titles, words = normalise_words(name_in_force(candidate.breadcrumb)), normalise_words(shown)
    own = {each.text: {each.text, *each.forms} for each in question.keywords if each.is_own}
    forms = {
        term.text: set[str]().union(*(own.get(text, ()) for text in term.texts))
        for term in telling_terms(question, content)
    }
    limit = phrasing_rules().in_language("limited", question.language).match(shown)
    if limit and all(any_of.isdisjoint(normalise_words(limit[0])) for any_of in forms.values()):
        return clause_left_open()
    is_term = phrasing_rules()["names_term"].match(match_form(question.original))
    if is_term and not tells_span(shown, normalise_words(question.original)[-1]):
        return clause_left_open()
    unsaid = [text for text, any_of in forms.items() if any_of.isdisjoint([*titles, *words])]
    if unsaid or len(forms) != 1:
        return clause_of([as_typed(text, question.original) for text in unsaid])
    (any_of,) = forms.values()
    return "" if not any_of.isdisjoint(titles) or is_ruled_on(any_of, words, question) else clause_left_open()


def tells_span(shown: str, term: str) -> bool:
    """Whether a passage speaks of the term itself, not of terms, and of a start or an end."""
    words = period_words()
    is_spanned = any(words[side].search(match_form(shown)) for side in ("start", "end"))
    return term in normalise_words(shown) and is_spanned


def is_ruled_on(any_of: set[str], words: list[str], question: Question) -> bool:
    """Whether shortly before one of these words a text says what shall or may be."""
    binding = phrasing_rules().in_language("binding", question.language)
    places = [at for at, word in enumerate(words) if word in any_of]
    return any(binding.search(" ".join(words[max(at - RULED_REACH, 0) : at])) for at in places)
