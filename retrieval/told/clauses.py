"""A reason as it is recorded, with the facts it was made of, from which pages say it in their reader's language.

They are kept in `RunCandidate.reason_facts`, and in `told` of a run's plan for its gates and for “not found”. Packs and
exports keep the recorded words, and so do rows from before; a run with facts has a format of its own in the ledger.
"""

from collections.abc import Iterable
from typing import Any, Self


class Clause(str):
    """The recorded words of a reason, its code, and the facts in it. To all else it is a string."""

    code: str
    facts: dict[str, Any]

    def __new__(cls, text: str, code: str = "", **facts: Any) -> Self:
        clause = super().__new__(cls, text)
        clause.code, clause.facts = code, facts
        return clause


def recorded_facts(reason: str) -> dict[str, Any]:
    """The code and the facts of a reason as the record keeps them; of one that a model or a person wrote, its words."""
    return {"code": reason.code, **reason.facts} if isinstance(reason, Clause) else {"text": str(reason)}


def join_clauses(clauses: Iterable[str], separator: str) -> Clause:
    """Several reasons as one: the first, and what is to be added to it."""
    every = [clause for clause in clauses if clause]
    return Clause(separator.join(every), "several", parts=[recorded_facts(each) for each in every])
