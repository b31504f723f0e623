"""What a document card says (R15): the type of a document, its parties, dates, period, summary and typical fields.

The card is a guess about a document, for finding and naming it. It is never evidence: nothing of it is searched as a
passage, shown to an arbiter or a writer, or cited.

Rules make one with every reading; where the base allows it a model makes a better one in a stage of its own. Versions
are insert-only: a person's holds, else the model's of the same text, else the rules'. A card names a document whose
pages print no title, helps to choose documents and questions, and tells for which type of document a vague word was
learned.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

UNKNOWN = "unknown"
PARTIES_MAX, DATES_MAX, FIELDS_MAX = 12, 6, 12
NAME_CHARS, VALUE_CHARS, SUMMARY_CHARS = 120, 160, 1_200
SUMMARY_SENTENCES = 3


class DocumentType(NamedTuple):
    """A type with its name for people and the fields that are typical of it."""

    label: Promise
    fields: tuple[str, ...] = ()


class TypicalField(NamedTuple):
    """A field with its name for people, and the question that asks a document for it."""

    label: Promise
    question: Promise


FIELDS: dict[str, TypicalField] = {
    "governing_law": TypicalField(_("Governing law"), _("Which law governs the agreement?")),
    "term": TypicalField(_("Duration of the agreement"), _("How long does the agreement last?")),
    "termination": TypicalField(_("Termination"), _("How can the agreement be terminated?")),
    "payment": TypicalField(_("Payment"), _("What has to be paid, and when?")),
    "liability": TypicalField(_("Liability"), _("How is liability limited?")),
    "confidentiality": TypicalField(_("Confidentiality"), _("What is confidential, and what is not?")),
    "amended": TypicalField(_("Amended document"), _("Which agreement is amended?")),
    "number": TypicalField(pgettext_lazy("of a document", "Number"), _("What is the number of this document?")),
    "total": TypicalField(_("Total"), _("What is the total amount?")),
    "due": TypicalField(_("Due"), _("When is payment due?")),
    "education": TypicalField(_("Education"), _("What education does the person have?")),
    "experience": TypicalField(_("Experience"), _("What experience does the person have?")),
    "skills": TypicalField(_("Skills"), _("Which skills does the person have?")),
    "subject": TypicalField(_("Subject"), _("What is it about?")),
    "recipient": TypicalField(_("To"), _("Whom is it addressed to?")),
    "sender": TypicalField(pgettext_lazy("who wrote it", "From"), _("Who wrote it?")),
    "decisions": TypicalField(_("Decisions"), _("What was decided?")),
    "method": TypicalField(_("Method"), _("Which method is used?")),
    "results": TypicalField(_("Results"), _("What are the main results?")),
    "limitations": TypicalField(_("Limitations"), _("Which limitations are named?")),
    "scope": TypicalField(_("Scope"), _("What does it apply to?")),
    "responsibilities": TypicalField(_("Responsibilities"), _("Who is responsible for what?")),
    "exceptions": TypicalField(_("Exceptions"), _("Which exceptions are there?")),
    "version": TypicalField(_("Version"), _("Which version is this?")),
    "owner": TypicalField(_("Owner"), _("Who owns this document?")),
    "risks": TypicalField(_("Risk factors"), _("What are the main risks?")),
    "business": TypicalField(_("Business"), _("What does the company do?")),
    "revenue": TypicalField(_("Revenue"), _("What was the revenue?")),
    "outlook": TypicalField(_("Outlook"), _("What is the outlook?")),
    "event": TypicalField(_("Event"), _("What is reported?")),
    "conclusions": TypicalField(_("Conclusions"), _("What are the conclusions?")),
}

AGREED = ("term", "governing_law", "termination")
TYPES: dict[str, DocumentType] = {
    "contract": DocumentType(_("Contract"), (*AGREED, "payment", "liability", "confidentiality")),
    "nda": DocumentType(_("Non-disclosure agreement"), ("confidentiality", *AGREED)),
    "amendment": DocumentType(_("Amendment"), ("amended", "governing_law")),
    "invoice": DocumentType(_("Invoice"), ("number", "total", "due")),
    "resume": DocumentType(_("Resume"), ("experience", "education", "skills")),
    "letter": DocumentType(_("Letter"), ("subject", "recipient", "sender")),
    "memo": DocumentType(_("Memo"), ("subject", "recipient", "sender")),
    "minutes": DocumentType(_("Minutes"), ("decisions",)),
    "paper": DocumentType(_("Paper"), ("method", "results", "limitations")),
    "standard": DocumentType(_("Standard or guideline"), ("number", "scope", "responsibilities")),
    "policy": DocumentType(_("Policy or procedure"), ("scope", "responsibilities", "exceptions", "version", "owner")),
    "terms": DocumentType(_("Terms and conditions"), ("termination", "liability", "governing_law", "payment")),
    "annual_report": DocumentType(_("Annual report"), ("business", "risks", "revenue", "outlook")),
    "quarterly_report": DocumentType(_("Quarterly report"), ("risks", "revenue", "outlook")),
    "current_report": DocumentType(_("Current report"), ("event",)),
    "results": DocumentType(_("Announcement of results"), ("revenue", "outlook")),
    "manual": DocumentType(_("Manual"), ("version", "scope")),
    "report": DocumentType(_("Report"), ("scope", "results", "conclusions")),
    UNKNOWN: DocumentType(_("Unknown")),
}

# What a date of a document is; the field's name in the record, and its name for people.
DATES: dict[str, Promise] = {
    "date": _("Date"),
    "effective": _("In force from"),
    "issued": _("Issued"),
    "updated": _("Updated"),
    "due": _("Due"),
    "event": _("Date of the event"),
}


class NamedValue(NamedTuple):
    """A date or a field: its name, and its value as the document prints it."""

    name: str
    value: str


@dataclass(frozen=True)
class Card:
    """One version of what a card says. Parties, dates, period and field values are as the document prints them."""

    type: str = UNKNOWN
    parties: tuple[str, ...] = ()
    dates: tuple[NamedValue, ...] = ()
    period: str = ""
    summary: str = ""
    fields: tuple[NamedValue, ...] = ()

    def to_json(self) -> dict[str, object]:
        """The card as stored and as the API gives it: dates and fields are [{name, value}]."""
        said = asdict(self) | {"parties": list(self.parties)}
        return said | {name: [each._asdict() for each in getattr(self, name)] for name in ("dates", "fields")}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Card":
        """The card of `to_json`."""
        return cls(
            type=stored["type"],
            parties=tuple(stored["parties"]),
            dates=tuple(NamedValue(**each) for each in stored["dates"]),
            period=stored["period"],
            summary=stored["summary"],
            fields=tuple(NamedValue(**each) for each in stored["fields"]),
        )
