"""Forms of a text for matching only (R8). The text is never changed: every form maps back to source offsets."""

import re
import unicodedata
from collections.abc import Sequence

DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u2043"
SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4\u0060"
DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"
INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f"
LINE_HYPHENS = "-\u2010\u00ad"
LETTERS_MIN = 3  # R8: a heading is letter-spaced from three single letters on

LEADERS = re.compile(r"(?:\. ?){4,}|(?:[_\u00b7\u2022-] ?){4,}")
LEADER_SIGN = re.compile(r"\.\.\.|\. \. |__|_ _|--|- -|[\u00b7\u2022]")
TIGHT_SIGNS = re.compile(r" (?=[%)])|(?<=[($]) ")
LOOSE_SIGN = re.compile(r" [%)]|[($] ")
NOT_WORD = re.compile(r"[\W_]+")

# Scripts written without spaces: what runs of Han and katakana say is told by their pairs of characters, and hiragana
# stands between them.
HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
KATAKANA, HIRAGANA = "\u30a1-\u30fa\u30fc-\u30fe", "\u3041-\u309f"
UNSPACED = re.compile(f"[{HAN}{KATAKANA}{HIRAGANA}]")
RUN = re.compile(f"[{HAN}{KATAKANA}]+")
RUN_OR_WORD = re.compile(f"[{HAN}{KATAKANA}]+|[^\\W_{HAN}{KATAKANA}{HIRAGANA}]+")
# Signs after which, and before which, a line of such a script goes on without a space.
WIDE = "\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef"
RUN_PARTS = re.compile(f"[{HAN}{KATAKANA}]+|[^{HAN}{KATAKANA}{HIRAGANA}]+")
WIDE_SIGN = re.compile(f"[{WIDE}]")
LINE_END = re.compile(f"(?<=[{WIDE}])[ \t]*\n[ \t]*(?=[{WIDE}])")
KANA_MARKS = "\u3099\u309a"  # they make another syllable, as no accent does
MARKED = re.compile(f"[\u3041-\u30ff][{KANA_MARKS}]")

# A place in a list of lines: (line index, start, end), the end exclusive.
LinePiece = tuple[int, int, int]


class CharacterFolds(dict[int, str]):
    """Each character's replacement in the match form, filled on demand, for `str.translate`."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = fold_character(chr(code))
        return folded


def fold_character(character: str) -> str:
    """Lower case without accents, ligatures, typographic quotes and dashes; "" for invisible characters."""
    if character in INVISIBLE:
        return ""
    if character in DASHES:
        return "-"
    if character in SINGLE_QUOTES:
        return "'"
    if character in DOUBLE_QUOTES:
        return '"'
    if character.isspace():
        return " "
    decomposed = unicodedata.normalize("NFKD", character.casefold())
    kept = "".join(part for part in decomposed if not unicodedata.combining(part) or part in KANA_MARKS).casefold()
    kept = compose(kept) if kept[-1:] in KANA_MARKS else kept
    return kept.translate(LETTER_FOLDS)


# Ligatures and crossed letters that Unicode does not decompose ("cœur" is searched as "coeur").
LETTER_FOLDS = {ord(dash): "-" for dash in DASHES} | str.maketrans(
    {"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
FOLDS = CharacterFolds()


def match_form(text: str) -> str:
    """The form in which texts are compared; equal to `match_map(text)[0]`, but faster."""
    text = text.replace("\n", " ")  # a line feed does not count as printable
    folded = text.lower() if text.isascii() and text.isprintable() and "`" not in text else text.translate(FOLDS)
    folded = folded if folded.isascii() else MARKED.sub(lambda found: compose(found.group()), folded)
    words = folded.split()
    if len(words) >= LETTERS_MIN and is_letter_spaced(words):
        words = join_characters(joined_letters([(character, 0) for character in folded])).split()
    folded = " ".join(words)
    if LEADER_SIGN.search(folded):
        folded = " ".join(LEADERS.sub(" ", folded).split())
    return TIGHT_SIGNS.sub("", folded) if LOOSE_SIGN.search(folded) else folded


def compose(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def match_map(text: str) -> tuple[str, list[int]]:
    """The match form and, for each of its characters, the index of the source character it comes from."""
    pairs = [(part, index) for index, character in enumerate(text) for part in FOLDS[ord(character)]]
    for found in reversed(list(MARKED.finditer(join_characters(pairs)))):
        start, end = found.span()
        pairs[start:end] = [(part, pairs[start][1]) for part in compose(found.group())]
    if is_letter_spaced(join_characters(pairs).split()):
        pairs = joined_letters(pairs)
    pairs = collapse_spaces(replace_pattern(collapse_spaces(pairs), LEADERS, " "))
    pairs = replace_pattern(pairs, TIGHT_SIGNS, "")
    return join_characters(pairs), [index for _, index in pairs]


def loose_map(text: str) -> tuple[str, list[int]]:
    """The match form without spaces and hyphens, mapped; finds quotes across line ends and split words."""
    folded, indexes = match_map(text)
    kept = [position for position, character in enumerate(folded) if character not in " -"]
    return "".join(folded[position] for position in kept), [indexes[position] for position in kept]


def pairs_of(run: str) -> list[str]:
    """The pairs of neighbouring characters of a run without spaces; a single character is a word."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def full_text_form(text: str) -> str:
    """The match form with the pairs of each run as words, for a full text that knows words by spaces."""
    if not UNSPACED.search(text):
        return match_form(text)
    matched = match_form(LINE_END.sub("", text))
    parts = (
        " ".join(pairs_of(part)) if RUN.fullmatch(part) else part
        for word in matched.split(" ")
        for part in (RUN_PARTS.findall(word) if UNSPACED.search(word) else [word])
    )
    return " ".join(parts)


