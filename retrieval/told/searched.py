"""Which of the words searched are told: the asker’s own, and added ones of the languages the documents have.

And that a question is in another language than the documents, and what carried its words across.
"""

from collections.abc import Collection

from django.utils.translation import gettext as _

from retrieval.models import RetrievalRun
from retrieval.told.columns import StoredKeyword, StoredWord
from retrieval.told.reasons import LANGUAGES, mark_words, told_of
from retrieval.words.tokens import as_typed

OF_THE_QUESTION = ("direct", "identifier")  # keywords of other sources add what the asker did not write
UNKNOWN = "und"
CARRIED_TOLD = 3  # words of the documents beside one of the question


def keywords_told(run: RetrievalRun) -> list[StoredKeyword]:
    """The keywords of a run without those of a language that no document read has; all of an older run."""
    languages = {*told_of(run).get("languages", ())}
    keywords: list[StoredKeyword] = run.parsed.get("keywords", [])
    return [each for each in keywords if not is_of_other_language(each["source"], each.get("language", ""), languages)]


def is_of_other_language(source: str, language: str, languages: Collection[str]) -> bool:
    """Whether a keyword was added, and in a language that none of the documents is in."""
    if not languages or UNKNOWN in languages or source in OF_THE_QUESTION:
        return False
    return bool(language) and language not in languages


def words_searched(run: RetrievalRun) -> list[StoredWord]:
    """Every word searched, each with how often it occurs, as the question has it: with its accents."""
    searched: list[StoredWord] = run.searched
    return [word | {"text": show_word(word, run)} for word in searched]


def show_word(word: StoredWord, run: RetrievalRun) -> str:
    """A word that was searched, or several that count as one, in brackets what stands for it in another language."""
    own = [each for each in (run.parsed or {}).get("keywords", []) if each["source"] in OF_THE_QUESTION]
    groups = (each.get("group") or each["text"] for each in own if each["text"] == word["text"])
    typed = as_typed(next(groups, word["text"]), run.question)
    carried = word.get("carried", ())[:CARRIED_TOLD]
    return f"{typed} ({', '.join(carried)})" if carried else typed


def searched_told(run: RetrievalRun) -> list[StoredWord]:
    """The same without those that only another language has."""
    told = {each["text"] for each in keywords_told(run)}
    foreign = {each["text"] for each in run.parsed.get("keywords", [])} - told
    shown = zip(run.searched, words_searched(run), strict=True)
    return [words for word, words in shown if word["text"] not in foreign or word["count"]]


def asked_nowhere(run: RetrievalRun) -> list[str]:
    """The words of the question that no page has, without those that only frame it and those that were added."""
    other = {
        each["text"]
        for each in (run.parsed or {}).get("keywords", [])
        if each["source"] not in OF_THE_QUESTION or each.get("priority") == "secondary"
    }
    return [show_word(word, run) for word in run.searched if not word["count"] and word["text"] not in other]


def foreign_told(run: RetrievalRun) -> str:
    """That a question is in a language no document has, what stands for its words, and which had none added; or ""."""
    asked, languages = (run.parsed or {}).get("language", UNKNOWN), told_of(run).get("languages", ())
    if not languages or UNKNOWN in (asked, *languages) or asked in languages or run.parsed.get("form"):
        return ""
    own = {each["text"]: each for each in keywords_told(run) if each["source"] in OF_THE_QUESTION}
    rows = [word for word in run.searched if word["text"] in own]
    carried = [show_word(word, run) for word in rows if word.get("carried")]
    unseen = [word for word in rows if not word["count"] and own[word["text"]].get("priority") != "secondary"]
    lost = [word for word in unseen if "carried" in word and word["forms"] == own[word["text"]]["forms"]]
    unmet = [word for word in unseen if "carried" in word and word not in lost]
    if not carried and not unseen:
        return ""
    said = [_("Language of the question: %(asked)s; of the documents: %(texts)s.")]
    if carried:
        said.append(_("Searched as: %(carried)s."))
    if unmet:
        said.append(_("Nothing that stands for %(unmet)s was found."))
    if lost:
        said.append(_("The dictionary and the list of everyday words had none for %(lost)s."))
        said.append(_("Ask in the language of the documents, or add the words to the dictionary."))
    asked, *texts = (str(LANGUAGES.get(each, each)) for each in (asked, *languages))
    named = {"asked": asked, "texts": _(" and ").join(texts)}
    named |= {"carried": ", ".join(carried), "lost": mark_words([show_word(word, run) for word in lost])}
    named |= {"unmet": mark_words([show_word(word, run) for word in unmet])}
    return " ".join(said) % named
