"""Words: how a text is cut into them, what says nothing, and which forms count as one word. A leaf."""

import re
import threading
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

import snowballstemmer

WORD = re.compile(r"[^\W_]+")
POSSESSIVE = re.compile(r"'s\b")
ALGORITHMS = {"en": "english", "fr": "french", "de": "german", "es": "spanish"}
SPELLINGS = (
    (re.compile(r"is(?=(?:e|ed|es|er|ers|ing|ation|ations)$)"), "iz"),
    (re.compile(r"our(?=s|ed|ing|$)"), "or"),
)
SPELLING_MIN = 6  # "regularisation" is "regularization"; shorter words ("rise", "hour") are left alone
CORRECTED_MIN = 6  # shorter words have too many neighbours for a slip to be told from another word
COGNATE_PREFIX = 7  # "vocabulaire" and "vocabulary" share eight letters; six would join "contract" and "contrast"
COGNATE_ENDING, COGNATE_MIN = 2, 5  # "période" and "period" differ by an ending
COGNATE_SHARE = 0.7
VOWELS = frozenset("aeiouy")


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS: dict[str, frozenset[str]] = {
    "en": word_set(
        """a about above after again against all also although always am an and another any anyone anything are as at
        be became because become been before being below between both but by can cannot could did do does doing done
        down during each either else ever every everyone everything exactly few for from further get gets getting give
        given gives go goes going got had has have having he her here hers him his how however i if in into is isn it
        its itself just kind let like made make makes many may maybe me might more most much must my neither no nor not
        now of off on once one only onto or other our ours out over own please rather re really same say says shall she
        should show since so some someone something such tell than that the their them then there these they thing
        things this those through thru thus to too toward two under until up upon us use used uses using very via was
        way ways we were what whatever when where whether which while who whom whose why will with within without would
        yet you your yours aren couldn d didn doesn don hadn hasn haven isn ll mustn re s shouldn supposed t understand
        ve wasn weren won wouldn"""
    ),
    "fr": word_set(
        """a afin ai ainsi alors au aucun aucune aussi autre autres aux avait avant avec avoir c ce cela celle celles
        celui ces cet cette ceux chaque ci combien comme comment d dans de des donc dont du elle elles en encore entre
        es est et etaient etait ete etre eu eux fait faut ils il j je l la laquelle le lequel les lesquelles lesquels
        leur leurs lors lui m ma mais me meme memes mes moi mon n ne ni nos notre nous on ont ou par parce pas pendant
        peut peuvent plus pour pourquoi puis qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses si
        sont sous sur t ta te tes toi ton tous tout toute toutes tres tu un une utilise utilisee utilises vos votre vous
        y quatre trois deux"""
    ),
    "de": word_set(
        """aber alle allem allen aller alles als also am an andere anderen auch auf aus bei bin bis bist da dabei damit
        dann das dass dein deine dem den denn der des dessen die dies diese diesem diesen dieser dieses doch dort du
        durch ein eine einem einen einer eines er es etwas euch euer fur gegen gewesen hab habe haben hat hatte hatten
        hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ist ja jede jedem jeden jeder jedes kann kein
        keine konnen machen man mehr mein mit muss nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem
        seinen seiner selbst sich sie sind so soll sollte sondern uber um und uns unser unter viel vom von vor wann war
        waren warum was weil welche welchem welchen welcher welches wenn wer werden wie wieder will wir wird wo wurde
        wurden zu zum zur zwar zwischen wieviel viele"""
    ),
    "es": word_set(
        """a al algo algun alguna algunas algunos ante antes como con contra cual cuales cuando cuanta cuantas cuanto
        cuantos de del desde donde dos durante e el ella ellas ellos en entre era es esa esas ese eso esos esta estaba
        estan estar estas este esto estos fue fueron ha haber habia han hasta hay la las le les lo los mas me mi mis
        mucho muy nada ni no nos nosotros o os otra otras otro otros para pero poco por porque puede pueden que quien
        quienes se sea ser si sin sobre son su sus tambien tanto te tiene tienen todo todos tu tus un una unas uno unos
        usa utiliza y ya yo"""
    ),
}

