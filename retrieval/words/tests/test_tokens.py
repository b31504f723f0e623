"""What is one word, what says nothing, and which slips are read as which words."""

import pytest

from retrieval.words.tokens import (
    ALGORITHMS,
    as_typed,
    generic_words,
    is_cognate,
    is_generic,
    is_slip,
    is_stop_word,
    language_of,
    plurals_of,
    split_words,
    stem,
    stop_words,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("adobe's total-assets", ["adobe", "total", "assets"]),
        ("d_model = 512", ["d", "model", "512"]),
        ("", []),
    ],
)
def test_it_cuts_a_text_into_words(text: str, words: list[str]) -> None:
    assert split_words(text) == words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("regularisation", "regularization"),
        ("encoding", "encodings"),
        ("colours", "color"),
        ("initialised", "initialize"),
        ("analysed", "analyze"),
        ("licences", "license"),
        ("sublicence", "sublicense"),
        ("defence", "defenses"),
        ("centres", "center"),
        ("kilometre", "kilometers"),
        ("catalogue", "catalogs"),
        ("programmes", "program"),
        ("judgement", "judgments"),
        ("instalments", "installment"),
        ("fulfilment", "fulfillment"),
        ("wilfully", "willful"),
        ("cancelled", "canceled"),
    ],
)
def test_inflections_and_spellings_share_a_stem(one: str, other: str) -> None:
    assert stem(one, "en") == stem(other, "en")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("capacity", "cap"),
        ("universal", "universe2"),
        ("2015", "2016"),
        ("cheque", "check"),
        ("eliza", "elisa"),
        ("device", "devise"),
        ("hours", "hors"),
        ("price", "prise"),
        ("four", "for"),
        ("meter", "meteor"),
    ],
)
def test_other_words_do_not(one: str, other: str) -> None:
    assert stem(one, "en") != stem(other, "en")


def test_a_language_without_a_stemmer_keeps_the_word() -> None:
    assert stem("encodings", "und") == "encodings"


@pytest.mark.parametrize(
    ("typed", "word", "slip"),
    [
        ("atention", "attention", True),
        ("platfrom", "platform", True),
        ("catagory", "category", True),
        ("identifer", "identifier", True),
        ("turned", "tuned", False),
        ("revenue", "avenue", False),
        ("prices", "prizes", False),
        ("attention", "attention", False),
        ("contract", "contrast", False),
    ],
)
def test_it_knows_a_slip_from_another_word(typed: str, word: str, slip: bool) -> None:
    assert is_slip(typed, word) is slip


@pytest.mark.parametrize(
    ("word", "other", "alike"),
    [
        ("vocabulaire", "vocabulary", True),
        ("categoriser", "categorize", True),
        ("contract", "contrast", False),
        ("periode", "period", True),
        ("tax", "taxe", False),
    ],
)
def test_it_knows_words_that_two_languages_share(word: str, other: str, alike: bool) -> None:
    assert is_cognate(word, other) is alike


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("what is the notice period", "en"),
        ("quelle est la duree du preavis", "fr"),
        ("wie lange ist die kundigungsfrist", "de"),
        ("cual es el plazo de preaviso", "es"),
        ("framework", "xx"),
    ],
)
def test_it_tells_the_language_by_the_small_words(question: str, language: str) -> None:
    assert language_of(question.split(), default="xx") == language


@pytest.mark.parametrize(
    ("word", "asked", "typed"),
    [
        ("muller", "Was zahlt Müller?", "Müller"),
        ("miete", "Die Miete?", "Miete"),
        ("aes", "Is it encrypted with AES?", "AES"),
        ("保管料", "保管料はいくら", "保管料"),
        ("ايجارا", "كم إيجاراً", "إيجاراً"),
        ("fee", "What rent?", "fee"),
        ("chiffre d affaires", "Quel est le chiffre d'affaires ?", "chiffre d'affaires"),
        ("delai preavis", "Quel délai, quel préavis ?", "délai préavis"),
    ],
)
def test_a_word_is_told_as_it_was_typed(word: str, asked: str, typed: str) -> None:
    assert as_typed(word, asked) == typed


