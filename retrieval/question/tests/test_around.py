"""How much to read around a place is taken from unmistakable requests only, in each language (R21, R71)."""

from typing import Any

import pytest

from retrieval.pipeline import retrieve
from retrieval.question.phrasing import around_asked, lines_beside_asked, split_scope
from retrieval.tests.builders import SETTINGS, content_of_lines
from retrieval.types import RetrievalResult

# What shares its words with such a request and is something else. None of it is read, and each word is searched.
OTHER_SENSES = [
    # Absatz: sales; Anlage: a plant; Satz: a rate; Seite: a party; Abschnitt: a period, a stretch of road
    "Wie hoch war der Absatz 2023?",
    "Wie entwickelte sich der gesamte Absatz in Europa?",
    "Zeigen Sie mir den Absatz in Europa",
    "Zeigen Sie den gesamten Absatz von 2023",
    "Nennen Sie den ganzen Absatz in Stück",
    "Was kostet die Anlage, mit der ganzen Anlage?",
    "Wer wartet die gesamte Anlage?",
    "Wie hoch sind die Zinsen? Nur den Satz.",
    "Trägt die ganze Seite der Käufer die Kosten?",
    "Was kostet der Anstrich, mit der ganzen Seite?",
    "Wer sperrt den ganzen Abschnitt der Autobahn?",
    "Zeigen Sie den ganzen Abschnitt der Autobahn",
    "Darf der Mieter den ganzen Abschnitt streichen?",
    "Muss er unterschreiben und den ganzen Abschnitt lesen?",
    "Gilt das für das ganze Dokument?",
    "Was kostet das Grundstück, samt Umgebung?",
    "Wem gehört das Haus mit dem Text darum?",
    "Zeigen Sie nicht den ganzen Abschnitt zur Miete",
    "Wer druckt den Text davor und danach?",
    "Welche Formulare haben 2 Zeilen darunter?",
    # parte: a party; apartado: a post box; línea: of credit, of a metro; sección: a department; página: of the web
    "¿Qué firma la parte?",
    "¿Qué debe pagar toda la parte arrendadora?",
    "Muéstreme la parte vendedora",
    "¿Cuál es el apartado de correos?",
    "¿Quién dirige toda la sección de personal?",
    "Muéstreme toda la sección de personal",
    "¿Quién mantiene la página entera?",
    "¿Debe el inquilino firmar todo el documento?",
    "¿Puede el editor suprimir toda la cláusula y pagar?",
    "¿Se devuelve el artículo completo?",
    "¿Cuál es la línea de crédito exacta?",
    "¿Qué ciudad tiene 2 líneas después?",
    "¿Qué efecto tiene la crisis con su contexto?",
    "No me muestre toda la sección sobre la renta",
    # an article that is sold, a page of advertising, a section of track, a document that is signed
    "Is the complete article refunded?",
    "What comes in the box, with the complete article?",
    "What does the full page advertisement cost?",
    "Who closes the whole section on Sundays?",
    "Show the whole section of the pipeline",
    "Must the tenant sign and return the whole document?",
    "Does the licence cover the cover and the whole document?",
    "May the tenant strike the whole clause?",
    "Who may amend the paragraph on rent?",
    "Don't show me the whole page",
    "What stands around it?",
    "Which tram has two lines after?",
    "L'article complet est-il remboursé ?",
    "Que reçoit le client, avec l'article complet ?",
    "Qui ferme toute la section du tunnel ?",
    "Montrez toute la section du tunnel",
    "Faut-il signer et rendre tout le document ?",
    "Qui peut modifier le paragraphe sur le loyer ?",
    "Combien coûte toute la page de publicité ?",
    "Quelle ville a 2 lignes après ?",
    "Ne montrez pas toute la page",
]


@pytest.mark.parametrize("text", OTHER_SENSES)
def test_what_means_something_else_is_searched_as_it_stands(text: str) -> None:
    """(R21)"""
    assert (around_asked(text), lines_beside_asked(text), split_scope(text)) == ("", (0, 0), (text.rstrip("."), ()))


