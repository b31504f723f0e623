"""The dictionary page through the client: who may do what, every form, files good and hostile."""

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from documents import access
from documents.models import KnowledgeBase
from retrieval.dictionary import editing, packs
from retrieval.dictionary.csv_format import BYTES_MAX, WordRow
from retrieval.dictionary.load import ensure_dictionary
from retrieval.models import Concept, Term
from tests.pages import on_one_line

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>"
As = Callable[[str], Client]


@pytest.fixture
def base() -> KnowledgeBase:
    owner = User.objects.create_user("owner@example.org", None)
    base = access.create_base(owner, "Suppliers")
    packs.switch(base, [])
    return base


@pytest.fixture
def signed_in(base: KnowledgeBase) -> As:
    """A client of somebody with a role in the base, or with none ("stranger")."""

    def sign_in(role: str) -> Client:
        user, _ = User.objects.get_or_create(email=f"{role}@example.org")
        if role != "stranger":
            access.set_role(base, user, role)
        client = Client()
        client.force_login(user)
        return client

    return sign_in


@pytest.fixture
def premium(base: KnowledgeBase) -> Concept:
    return editing.add_concept(base, WordRow("premium", "en", "premium"))


def url(name: str, base: KnowledgeBase, *more: int) -> str:
    return reverse(f"retrieval:{name}", args=[base.pk, *more])


def term(text: str, **more: str) -> dict[str, str]:
    return {"term": text, "language": "en", "priority": "primary", "weight": "1"} | more


def sent(client: Client, base: KnowledgeBase, content: bytes) -> Any:
    return client.post(url("import", base), {"file": SimpleUploadedFile("words.csv", content)})


def texts(concept: Concept) -> list[str]:
    return list(concept.terms.order_by("text").values_list("text", flat=True))


def test_it_lists_and_searches(base: KnowledgeBase, signed_in: As) -> None:
    packs.switch(base, packs.PACKS)
    client = signed_in("viewer")
    assert "50" in str(len(client.get(url("dictionary", base)).context["page"].object_list))
    found = client.get(url("dictionary", base), {"q": "chiffre d'affaires"}).content.decode()
    assert "revenue" in found
    assert "overtime" not in found
    assert "holds “zzz”" in client.get(url("dictionary", base), {"q": "zzz"}).content.decode()
    assert client.get(url("dictionary", base), {"q": "\x00%_", "page": "zzz"}).status_code == 200


@pytest.mark.parametrize("role", ["editor", "owner"])
def test_editors_add_change_and_delete(base: KnowledgeBase, signed_in: As, role: str) -> None:
    client = signed_in(role)
    added = client.post(url("dictionary", base), term("prime", concept_name="premium", language="fr"))
    concept = Concept.objects.get(base=base)
    assert added["Location"] == url("concept", base, concept.pk)
    client.post(url("terms", base, concept.pk), term("monthly charges", priority="secondary", weight="0.5"))
    charges = concept.terms.get(text="monthly charges")
    assert (charges.priority, charges.weight, charges.pack) == ("secondary", 0.5, "")
    client.post(url("term", base, concept.pk, charges.pk), term("monthly charge"))
    client.post(url("concept", base, concept.pk), {"name": "Premium"})
    assert [(c.name, {t.text for t in c.terms}) for c in ensure_dictionary(base)] == [
        ("Premium", {"prime", "monthly charge"})
    ]
    client.post(url("term", base, concept.pk, charges.pk), {"action": "delete"})
    assert texts(concept) == ["prime"]
    client.post(url("delete_concept", base, concept.pk))
    assert ensure_dictionary(base) == ()


