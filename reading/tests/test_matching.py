"""Match forms fold what R8 folds and always map back to the source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading.matching import identifier_form, loose_map, match_form, match_map

TRICKY = st.text(
    alphabet=st.one_of(
        st.sampled_from("aZ9 .-_%$()\t\u00a0\u00ad\ufb01é\u2019\u201c\u2013\u2212…İßŒ·•\u0301`"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=60,
)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Total  Assets", "total assets"),
        ("T A B L E  O F  C O N T E N T S", "table of contents"),
        ("P A R T I", "parti"),
        ("I have a dog and a cat", "i have a dog and a cat"),
        ("e\ufb03cient na\u00efve caf\u00e9", "efficient naive cafe"),
        ("co\u00adoperate", "cooperate"),
        ("don\u2019t \u201cquote\u201d", 'don\'t "quote"'),
        ("\u22125 \u2013 6\u20147", "-5 - 6-7"),
        ("Fiscal\u00a02015", "fiscal 2015"),
        ("Goodwill ................ 12", "goodwill 12"),
        ("Net income . . . . . . 5", "net income 5"),
        ("( 169,080 ) 12 %", "(169,080) 12%"),
        ("$ 2,213", "$2,213"),
        ("Stra\u00dfe", "strasse"),
        ("", ""),
    ],
)
def test_it_folds_what_does_not_matter(text: str, form: str) -> None:
    assert match_form(text) == form


@given(TRICKY)
def test_it_maps_every_character_of_the_form_to_the_source(text: str) -> None:
    form, indexes = match_map(text)
    assert form == match_form(text)
    assert len(form) == len(indexes)
    assert indexes == sorted(indexes)
    assert all(0 <= index < len(text) for index in indexes)


@given(TRICKY)
def test_it_maps_the_loose_form_too(text: str) -> None:
    form, indexes = loose_map(text)
    assert len(form) == len(indexes) and " " not in form and "-" not in form


def test_it_maps_a_found_stretch_to_the_literal_text() -> None:
    text = "The  \ufb01rst “caf\u00e9” costs $ 5"
    form, indexes = match_map(text)
    start = form.index("cafe")
    assert text[indexes[start] : indexes[start + 3] + 1] == "caf\u00e9"


@pytest.mark.parametrize("variant", ["d_model", "dmodel", "d model", "D-Model", "d\u00admodel"])
def test_it_sees_one_identifier_in_all_its_spellings(variant: str) -> None:
    assert identifier_form(variant) == "dmodel"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("L’entité a cédé son cœur de métier", "l'entite a cede son coeur de metier"),
        ("« Résultat opérationnel »", '" resultat operationnel "'),
        ("Où ça ? À l’Île-d’Yeu, naïvement", "ou ca ? a l'ile-d'yeu, naivement"),
        ("1 234,56 €", "1 234,56 €"),
        ("É T A T S  F I N A N C I E R S", "etats financiers"),
    ],
)
def test_it_folds_french(text: str, form: str) -> None:
    assert match_form(text) == form == match_map(text)[0]