@pytest.mark.parametrize(
    ("text", "around", "topic"),
    [
        ("Zeigen Sie mir den ganzen Abschnitt zur Miete", "section", "Miete"),
        ("Wie hoch ist die Miete? Zitieren Sie bitte den ganzen Abschnitt.", "section", "Wie hoch ist die Miete?"),
        ("Wie hoch ist die Miete, mit dem gesamten Abschnitt?", "section", "Wie hoch ist die Miete ?"),
        ("Wie hoch ist die Miete? Die vollständige Klausel.", "section", "Wie hoch ist die Miete?"),
        ("Zeigen Sie mir den Wortlaut von § 5 zur Miete", "section", "§ 5 zur Miete"),
        ("Wie hoch ist die Miete, mit dem Text davor und danach?", "paragraph", "Wie hoch ist die Miete ?"),
        ("Wie hoch ist die Miete, mit dem umgebenden Text?", "paragraph", "Wie hoch ist die Miete ?"),
        ("Zitieren Sie die Textstelle samt Umgebung zur Miete", "paragraph", "Miete"),
        ("Bitte zeigen Sie die ganze Seite zur Miete", "page", "Miete"),
        ("Gib mir das ganze Kapitel über Miete", "chapter", "Miete"),
        ("Wie hoch ist die Miete und zeigen Sie mir das ganze Dokument", "document", "Wie hoch ist die Miete"),
        ("Wie hoch ist die Miete? Nur den genauen Wortlaut.", "line", "Wie hoch ist die Miete?"),
        ("Muéstreme toda la sección sobre la renta", "section", "la renta"),
        ("¿Me muestra toda la cláusula sobre la renta?", "section", "la renta?"),
        ("¿Cuál es la renta, con el apartado completo?", "section", "¿Cuál es la renta ?"),
        ("¿Cuál es la renta? Cite la cláusula entera.", "section", "¿Cuál es la renta?"),
        ("Deme el texto íntegro del artículo 5 sobre la renta", "section", "artículo 5 sobre la renta"),
        ("¿Cuál es la renta, con su contexto?", "paragraph", "¿Cuál es la renta ?"),
        ("¿Cuál es la renta y muéstreme el párrafo completo?", "paragraph", "¿Cuál es la renta ?"),
        ("¿Cuál es la renta, con la página entera?", "page", "¿Cuál es la renta ?"),
        ("Muéstrame todo el capítulo sobre la renta", "chapter", "la renta"),
        ("¿Cuál es la renta, con todo el documento?", "document", "¿Cuál es la renta ?"),
        ("¿Cuál es la renta? Solo la frase.", "line", "¿Cuál es la renta?"),
        ("I would like to see the whole section on rent", "section", "rent"),
        ("Please show me the full text of clause 5 on rent", "section", "clause 5 on rent"),
        ("What is the rent, and show me the whole section", "section", "What is the rent"),
        ("What is the rent, with the text around it?", "paragraph", "What is the rent ?"),
        ("What is the rent? The whole page.", "page", "What is the rent?"),
        ("Quel est le loyer, avec le texte qui l’entoure ?", "paragraph", "Quel est le loyer ?"),
        ("Quel est le loyer ? Montrez-moi l'article en entier.", "section", "Quel est le loyer ?"),
        ("Donnez-moi le texte intégral de l'article 5 sur le loyer", "section", "l'article 5 sur le loyer"),
    ],
)
def test_unmistakable_requests_are_read_in_each_language(text: str, around: str, topic: str) -> None:
    """(R21, R71)"""
    assert (around_asked(text), split_scope(text)[0]) == (around, topic)


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("Wie hoch ist die Miete, mit zwei Zeilen davor und 5 danach?", 2, 5),
        ("Zeigen Sie mir 3 Zeilen darüber", 3, 0),
        ("¿Cuál es la renta, con 2 líneas antes y 5 después?", 2, 5),
        ("Muéstreme 3 líneas después", 0, 3),
    ],
)
def test_counted_lines_are_read_in_german_and_spanish(text: str, before: int, after: int) -> None:
    """(R21)"""
    assert lines_beside_asked(text) == (before, after)


def judged(run: RetrievalResult) -> tuple[Any, ...]:
    verdicts = [(each.anchor, each.verdict) for each in run.candidates]
    return run.status, run.not_found_reason, run.confidence, verdicts


CONTRACT = content_of_lines(
    ["# Miete", "Die Miete beträgt 900 Euro im Monat.", "Sie ist am Ersten fällig.", "# Absatz"]
    + ["Der Absatz betrug 2023 in Europa 400 Stück.", "Der Umsatz stieg."]
)


@pytest.mark.parametrize(
    ("question", "request_"),
    [
        ("Wie hoch ist die Miete im Monat", ", mit dem ganzen Abschnitt?"),
        ("Wie hoch ist die Miete im Monat", ", mit dem Text davor und danach?"),
        ("Wie hoch war der Absatz in Asien", ", mit der vollständigen Klausel?"),
        ("Wie hoch war die Kaution", ", mit dem ganzen Dokument?"),
        ("¿Cuál es la fianza", ", con toda la sección?"),
    ],
)
def test_only_how_much_is_handed_on_changes(question: str, request_: str) -> None:
    """(R21, R71): neither the outcome, nor a verdict, a confidence or the words that are searched."""
    runs = [retrieve(f"{question}{end}", [CONTRACT], settings=SETTINGS, arbiter="rules") for end in ("?", request_)]
    plain, wide = ((run.question.keywords, judged(run)) for run in runs)
    assert plain == wide
    assert runs[1].question.hints.around
