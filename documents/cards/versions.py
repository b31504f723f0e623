"""The versions of a document's card (R15): kept by a reading, by a model or by a person, and which one holds."""

from django.db import transaction
from django.db.models import Max

from accounts.models import User
from documents.access import actor_of
from documents.cards.places import CardPlace, Key, ReadCard, places_now, with_places
from documents.cards.rules import make_card
from documents.cards.source import source_digest, source_of
from documents.cards.types import Card
from documents.models import Document, DocumentCard, Parse
from documents.naming import better_title, name_by_card, printed_title
from ledger.events import record
from llm.models import LLMCall
from reading.rows import Reading

Maker = DocumentCard.Maker


def card_of(document: Document) -> Card:
    """What the card that holds says; an empty one for a document read before there were cards."""
    return Card.from_json(document.card.content) if document.card else Card()


def card_places(document: Document) -> dict[Key, CardPlace]:
    """Where what the card that holds says stands in the current reading, by part and name (R15)."""
    return places_now(document, unedited_versions(document))


def keep_card_by_rules(document: Document, parse: Parse, reading: Reading) -> None:
    """Make the card of a new reading by rules, and let the right card hold, within the caller's transaction.

    A reading that finds the same again adds no version.
    """
    read = make_card(printed_title(document, parse.title), reading.lines, reading.toc)
    source = source_digest(source_of(reading.lines, reading.toc))
    last = document.cards.filter(made_by=Maker.RULES).last()
    if last is None or (last.content, last.source_sha256) != (with_places(read), source):
        add_version(document, read, Maker.RULES, parse.number, source)
    let_hold(document, find_unedited(document))


def keep_card_by_model(document: Document, read: ReadCard, parse: Parse, source: str, call: LLMCall) -> None:
    """Keep a card by a model, made from the source with this digest, within the caller's transaction."""
    document = lock_document(document)
    add_version(document, read, Maker.MODEL, parse.number, source, call=call)
    let_hold(document, find_unedited(document))


def edit_card(document: Document, card: Card, by: User | None = None) -> None:
    """Let what a person says of a document hold from now on, and record it. Does nothing if it says the same."""
    with transaction.atomic():
        current = lock_document(document)
        before = card_of(current)
        if card == before or current.current_parse is None:
            return
        source = current.card.source_sha256 if current.card else ""
        number = current.current_parse.number
        version = add_version(current, ReadCard(card), Maker.PERSON, number, source, author=actor_of(by))
        put_in_place(current, version)
        record_change(current, before, card, by)
    document.card, document.title = current.card, current.title


def undo_edits(document: Document, by: User | None) -> None:
    """Let the card that was made without a person hold again, and record it. The edits stay among the versions."""
    with transaction.atomic():
        current = lock_document(document)
        unedited = find_unedited(current)
        if current.card is None or unedited is None or current.card.made_by != Maker.PERSON:
            return
        before = card_of(current)
        put_in_place(current, unedited)
        record_change(current, before, card_of(current), by)
    document.card, document.title = current.card, current.title


# ---- steps


def lock_document(document: Document) -> Document:
    rows = Document.objects.select_for_update(of=("self",)).select_related("card", "current_parse")
    return rows.get(pk=document.pk)


def add_version(
    document: Document,
    read: ReadCard,
    made_by: DocumentCard.Maker,
    parse_number: int,
    source: str,
    *,
    author: str = "",
    call: LLMCall | None = None,
) -> DocumentCard:
    number = (document.cards.aggregate(Max("number"))["number__max"] or 0) + 1
    return DocumentCard.objects.create(
        document=document,
        number=number,
        made_by=made_by,
        author=author,
        parse_number=parse_number,
        source_sha256=source,
        content=with_places(read),
        llm_call=call,
    )


def unedited_versions(document: Document) -> list[DocumentCard]:
    """The cards that were made of this text without a person, the better first: the model's, then that of the rules."""
    by_rules = document.cards.filter(made_by=Maker.RULES).last()
    if by_rules is None:
        return []
    by_model = document.cards.filter(made_by=Maker.MODEL, source_sha256=by_rules.source_sha256).last()
    return [by_model, by_rules] if by_model else [by_rules]


def find_unedited(document: Document) -> DocumentCard | None:
    """The card that holds where no person said otherwise: the model's of the same text, else that of the rules."""
    return next(iter(unedited_versions(document)), None)


def let_hold(document: Document, version: DocumentCard | None) -> None:
    """Put a version in place unless a person's is; the title is made anew either way."""
    is_edited = document.card is not None and document.card.made_by == Maker.PERSON
    put_in_place(document, document.card if is_edited else version)


def put_in_place(document: Document, version: DocumentCard | None) -> None:
    document.card = version
    parse = document.current_parse
    if parse is not None:
        document.title = better_title(document, parse.title, name_by_card(card_of(document), parse.language))
    document.save(update_fields=["card", "title"])


def record_change(document: Document, before: Card, after: Card, by: User | None) -> None:
    was, now = before.to_json(), after.to_json()
    changed = {name: [was[name], value] for name, value in now.items() if was[name] != value}
    record("card_changed", actor_of(by), f"document:{document.pk}", {"base": str(document.base_id), **changed})
