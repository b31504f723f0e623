"""Which of the words searched are told: the asker’s own, and added ones of the languages the documents have.

And that a question is in another language than the documents, where nothing carried its words across.
"""

from collections.abc import Collection, Iterable

from django.utils.translation import gettext as _

from retrieval.models import RetrievalRun
from retrieval.told.columns import StoredKeyword, StoredQuestion, StoredWord
from retrieval.told.reasons import LANGUAGES, told_of
from retrieval.words.tokens import as_typed

OF_THE_QUESTION = ("direct", "identifier")  # keywords of other sources add what the asker did not write
UNKNOWN = "und"


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
    told: list[StoredWord] = [word.copy() for word in run.searched]
    for word in told:
        word["text"] = as_typed(word["text"], run.question)
    return told


def searched_told(run: RetrievalRun) -> list[StoredWord]:
    """The same without those that only another language has."""
    told = {each["text"] for each in keywords_told(run)}
    foreign = {each["text"] for each in run.parsed.get("keywords", [])} - told
    shown = zip(run.searched, words_searched(run), strict=True)
    return [words for word, words in shown if word["text"] not in foreign or word["count"]]


def foreign_told(run: RetrievalRun) -> str:
    """What `say_other_language` says of a stored run."""
    return say_other_language(run.parsed, told_of(run).get("languages", ()), run.searched)


def say_other_language(parsed: StoredQuestion, languages: Collection[str], searched: Iterable[StoredWord]) -> str:
    """That a question is in a language no document has, and what to do; "" where its words were found all the same."""
    asked, keywords = parsed.get("language", UNKNOWN), parsed.get("keywords", [])
    if not languages or UNKNOWN in (asked, *languages) or asked in languages or parsed.get("form"):
        return ""
    occurring = {word["text"] for word in searched if word["count"]}
    own = {each["text"] for each in keywords if each["source"] in OF_THE_QUESTION}
    carried = {each["text"] for each in keywords} - own
    if not own or own <= occurring or carried & occurring:
        return ""
    texts = _(" and ").join(str(LANGUAGES.get(each, each)) for each in languages)
    return _(
        "Language of the question: %(asked)s; of the documents: %(texts)s. Words are carried across by the dictionary"
        " alone, and it had none for these. Ask in the language of the documents, or add the words to the dictionary."
    ) % {"asked": str(LANGUAGES.get(asked, asked)), "texts": texts}
