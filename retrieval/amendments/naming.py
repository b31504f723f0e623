"""How a document names another one by its date: "Amendment No. 2 to the Agreement dated 3 May 2019".

Between the article and the date stand words of the other's title, or a word for any contract, and nothing else that
tells it from others: "the Loan Agreement dated 3 May 2019" is no lease agreement of that day. The words are data
(`naming.*.toml`).
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from documents.storage.content import DocumentContent
from reading.wording import read_once
from retrieval.amendments.sentences import dated_cover, own_date
from retrieval.words.tokens import is_stop_word, normalise_words, stem

TITLE_CHARS_MAX = 160
REACH = 160  # characters before a date in which the name stands
SENTENCE_END = re.compile(r"(?<=[^\W\d_]{4})\.\s|[;:()]")  # no point of an ordinal, of "No." and "Nr."
SECTION = re.compile(r"\W*\d")  # a heading with a number: of a part, not of the document
FRAMES = {name: rf"\A(?:{{{name}}})\Z" for name in ("agreement", "article", "dating", "qualifier", "compound")}
HEAD_FIRST = frozenset({"fr", "es"})  # "contrat de bail", but "lease agreement"
FRAMES["amendment"] = r"(?<!\w)(?:{amendment})(?!\w)"
naming_words = read_once(__name__, "naming", FRAMES)


def is_named_by_date(naming: DocumentContent, other: DocumentContent) -> bool:
    """Whether a document's first page names the other as a contract, or by its own title's words, of its own date.

    The first date of the other's first page is its own, if it is not that of a document that it names in this way.
    """
    own = own_date(other)
    if not own or own not in dates_named(naming, other):
        return False
    (text, _), *_ = dated_cover(other)
    return not is_naming(text, other)


def dates_named(naming: DocumentContent, other: DocumentContent) -> list[str]:
    """The dates on a document's first page that stand behind what may be the name of the other."""
    return [date for text, date in dated_cover(naming) if is_naming(text, other)]


def is_naming(text: str, other: DocumentContent) -> bool:
    """Whether a text before a date ends in what may be the name of a document, after an article."""
    said = naming_words()
    words = normalise_words(SENTENCE_END.split(text[-REACH:])[-1])[::-1]
    dating = list(takewhile(said["dating"].match, words))
    titles = titles_of(other)
    heads = {head for title in titles if (head := head_word_of(title, other.language))}
    known = {stem(word, other.language) for title in titles for word in title}
    printed = {word for line in other.cover for word in normalise_words(line.match)}
    name: list[str] = []
    for word in words[len(dating) :]:
        has_head = any(said["agreement"].match(each) or is_head(each, heads, other.language) for each in name)
        if has_head and said["article"].match(word):
            return bool(dating)
        is_known = stem(word, other.language) in known or said["agreement"].match(word) or said["qualifier"].match(word)
        if not (is_known or (word.isdigit() and word in printed) or is_head(word, heads, other.language)):
            return False
        name.append(word)
    return False


def titles_of(content: DocumentContent) -> list[list[str]]:
    """What others may call a document, as words: the first part of its title, and what it prints on top."""
    headings = (line.text for line in content.cover if line.kind == "heading")
    printed = next((text for text in headings if not SECTION.match(text)), "")
    return [normalise_words(title[:TITLE_CHARS_MAX].split(",")[0]) for title in (content.title, printed)]


def head_word_of(title: Sequence[str], language: str) -> str:
    """The word of a title that says what the document is: of "Lease of the workshop" and "Warehouse Lease" "Lease"."""
    begun = list(words_until_stop(title, language))
    return "" if not begun else begun[0] if language in HEAD_FIRST else begun[-1]


def words_until_stop(title: Sequence[str], language: str) -> Iterator[str]:
    """The first words of a title in a row that tell something: no numbers, and no words of grammar before them."""
    has_begun = False
    for word in title:
        if is_stop_word(word, language) or naming_words()["qualifier"].match(word):
            if has_begun:
                return
        elif not word.isdigit():
            has_begun = True
            yield word


def is_head(word: str, heads: set[str], language: str) -> bool:
    """Whether a word is one of the heads, or the end of one that says the kind of contract."""
    root = stem(word, language)
    is_compound = naming_words()["compound"].match(root) is not None
    return any(root == stem(head, language) or (is_compound and head.endswith(root)) for head in heads)