# Words that frame a question without naming its topic: searched, but they never prove a topic present (SPEC A10).
GENERIC_WORDS: dict[str, frozenset[str]] = {
    "en": word_set(
        """able according actual amount annual among answer article average back base based behind besides book brief calculate call called case chapter clearly come comes
        common company
        companies compare compared comparison compute consider contain corporation count current data day define definition describe
        detail details determine difference differ different discuss divide document drive during end exist explain explicit extent fact
        figure file filing find first fiscal follow following firm formerly full general give happen happens help idea important include
        included indicate information intuition item kind know last less level list look main major mean meaning mention mentioned month
        move name need number occur often ones option options page paper part people per percent percentage piece place point primary
        primarily provide put quarter question quote range reach reason refer regard related relation relative report result
        results say section see set show simple somehow specific state stated statement step sum summarise summarize summary table take told took
        text three time times today topic total type types understand unit usd user value versus vs want went whole word work
        write year years yearly"""
    ),
    "fr": word_set(
        """annee annees annuel annuelle article cas chapitre contenu definition document entreprise exemple fichier mois
        montant nom nombre page partie question rapport resultat section societe somme sorte tableau texte total type
        valeur"""
    ),
    "de": word_set(
        """abschnitt anzahl artikel bericht beispiel betrag definition dokument firma frage gesamt jahr jahre jahrlich
        kapitel monat name seite summe tabelle teil text typ unternehmen wert zahl"""
    ),
    "es": word_set(
        """ano anos anual articulo capitulo cantidad caso definicion documento ejemplo empresa importe informe mes monto
        nombre numero pagina parte pregunta resultado seccion suma tabla texto tipo total valor"""
    ),
}


def words_of(match: str) -> list[str]:
    """The words of a text in match form; a possessive ending is no part of its word."""
    return WORD.findall(POSSESSIVE.sub("", match) if "'s" in match else match)


def is_stop_word(word: str, language: str) -> bool:
    return word in STOP_WORDS.get(language, STOP_WORDS["en"]) or (len(word) == 1 and not word.isdigit())


def is_generic(word: str, language: str) -> bool:
    """Is the word, or an inflection of it, one that only frames a question?"""
    return stem(word, language) in generic_stems(language)


@lru_cache(maxsize=8)
def generic_stems(language: str) -> frozenset[str]:
    return frozenset(stem(word, language) for word in GENERIC_WORDS.get(language, GENERIC_WORDS["en"]))


class Stemmers(threading.local):
    """The stemmers of one thread. The library keeps the word it works on in the stemmer: shared, it mixes up words."""

    def __init__(self) -> None:
        self._by_language: dict[str, snowballstemmer.stemmer] = {}

    def stem(self, word: str, language: str) -> str:
        """The stem of a word in a language of ALGORITHMS."""
        if language not in self._by_language:
            self._by_language[language] = snowballstemmer.stemmer(ALGORITHMS[language])
        return str(self._by_language[language].stemWord(word))


STEMMERS = Stemmers()


@lru_cache(maxsize=200_000)
def stem(word: str, language: str) -> str:
    """The stem of a word in match form; languages without a stemmer, and numbers, keep the word."""
    if language not in ALGORITHMS or not word.isalpha():
        return word
    if language == "en" and len(word) >= SPELLING_MIN:
        for pattern, spelling in SPELLINGS:
            word = pattern.sub(spelling, word)
    return STEMMERS.stem(word, language)


def language_of(words: Iterable[str], default: str) -> str:
    """The language whose small words a question uses most; the default when none stands out."""
    counts = {language: 0 for language in STOP_WORDS}
    for word in words:
        for language, stops in STOP_WORDS.items():
            counts[language] += word in stops
    best = max(counts.values())
    leaders = [language for language, count in counts.items() if count == best]
    return leaders[0] if best and len(leaders) == 1 else default


def is_slip(typed: str, word: str) -> bool:
    """Is `typed` one slip away: two letters swapped, one vowel for another, a vowel or a
    double letter lost or added?

    Other changes make another word ("turned", "tuned"), and reading one word for another would hide an absence.
    """
    if len(typed) == len(word):
        wrong = [index for index in range(len(word)) if typed[index] != word[index]]
        if len(wrong) == 1:
            return typed[wrong[0]] in VOWELS and word[wrong[0]] in VOWELS
        swapped = len(wrong) == 2 and wrong[1] == wrong[0] + 1
        return swapped and typed[wrong[0]] == word[wrong[1]] and typed[wrong[1]] == word[wrong[0]]
    longer, shorter = (typed, word) if len(typed) > len(word) else (word, typed)
    return len(longer) == len(shorter) + 1 and any(
        (letter in VOWELS or letter == longer[index - 1]) and longer[:index] + longer[index + 1 :] == shorter
        for index, letter in enumerate(longer)
        if index
    )


def is_cognate(word: str, other: str) -> bool:
    """Do two words of different languages begin alike for most of their length?"""
    shared = next((index for index, pair in enumerate(zip(word, other, strict=False)) if pair[0] != pair[1]), None)
    length = min(len(word), len(other)) if shared is None else shared
    longer, shorter = max(len(word), len(other)), min(len(word), len(other))
    if length == shorter >= COGNATE_MIN and longer - shorter <= COGNATE_ENDING:
        return True
    return length >= COGNATE_PREFIX and length >= COGNATE_SHARE * longer


def compounds(words: list[str]) -> list[tuple[str, str, str]]:
    """Neighbouring words with the word they would make together: "d model" may stand in the text as "dmodel"."""
    return [(first, second, first + second) for first, second in pairwise(words)]