def join_without_space(text: str) -> str:
    """A text of several lines as one: no space where one line ends, and the next begins, in a script without them."""
    return " ".join(LINE_END.sub("", text).split())


def identifier_form(text: str) -> str:
    """Letters and digits only, so that "d_model", "d model" and "dmodel" are one identifier."""
    return NOT_WORD.sub("", match_form(text))


def is_split_word(text: str, following: str) -> bool:
    return len(text) > 1 and text[-1] in LINE_HYPHENS and text[-2].isalpha() and following[:1].islower()


def goes_on_without_space(text: str, following: str) -> bool:
    """Whether no space stands between a line and the next one: a split word, or a script written without spaces."""
    return is_split_word(text, following) or bool(WIDE_SIGN.match(text[-1:]) and WIDE_SIGN.match(following[:1]))


def is_letter_spaced(words: Sequence[str]) -> bool:
    """R8: whether at least three, and more than half, of the words are single letters."""
    if 2 * list(map(len, words)).count(1) <= len(words):  # of nearly every line; a tenth of the time
        return False
    letters = len([word for word in words if len(word) == 1 and word.isalpha()])
    return letters >= LETTERS_MIN and letters * 2 > len(words)


def joined_letters(pairs: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Drop the single spaces between single letters; wider gaps remain as word ends."""
    text = join_characters(pairs)
    single = {
        index
        for index, character in enumerate(text)
        if character.isalpha()
        and (index == 0 or text[index - 1] == " ")
        and (index + 1 == len(text) or text[index + 1] == " ")
    }
    return [
        pair for index, pair in enumerate(pairs) if not (pair[0] == " " and index - 1 in single and index + 1 in single)
    ]


def replace_pattern(pairs: list[tuple[str, int]], pattern: re.Pattern[str], by: str) -> list[tuple[str, int]]:
    kept: list[tuple[str, int]] = []
    position = 0
    for found in pattern.finditer(join_characters(pairs)):
        kept += pairs[position : found.start()]
        kept += [(by, pairs[found.start()][1])] if by else []
        position = found.end()
    return kept + pairs[position:]


def collapse_spaces(pairs: list[tuple[str, int]]) -> list[tuple[str, int]]:
    kept: list[tuple[str, int]] = []
    for pair in pairs:
        if pair[0] != " " or kept and kept[-1][0] != " ":
            kept.append(pair)
    return kept[:-1] if kept and kept[-1][0] == " " else kept


def join_characters(pairs: list[tuple[str, int]]) -> str:
    return "".join([character for character, _ in pairs])
