"""Every message has French and German words, compiled; the switch and the browser's wish choose the language."""

import ast
import gettext
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from django.conf import settings
from django.test import Client
from django.utils import translation
from django.utils.formats import date_format

from accounts.models import User
from docintel_site import translations
from documents.pages.phrasing import group_thousands, within_sentence

pytestmark = pytest.mark.django_db


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of one template and one script, to be translated."""
    (tmp_path / "templates").mkdir()
    (tmp_path / "static").mkdir()
    (tmp_path / "templates" / "page.html").write_text(
        '<p>\n  {% translate "Upload" %}\n    <b>{% blocktranslate count n=n %}{{ n }} page{% plural %}{{ n }} pages'
        "{% endblocktranslate %}</b></p>"
    )
    (tmp_path / "static" / "page.js").write_text('say(gettext("Uploading"), ngettext("one file", "files", n));')
    monkeypatch.setattr(translations, "ROOT", tmp_path)
    return tmp_path


def fill(domain: str, words: dict[str, str | tuple[str, ...]]) -> None:
    catalog = translations.read_catalog("fr", domain)
    for message in catalog:
        if message.id:
            message.string = words[translations.first_form(message)]
    translations.po_path("fr", domain).write_bytes(translations.po_bytes(catalog))


@pytest.mark.parametrize("language", translations.LANGUAGES)
def test_nothing_is_untranslated_or_compiled_from_older_words(language: str) -> None:
    assert translations.find_catalog_faults(language) == [], "run manage.py translations and translate what it names"


@pytest.mark.parametrize("language", translations.LANGUAGES)
def test_no_translation_has_two_sentences_glued_together(language: str) -> None:
    glued = re.compile(r"[a-zà-ÿ]\.[A-ZÀ-Ý][a-zà-ÿ]+ ")
    catalog = translations.read_catalog(language, translations.PAGES)
    assert [each.id for each in catalog if glued.search(str(each.string)) and not glued.search(str(each.id))] == []


MISSPACED = {
    "fr": re.compile(r"(?<!\u00a0)[:»](?=[\s»]|$)|(?<!\u202f)[;!?](?=[\s»]|$)|«(?!\u00a0)| %%|\d %"),
    "de": re.compile(r"\s[:;!?](?=\s|$)|„\s|\s“| %%|\d %"),
}


@pytest.mark.parametrize("domain", [translations.PAGES, translations.SCRIPTS])
@pytest.mark.parametrize("language", translations.LANGUAGES)
def test_the_space_before_a_sign_is_the_one_its_language_has(language: str, domain: str) -> None:
    """One that does not break: U+00A0 before %, in French also before a colon and inside quotes, U+202F before ;!?."""
    said = [message for message in translations.read_catalog(language, domain) if message.id]
    forms = [form for each in said for form in ([each.string] if isinstance(each.string, str) else each.string or [])]
    assert [form for form in forms if MISSPACED[language].search(form)] == []


def test_it_finds_keeps_and_compiles_messages(elsewhere: Path) -> None:
    assert len(translations.refresh("fr")) == 4
    fill("django", {"Upload": "Envoyer", "%(n)s page": ("%(n)s page", "%(n)s pages")})
    fill("djangojs", {"Uploading": "Envoi en cours", "one file": ("un fichier", "des fichiers")})
    assert translations.refresh("fr") == []
    assert translations.find_catalog_faults("fr") == []
    with (elsewhere / "locale" / "fr" / "LC_MESSAGES" / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    assert compiled.gettext("Upload") == "Envoyer"
    assert compiled.ngettext("%(n)s page", "%(n)s pages", 0) == "%(n)s page"
    assert '"Uploading": "Envoi en cours"' in (elsewhere / "static" / "texts" / "fr.js").read_text()


def test_it_sets_the_spaces_of_a_language(elsewhere: Path) -> None:
    translations.refresh("fr")
    fill("django", {"Upload": "Envoyer\u202f: « oui »", "%(n)s page": ("%(n)s page ?", "%(n)s pages\u00a0;")})
    translations.refresh("fr")
    said = {translations.first_form(each): each.string for each in translations.read_catalog("fr", "django") if each.id}
    assert said == {
        "Upload": "Envoyer\u00a0: «\u00a0oui\u00a0»",
        "%(n)s page": ("%(n)s page\u202f?", "%(n)s pages\u202f;"),
    }
    german = Message("Yes: no, 5 % and %(n)s %% of %(b)s", "Ja : „nein“, 5 % und %(n)s %% von %(b)s %(c)s")
    translations.set_spaces(german, "de")
    assert german.string == "Ja : „nein“, 5\u00a0% und %(n)s\u00a0%% von %(b)s %(c)s"


def test_it_names_what_is_missing_gone_wrong_or_old(elsewhere: Path) -> None:
    translations.refresh("fr")
    fill("django", {"Upload": "Envoyer", "%(n)s page": ("%(m)s page", "%(n)s pages")})
    fill("djangojs", {"Uploading": "Envoi", "one file": ("un fichier", "des fichiers")})
    (elsewhere / "static" / "page.js").write_text('say(gettext("Sending"));')
    told = "\n".join(translations.find_catalog_faults("fr"))
    assert "not in djangojs.po: 'Sending'" in told
    assert "no longer in the code: 'Uploading'" in told
    assert "%(n)s page" in told and "placeholder" in told
    assert "not compiled anew: locale/fr/LC_MESSAGES/django.mo" in told


def test_a_fuzzy_message_is_not_done() -> None:
    catalog = Catalog(locale="fr")
    done, fuzzy, empty = catalog.add("a", "b"), catalog.add("c", "d", flags=["fuzzy"]), catalog.add("e")
    assert [translations.is_done(message) for message in (done, fuzzy, empty)] == [True, False, False]


@pytest.mark.parametrize("language", translations.LANGUAGES)
def test_the_browser_asks_for_a_language_and_the_switch_overrules_it(client: Client, language: str) -> None:
    User.objects.create_superuser("owner@example.org", "quiet-harbour-91")
    page = client.get("/accounts/login/", headers={"Accept-Language": f"{language}-CH,{language};q=0.9"})
    assert f'<html lang="{language}">' in page.content.decode()
    assert f"static/texts/{language}.js" in page.content.decode()
    response = client.post("/language/", {"language": "en", "next": "/accounts/login/"})
    assert response.headers["Location"] == "/accounts/login/"
    page = client.get("/accounts/login/", headers={"Accept-Language": language})
    assert '<html lang="en">' in page.content.decode()
    assert "static/texts/" not in page.content.decode()


def test_each_language_of_the_messages_can_be_chosen() -> None:
    assert [code for code, _ in settings.LANGUAGES] == ["en", *translations.LANGUAGES]


def test_the_switch_leads_nowhere_else(client: Client) -> None:
    response = client.post("/language/", {"language": "fr", "next": "https://example.org/"})
    assert response.headers["Location"] == "/"


@pytest.mark.parametrize(
    ("language", "head", "worker"),
    [
        ("fr", "État du service", "aucun processus pour ingest"),
        ("de", "Status", "kein Arbeitsprozess für ingest"),
    ],
)
def test_the_status_speaks_the_reader_s_language(client: Client, language: str, head: str, worker: str) -> None:
    client.force_login(User.objects.create_user("ada@example.org", "quiet-harbour-91"))
    client.post("/language/", {"language": language, "next": "/"})
    page = client.get("/status/").content.decode()
    assert head in page
    assert worker in page


@pytest.mark.parametrize(
    ("language", "day", "moment", "month"),
    [
        ("en", "2 Nov 2026", "2 Nov 2026, 14:05", "November 2026"),
        ("fr", "2 novembre 2026", "2 novembre 2026 14:05", "novembre 2026"),
        ("de", "2. November 2026", "2. November 2026 14:05", "November 2026"),
    ],
)
def test_a_date_reads_as_its_language_writes_it(language: str, day: str, moment: str, month: str) -> None:
    at = datetime(2026, 11, 2, 14, 5, tzinfo=UTC)
    with translation.override(language):
        told = [date_format(at, form) for form in ("DATE_FORMAT", "DATETIME_FORMAT", "YEAR_MONTH_FORMAT")]
    assert told == [day, moment, month]


@pytest.mark.parametrize(("language", "told"), [("en", "12,500"), ("fr", "12\xa0500"), ("de", "12.500")])
def test_a_number_reads_as_its_language_writes_it(language: str, told: str) -> None:
    with translation.override(language):
        assert group_thousands(12_500) == told


@pytest.mark.parametrize(
    ("language", "told"), [("en", "wrong answer"), ("fr", "réponse fausse"), ("de", "Falsche Antwort")]
)
def test_a_german_noun_keeps_its_capital_inside_a_sentence(language: str, told: str) -> None:
    with translation.override(language):
        assert within_sentence(translation.gettext("Wrong answer")) == told


NOT_READ = re.compile(
    r"\{#.*?#\}|\{% comment.*?endcomment %\}|\{% blocktranslate.*?endblocktranslate %\}"
    r"|\{% block (?:main_class|skip_to) %\}.*?\{% endblock %\}"
    r"|<(script|style|svg|code|kbd|pre)\b.*?</\1>|<!--.*?-->",
    re.DOTALL,
)
SPOKEN = re.compile(r'\b(?:aria-label|title|placeholder|alt)="([^"]*)"')
CODE = re.compile(r"\{[%{].*?[%}]\}")
PROPER = {"API", "CSV", "DocIntel", "HTML", "JSON", "Lines", "Markdown", "SHA", "UTC", "ms", "pt", "class", "href"}
# A record reads the same whoever exports it; and a piece of a tag says nothing.
UNSPOKEN = ("audit/report.html", "audit/_report_review.html", "audit/_opens.html", "chat/_link.html")


def unmarked(template: str) -> list[str]:
    """The words of a template that people see and no translator does."""
    text = CODE.sub(" ", NOT_READ.sub(" ", template))
    seen = " ".join([re.sub(r"<[^>]*>", " ", text), *SPOKEN.findall(text)])
    return [word for word in re.findall(r"(?<![&\w.])[A-Za-z]{2,}(?![\w.;@])", seen) if word not in PROPER]


def test_it_sees_words_nobody_marked() -> None:
    assert unmarked(
        '<p title="Go {{ x }}">{% translate "Up" %} <b>down</b> {{ n|default:"no" }} <kbd>Tab</kbd></p>'
    ) == [
        "down",
        "Go",
    ]


TEMPLATES = translations.ROOT / "templates"


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_no_page_has_words_that_are_not_marked(path: Path) -> None:
    if str(path.relative_to(TEMPLATES)) not in UNSPOKEN:
        assert unmarked(path.read_text(encoding="utf-8")) == []


def test_no_message_hides_in_an_f_string() -> None:
    """The extractor does not look into them."""
    hidden = re.compile(r"""\bf(["']).*?\{(?:_|n?gettext(?:_lazy)?)\(.*?\1""")
    sources = [path for path in translations.sources() if path.suffix == ".py"]
    assert [str(path) for path in sources if hidden.search(path.read_text(encoding="utf-8"))] == []


SENTENCE = re.compile(r"[A-Z][^\n]* [^\n]*[.!?]")
NOT_SHOWN = {"Http404", "BadRequest"}  # answers to addresses that no page of ours has; a page of its own says so


@pytest.mark.parametrize(
    "path",
    [path for path in translations.sources() if path.name.endswith(("views.py", "forms.py"))],
    ids=lambda path: str(path.relative_to(translations.ROOT)),
)
def test_no_view_or_form_has_a_sentence_that_is_not_marked(path: Path) -> None:
    """By the names that the extractor knows: one by another name is not found."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    passed: list[ast.AST] = [
        each for each in ast.walk(tree) if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
    ]
    calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)]
    passed += [each for each in calls if getattr(each.func, "id", "") in translations.KEYWORDS.keys() | NOT_SHOWN]
    marked = {id(inner) for each in passed for inner in ast.walk(each)}
    said = [each for each in ast.walk(tree) if isinstance(each, ast.Constant) and id(each) not in marked]
    assert [each.value for each in said if isinstance(each.value, str) and SENTENCE.fullmatch(each.value)] == []
