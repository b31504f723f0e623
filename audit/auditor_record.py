"""Store what auditors do: the row with its ledger entry, and the bytes the ledger vouches for."""

from django.db import transaction
from django.db.models import Model

from audit.models import AuditEvent, Comment, Review, ReviewSample, SignOff
from ledger.payload import Payload, canonical_json, object_of
from retrieval.record.ledger_forms import columns_of_row

SIGN_OFF_COLUMNS = (
    *("id", "base_id", "base_name", "sample_id", "since", "until", "figures", "note", "head_sequence", "head_hash"),
    *("first_id", "signer_id", "signer_name", "created_at"),
)
PAYLOADS: dict[type[Model], Payload] = {
    Review: Payload.of_columns(
        "review",
        "audit_review",
        "id run_id candidate_id reviewer_id reviewer_name outcome original_role corrected_role reason previous_id "
        "is_blind created_at",
    ),
    Comment: Payload.of_columns(
        "comment",
        "audit_comment",
        "id base_id document_id parse_id page_number first_line last_line reply_to_id author_id author_name text "
        "created_at",
    ),
    ReviewSample: Payload.of_columns(
        "review_sample",
        "audit_reviewsample",
        "id base_id base_name seed size population run_ids drawn_by_id drawn_by_name until created_at",
    ),
    SignOff: Payload(
        "sign_off",
        "audit_signoff",
        f"CASE WHEN row.statement_digest = '' THEN {object_of('row', SIGN_OFF_COLUMNS)} "
        f"ELSE {object_of('row', (*SIGN_OFF_COLUMNS, 'statement_digest'))} END",
    ),
    AuditEvent: Payload.of_columns(
        "audit_event", "audit_auditevent", "id action run_id person_id person_name detail created_at"
    ),
}


def store(row: Model) -> None:
    """Insert a row with its ledger entry, or neither."""
    with transaction.atomic():
        row.save(force_insert=True)
        PAYLOADS[type(row)].vouch(row.pk)


def row_payload(row: Model) -> bytes:
    """The first format, for entries without a salt: canonical JSON of every column by name; times in UTC."""
    return canonical_json(columns_of_row(row))