def test_a_concept_without_a_first_term_goes_by_its_name(base: KnowledgeBase, signed_in: As) -> None:
    signed_in("editor").post(url("dictionary", base), term("", concept_name="overtime"))
    assert texts(Concept.objects.get(base=base)) == ["overtime"]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (term("premium"), "stands in this concept already"),
        (term("PREMIUM"), "stands in this concept already"),
        (term(""), "required"),
        (term("!!!"), "no letter and no digit"),
        (term("x" * 121), "at most 120"),
        (term("tab\there"), "cannot be shown"),
        (term("prime", language="klingon"), "Select a valid choice"),
        (term("prime", priority="first"), "Select a valid choice"),
        (term("prime", weight="nan"), "The weight must be"),
        (term("prime", weight="-1"), "The weight must be"),
        (term("prime", weight="many"), "The weight must be"),
    ],
)
def test_a_wrong_term_is_refused_with_its_reason(
    base: KnowledgeBase, premium: Concept, signed_in: As, values: dict[str, str], said: str
) -> None:
    response = signed_in("editor").post(url("terms", base, premium.pk), values)
    assert response.status_code == 400
    assert said in response.content.decode()
    assert texts(premium) == ["premium"]


def test_a_wrong_change_leaves_the_term_and_the_name(base: KnowledgeBase, premium: Concept, signed_in: As) -> None:
    editing.add_concept(base, WordRow("excess", "en", "excess"))
    client = signed_in("editor")
    known = premium.terms.get()
    assert client.post(url("term", base, premium.pk, known.pk), term("", weight="0")).status_code == 400
    response = client.post(url("concept", base, premium.pk), {"name": "EXCESS"})
    assert response.status_code == 400
    assert "There is a concept" in response.content.decode()
    assert client.post(url("dictionary", base), term("x", concept_name="Premium")).status_code == 400
    premium.refresh_from_db()
    assert (premium.name, texts(premium)) == ("premium", ["premium"])


def test_what_is_typed_is_shown_as_text(base: KnowledgeBase, signed_in: As) -> None:
    client = signed_in("editor")
    client.post(url("dictionary", base), term(HOSTILE, concept_name=HOSTILE))
    concept = Concept.objects.get(base=base)
    preview = sent(client, base, f'concept,term\n"</textarea>{HOSTILE}",x\n'.encode())
    for response in (client.get(url("dictionary", base)), client.get(url("concept", base, concept.pk)), preview):
        assert response.status_code == 200
        assert HOSTILE not in response.content.decode()


def test_a_reference_is_shown_both_ways(base: KnowledgeBase, premium: Concept, signed_in: As) -> None:
    rate = editing.add_concept(base, WordRow("loss ratio", "en", "loss ratio"))
    editing.put_term(rate, WordRow("loss ratio", "", "Premium"))
    client = signed_in("viewer")
    assert "pulls in" in client.get(url("concept", base, rate.pk)).content.decode()
    assert "Also searched for" in client.get(url("concept", base, premium.pk)).content.decode()


WRITES = ("dictionary", "packs", "import", "concept", "delete_concept", "terms", "term")
READS = ("dictionary", "export", "concept")


def addresses(base: KnowledgeBase, concept: Concept) -> dict[str, str]:
    found = {name: url(name, base) for name in ("dictionary", "packs", "import", "export")}
    found |= {name: url(name, base, concept.pk) for name in ("concept", "delete_concept", "terms")}
    return found | {"term": url("term", base, concept.pk, concept.terms.get().pk)}


@pytest.mark.parametrize("role", ["viewer", "auditor", "stranger"])
@pytest.mark.parametrize("name", WRITES)
def test_others_change_nothing(base: KnowledgeBase, premium: Concept, signed_in: As, role: str, name: str) -> None:
    client = signed_in(role)
    values = term("prime", concept_name="prime", name="prime", pack="finance", confirmed="1", csv="concept,term\na,b\n")
    assert client.post(addresses(base, premium)[name], values).status_code == 404
    premium.refresh_from_db()
    assert (premium.name, texts(premium), Concept.objects.count()) == ("premium", ["premium"], 1)


@pytest.mark.parametrize(("role", "status"), [("viewer", 200), ("auditor", 200), ("editor", 200), ("stranger", 404)])
@pytest.mark.parametrize("name", READS)
def test_members_read(base: KnowledgeBase, premium: Concept, signed_in: As, role: str, status: int, name: str) -> None:
    response = signed_in(role).get(addresses(base, premium)[name])
    assert response.status_code == status
    if role == "viewer":
        assert 'name="term"' not in response.content.decode()


