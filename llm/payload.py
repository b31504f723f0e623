"""How an exchange with a model appears in what the ledger vouches for."""

from ledger.payload import object_of

COLUMNS = (
    *("id", "purpose", "host", "api", "model", "model_returned", "response_id", "finish_reason", "prompt_name"),
    *("prompt_version", "parameters", "request", "request_sha256", "raw_reply", "tokens_in", "tokens_out"),
    *("tokens_cached", "latency_ms", "attempts", "outcome", "error", "started_at"),
)


def call_form(row: str) -> str:
    """SQL of the JSON of an exchange; with its stand-ins where it has some, as those from before there were any."""
    plain, hidden = object_of(row, COLUMNS), object_of(row, (*COLUMNS, "stand_ins"))
    return f"CASE WHEN {row}.stand_ins = '{{}}'::jsonb THEN {plain} ELSE {hidden} END"


def call_of(row: str) -> str:
    """SQL of the JSON of the exchange a row refers to; null if there is none."""
    return f"(SELECT {call_form('call')} FROM llm_llmcall call WHERE call.id = {row}.llm_call_id)"