@pytest.mark.parametrize(
    ("word", "language", "other", "is_plural"),
    [
        ("gebuhr", "de", "gebuhren", True),
        ("kunden", "de", "kunde", True),
        ("acmes", "de", "acme", True),
        ("obligations", "fr", "obligation", True),
        ("service", "fr", "services", True),
        ("daten", "de", "date", False),
        ("fin", "fr", "fine", False),
        ("duree", "fr", "during", False),
        ("tenir", "fr", "tenant", False),
        ("ans", "fr", "an", False),
    ],
)
def test_it_knows_the_plural_of_a_word_in_a_text_of_another_language(
    word: str, language: str, other: str, is_plural: bool
) -> None:
    assert (other in plurals_of(word, language)) is is_plural


def test_small_and_framing_words_are_known_in_every_inflection() -> None:
    assert is_stop_word("the", "en") and is_stop_word("x", "en") and not is_stop_word("7", "en")
    assert is_generic("companies", "en") and is_generic("computed", "en") and not is_generic("revenue", "en")
    happens = (("en", "happens"), ("de", "passiert"), ("de", "geschieht"), ("fr", "passe"), ("fr", "arrive"))
    assert all(is_generic(word, language) for language, word in (*happens, ("es", "pasa"), ("es", "ocurre")))
    assert not is_generic("arrivee", "fr") and not is_generic("passage", "fr") and not is_generic("pasaje", "es")


def test_every_language_with_a_stemmer_has_both_lists() -> None:
    assert list(stop_words()) == list(generic_words()) and stop_words().keys() > ALGORITHMS.keys()
    assert all(len(words) > 20 for lists in (stop_words(), generic_words()) for words in lists.values())


@pytest.mark.parametrize(
    ("language", "forms", "other"),
    [
        ("pl", ("oplata", "oplaty"), "oplot"),
        ("fi", ("sauna", "saunassa"), "sana"),
        ("ru", ("посещение", "посещений"), "помещение"),
        ("it", ("canone", "canoni"), "cane"),
        ("nl", ("sleutel", "sleutels"), "slot"),
        ("ja", ("料金",), "入金"),  # of a language without stems
    ],
)
def test_a_word_is_found_as_far_as_its_stem_goes(language: str, forms: tuple[str, ...], other: str) -> None:
    assert len({stem(form, language) for form in forms}) == 1
    assert stem(other, language) != stem(forms[0], language)


def test_a_small_word_tells_no_language_over_a_text_in_one_without_such_words() -> None:
    polish = ["kto", "placi", "do", "konca"]
    assert language_of(polish, default="pl") == "pl" and language_of(polish, default="und") == "en"
    assert language_of(["what", "is", "the", "fee"], default="pl") == "en"
    assert language_of(["which", "supplier", "delivers", "steel", "components"], default="pl") == "en"
    assert language_of(["quel", "fournisseur", "livre", "composants", "acier", "galvanise"], default="it") == "fr"
    assert language_of(["wie", "betaalt", "huur"], default="nl") == "nl"
    assert language_of(["quando", "scade", "l", "opzione"], default="it") == "it"
    assert language_of(["quando", "vence", "um", "contrato"], default="pt") == "pt"
    assert language_of(["quando", "podemos", "pagar"], default="pt") == "pt"
    assert language_of(["quanto", "tempo", "seria", "necessario"], default="pt") == "pt"
    assert language_of(["la", "differenza", "seria", "tra", "i", "due"], default="it") == "it"
    assert language_of(["o", "prazo", "dos", "dois", "contratos", "vence"], default="pt") == "pt"
    assert language_of(["kiedy", "nie", "placi", "najemca"], default="pl") == "pl"
    assert language_of(["hoeveel", "betaalt", "een", "kind"], default="nl") == "nl"