@pytest.mark.parametrize("name", ["concept", "delete_concept", "terms", "term"])
def test_a_concept_of_another_base_is_not_there(
    base: KnowledgeBase, premium: Concept, signed_in: As, name: str
) -> None:
    client = signed_in("owner")
    mine = access.create_base(User.objects.get(email="owner@example.org"), "Mine")
    address = addresses(base, premium)[name].replace(str(base.pk), str(mine.pk))
    assert client.post(address, term("prime", name="prime")).status_code == 404
    assert texts(premium) == ["premium"]


def test_packs_are_switched(base: KnowledgeBase, signed_in: As) -> None:
    client = signed_in("editor")
    client.post(url("packs", base), {"pack": ["insurance_hr"]})
    assert packs.packs_on(base) == {"insurance_hr"}
    page = client.get(url("dictionary", base)).content.decode()
    assert 'value="insurance_hr" checked' in page
    assert 'value="finance" checked' not in page


# ---- files


def test_a_file_is_shown_before_it_is_taken_in(base: KnowledgeBase, premium: Concept, signed_in: As) -> None:
    client = signed_in("editor")
    head = "concept,language,term,priority,weight\n"
    content = f"{head}premium,en,premium,secondary,2\nPremium,fr,prime,,\nexcess,en,excess,,\n"
    response = sent(client, base, content.encode())
    said = on_one_line(response)
    assert (response.context["new_count"], response.context["changed_count"]) == (2, 1)
    assert "<del>primary</del> secondary" in said
    assert texts(premium) == ["premium"]
    client.post(url("import", base), {"confirmed": "1", "csv": response.context["csv"].replace("\n", "\r\n")})
    assert texts(premium) == ["premium", "prime"]
    changed = premium.terms.get(text="premium")
    assert (changed.priority, changed.weight) == ("secondary", 2.0)
    assert Concept.objects.filter(base=base).count() == 2
    again = sent(client, base, content.encode())
    assert (again.context["new_count"], again.context["changed_count"], again.context["same_count"]) == (0, 0, 3)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"concept,term\nfine,fine\n,none\n", "Line 3"),
        (b"one,two\n1,2\n", "must name the columns"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"", "empty"),
        (b"x" * (BYTES_MAX + 1), "larger than"),
        (b"concept,term\nfine,fine\nFINE,Fine\n", "line 2 already"),
    ],
)
def test_a_wrong_file_changes_nothing(base: KnowledgeBase, signed_in: As, content: bytes, said: str) -> None:
    client = signed_in("editor")
    response = sent(client, base, content)
    assert response.status_code == 400
    assert said in response.content.decode()
    confirmed = client.post(url("import", base), {"confirmed": "1", "csv": content.decode("latin-1")})
    assert confirmed.status_code in (400, 413)
    assert not Concept.objects.filter(base=base).exists()


@pytest.mark.parametrize(
    ("concepts", "each", "said"), [(50, 200, "at most 10,000"), (1, 200, "at most 200")], ids=["base", "concept"]
)
def test_a_dictionary_is_limited(base: KnowledgeBase, signed_in: As, concepts: int, each: int, said: str) -> None:
    made = Concept.objects.bulk_create(Concept(base=base, name=f"c{n}") for n in range(concepts))
    Term.objects.bulk_create(Term(concept=one, language="", text=f"t{n}") for one in made for n in range(each))
    client = signed_in("editor")
    assert said in client.post(url("terms", base, made[0].pk), term("one more")).content.decode()
    taken = client.post(url("import", base), {"confirmed": "1", "csv": "concept,term\nnew,new\nc0,one more\n"})
    assert taken.status_code == 400
    assert said in taken.content.decode()
    assert (Term.objects.count(), Concept.objects.count()) == (concepts * each, concepts)


def test_the_export_reads_back_and_computes_nothing(base: KnowledgeBase, premium: Concept, signed_in: As) -> None:
    editing.put_term(premium, WordRow("premium", "en", "=HYPERLINK(1)"))
    client = signed_in("editor")
    response = client.get(url("export", base))
    assert response["Content-Type"].startswith("text/csv")
    rows = list(csv.reader(io.StringIO(response.content.decode("utf-8-sig"))))
    assert ["premium", "en", "'=HYPERLINK(1)", "primary", "1"] in rows
    again = sent(client, base, response.content)
    assert (again.context["new_count"], again.context["same_count"]) == (0, 2)
