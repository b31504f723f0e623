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
ACROSS_TOLD = 3  # words of the documents beside one of the question


def keywords_told(run: RetrievalRun) -> list[StoredKeyword]:
    """The keywords of a run, all of an older one, without those and the framing words of a language no document has."""
    languages = {*told_of(run).get("languages", ())}
    unseen = words_across(run).keys() - {word["text"] for word in run.searched if word["count"]}
    return [
        each
        for each in run.parsed.get("keywords", [])
        if not is_of_other_language(each["source"], each.get("language", ""), languages)
        and not (each["text"] in unseen and each["priority"] == "secondary")
    ]


def is_of_other_language(source: str, language: str, languages: Collection[str]) -> bool:
    """Whether a keyword was added, and in a language that none of the documents is in."""
    if not languages or UNKNOWN in languages or source in OF_THE_QUESTION:
        return False
    return bool(language) and language not in languages


def words_across(run: RetrievalRun) -> dict[str, str]:
    """The words of a question in a language that no document has, in brackets the documents' words for them; or {}."""
    asked, languages = (run.parsed or {}).get("language", UNKNOWN), told_of(run).get("languages", ())
    if not languages or UNKNOWN in (asked, *languages) or asked in languages or run.parsed.get("form"):
        return {}
    own: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    for each in run.parsed.get("keywords", []):
        if each["source"] in OF_THE_QUESTION or each["language"] in languages:
            words = own if each["source"] in OF_THE_QUESTION else others
            words.setdefault(each.get("group") or each["text"], []).append(each["text"])
    typed = {group: " ".join(as_typed(word, run.question) for word in words) for group, words in own.items()}
    told = {group: f" ({', '.join(words[:ACROSS_TOLD])})" for group, words in others.items()}
    return {own[group][0]: text + told.get(group, "") for group, text in typed.items()}


def words_searched(run: RetrievalRun) -> list[StoredWord]:
    """Every word searched, each with how often it occurs, as the question has it: with its accents."""
    across = words_across(run)
    searched: list[StoredWord] = run.searched
    return [word | {"text": across.get(word["text"], as_typed(word["text"], run.question))} for word in searched]


def searched_told(run: RetrievalRun) -> list[StoredWord]:
    """The same without those that only another language has."""
    told = {each["text"] for each in keywords_told(run)}
    foreign = {each["text"] for each in run.parsed.get("keywords", [])} - told
    shown = zip(run.searched, words_searched(run), strict=True)
    return [words for word, words in shown if word["text"] not in foreign or word["count"]]


def foreign_told(run: RetrievalRun) -> str:
    """That a question is in a language no document has, what its words were searched as, and which were not; or ""."""
    across, keywords = words_across(run), run.parsed.get("keywords", [])
    if not across:
        return ""
    known = {word["text"] for word in run.searched if word["count"]}
    known |= {each["text"] for each in keywords if each.get("priority") == "secondary"}
    carried = [text for text in across.values() if text.endswith(")")]
    lost = [text for word, text in across.items() if text not in carried and word not in known]
    said = [_("Language of the question: %(asked)s; of the documents: %(texts)s.")]
    if carried:
        said.append(_("Searched as: %(carried)s."))
    if lost:
        none = _("The dictionary and the list of everyday words had none for %(lost)s.")
        said += [none, _("Ask in the language of the documents, or add the words to the dictionary.")]
    asked, *texts = (str(LANGUAGES.get(each, each)) for each in (run.parsed["language"], *told_of(run)["languages"]))
    told = {"asked": asked, "texts": _(" and ").join(texts), "carried": ", ".join(carried), "lost": mark_words(lost)}
    return " ".join(said) % told
