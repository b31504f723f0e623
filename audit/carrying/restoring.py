"""Make a base of what its archive says, and give each document what people had given it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from django.utils.translation import gettext

from accounts.models import User
from audit.carrying.belongings import ToldBase
from audit.keeping.retention import RetentionRefused, set_days
from chat.prompts.catalogue import GUIDED
from chat.prompts.guidance import GuidanceRefused, change_guidance
from documents.access import actor_of, clean_base_name, create_base
from documents.base_settings import BaseSettings, ChosenCutting, SettingsError
from documents.cards.editing import clean_card
from documents.cards.types import Card
from documents.cards.versions import edit_card
from documents.metadata.fields import MetadataError, add_field, noted_in, read_value, set_values
from documents.models import Document, DocumentCard, KnowledgeBase, MetadataField
from documents.naming import rename_document
from documents.storage.uploads import clean_title
from documents.tagging import TagError, clean, put_tags
from reading.rows import CONTENTS_SOURCES, ContentsSource
from retrieval.dictionary.csv_format import WordlistError, WordRow, check_word_row
from retrieval.dictionary.editing import take_in
from retrieval.dictionary.packs import PACKS, load_missing
from retrieval.models import Concept, Pack, Term
from retrieval.question.kinds import RuleRow
from retrieval.reading_rules.editing import change_rules
from retrieval.reading_rules.rows import RuleError

NAME_MAX = 120  # as in the column
Refused = (RetentionRefused, SettingsError, WordlistError, RuleError, GuidanceRefused, MetadataError)
Malformed = (KeyError, TypeError, ValueError, AttributeError)


class CannotRestore(Exception):
    """What an archive says of a base cannot be taken over; the message is for people."""


def make_base(told: ToldBase, owner: User | None) -> KnowledgeBase:
    """A new base with settings, dictionary, rules and guidance as told, in the caller's transaction.

    Without an owner nobody is a member of it. Raises CannotRestore.
    """
    try:
        name = told["name"]
        base = create_base(owner, name) if owner else KnowledgeBase.objects.create(name=clean_base_name(name))
        # The test questions stay behind: its records are no rows here.
        base.settings = BaseSettings.from_json(told["settings"]).to_json() | {"golden_check": "off"}
        base.save(update_fields=["settings"])
        restore_words(base, told)
        why = gettext("Brought along from another installation")
        if told["rules"]:
            change_rules(base, [RuleRow(*row) for row in told["rules"]], why, owner, seen=0)
        for prompt, text in told["guidance"].items():
            if prompt in GUIDED:  # an older program may have had another
                change_guidance(base, prompt, text, why, owner, seen=0)
        for field, kind, choices in told.get("fields", ()):  # an older program told of none
            add_field(base, field, kind, choices, owner)
        set_days(base, int(told["days_kept"]), actor_of(owner))
    except (*Refused, *Malformed) as error:
        raise CannotRestore(f"What it says of the base cannot be taken over: {error}") from error
    return base


def restore_words(base: KnowledgeBase, told: ToldBase) -> None:
    """The dictionary, with the packs its rows are from; packs the archive does not know come as for any base."""
    known = {name: bool(is_on) for name, is_on in told["packs"].items() if name in PACKS}
    Pack.objects.bulk_create(Pack(base=base, name=name, is_on=is_on) for name, is_on in known.items())
    load_missing(base)
    rows: list[WordRow] = []
    packs: dict[tuple[str, str, str], str] = {}
    for concept, language, text, priority, weight, pack in told["terms"]:
        row = check_word_row(concept, language, text, priority, str(weight))
        rows.append(row)
        packs[row.concept.casefold(), row.language, row.term.casefold()] = pack if pack in known else ""
    take_in(base, rows)
    terms = list(Term.objects.filter(concept__base=base, pack="").select_related("concept"))
    for term in terms:
        term.pack = packs.get((term.concept.name.casefold(), term.language, term.text.casefold()), "")
    Term.objects.bulk_update([term for term in terms if term.pack], ["pack"], batch_size=1_000)
    of_concept = {str(name).casefold(): pack for name, pack in told["concepts"] if pack in known}
    concepts = list(Concept.objects.filter(base=base, pack=""))
    for each in concepts:
        each.pack = of_concept.get(each.name.casefold(), "")
    Concept.objects.bulk_update([each for each in concepts if each.pack], ["pack"], batch_size=1_000)


@dataclass(frozen=True)
class ToldDocument:
    """A document as its archive tells it. `title` and `card` are those that a person gave, else empty."""

    id: str
    file_name: str
    title: str
    tags: tuple[str, ...]
    noted: dict[str, str]  # by the name of the field
    cutting: ChosenCutting
    contents_source: ContentsSource
    card: Card | None
    replaces: str

    @classmethod
    def read(cls, told: Mapping[str, Any], base: ToldBase) -> "ToldDocument":
        """Raises CannotRestore."""
        try:
            card = told["card"] or {}
            rows = [MetadataField(name=name, kind=kind, choices=of) for name, kind, of in base.get("fields", ())]
            fields = {field.name: field for field in rows}
            is_edited = card.get("made_by") == DocumentCard.Maker.PERSON
            return cls(
                id=str(UUID(told["id"])),
                file_name=str(told["file_name"]),
                title=clean_title(str(told["title"])) if told["is_title_given"] else "",
                tags=tuple(filter(None, map(clean, told["tags"]))),
                noted={name: read_value(fields[name], text) for name, text in told.get("noted", {}).items()},
                cutting=BaseSettings.from_json(base["settings"]).cutting(told["cutting"]),
                contents_source=source_named(told.get("contents_source", "automatic")),
                card=clean_card(Card.from_json(card["content"])) if is_edited else None,
                replaces=str(told["replaces"] or ""),
            )
        except (SettingsError, TagError, MetadataError, *Malformed) as error:
            raise CannotRestore(f"What it says of a document cannot be taken over: {error!r}") from error


def source_named(name: str) -> ContentsSource:
    """Raises ValueError."""
    return CONTENTS_SOURCES[CONTENTS_SOURCES.index(cast("ContentsSource", name))]


def restore_document(document: Document, told: ToldDocument, owner: User | None) -> list[str]:
    """Title, tags, values of fields and card, where a person gave them.

    Returns the names of the fields whose values found no place: a field may be another since an import was stopped.
    """
    put_tags(Document.objects.filter(pk=document.pk), told.tags)
    fields, lost = {field.name: field for field, _ in noted_in(document)}, []
    values = {field.pk: "" for field in fields.values()}
    for name, text in told.noted.items():
        try:
            values[fields[name].pk] = read_value(fields[name], text)
        except (KeyError, MetadataError):
            lost.append(name)
    set_values(document, values)
    if told.title:
        rename_document(document, told.title, owner)
    if told.card:
        edit_card(document, told.card, owner)
    return lost
