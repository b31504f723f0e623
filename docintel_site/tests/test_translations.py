"""Every message of the interface has French words, compiled; the switch and the browser's wish choose the language."""

import gettext
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from django.test import Client

from accounts.models import User
from docintel_site import translations

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


def test_the_browser_asks_for_a_language_and_the_switch_overrules_it(client: Client) -> None:
    User.objects.create_superuser("owner@example.org", "quiet-harbour-91")
    page = client.get("/accounts/login/", headers={"Accept-Language": "fr-FR,fr;q=0.9"})
    assert '<html lang="fr">' in page.content.decode()
    response = client.post("/language/", {"language": "en", "next": "/accounts/login/"})
    assert response.headers["Location"] == "/accounts/login/"
    page = client.get("/accounts/login/", headers={"Accept-Language": "fr"})
    assert '<html lang="en">' in page.content.decode()


def test_the_switch_leads_nowhere_else(client: Client) -> None:
    response = client.post("/language/", {"language": "fr", "next": "https://example.org/"})
    assert response.headers["Location"] == "/"


def test_the_status_speaks_french(client: Client) -> None:
    client.force_login(User.objects.create_user("ada@example.org", "quiet-harbour-91"))
    client.post("/language/", {"language": "fr", "next": "/"})
    page = client.get("/status/").content.decode()
    assert "État du service" in page
    assert "aucun processus pour ingest" in page


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
UNSPOKEN = ("audit/report.html", "audit/_report_review.html", "chat/_link.html")


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
