"""The stage in which a model makes the card of a document (R15); where it fails, the card of the rules holds."""

from django.db import transaction

from documents.base_settings import asking_for
from documents.cards.by_model import ask_for_card, has_card_by_model
from documents.cards.places import ReadCard, places_of_quotes
from documents.cards.source import source_digest, source_lines, source_of_parse
from documents.cards.versions import keep_card_by_model
from documents.ingestion.annotation import without_document
from documents.ingestion.reporting import IngestLease
from documents.models import IngestJob
from llm.errors import LLMError
from llm.models import LLMCall


def describe_parse(lease: IngestLease) -> None:
    """Ask a model for the card unless it made one of the same text. Raises LeaseLost, Cancelled.

    Every exchange is stored; the parse reports a failure and what was dropped.
    """
    parse = lease.read_parse()
    lease.report(IngestJob.Stage.CARD, 0, 1)
    if has_card_by_model(parse.document):
        return
    source = source_of_parse(parse)
    answer, failure = None, ""
    with asking_for(parse.document.base):
        try:
            answer, exchange = ask_for_card(source)
        except LLMError as error:
            exchange, failure = error.exchange, error.message
    with transaction.atomic():
        lease.hold()
        call = LLMCall.objects.record(without_document(exchange))
        if answer is not None:
            read = ReadCard(answer.card, places_of_quotes(answer.card, source, source_lines(parse)))
            keep_card_by_model(parse.document, read, parse, source_digest(source), call)
        dropped = list(answer.dropped) if answer else []
        parse.note("card", {"failure": failure, "dropped": dropped, "call": str(call.pk)})
