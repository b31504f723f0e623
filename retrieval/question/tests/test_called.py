"""What kind of value a field's name calls its own, where it stands alone."""

import pytest

from retrieval.question.called import kind_of_name


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, "duration") for name in ("Initial term", "Renewal Term", "The notice period", "Notice")),
        *((name, "duration") for name in ("Warranty period", "Termination notice", "Non-compete period")),
        *((name, "duration") for name in ("Kündigungsfrist", "Délai de paiement", "Préavis", "Plazo de pago")),
        *((name, "") for name in ("Payment terms", "Delivery terms", "Terms", "Form of notice", "Copyright notice")),
        *((name, "") for name in ("Address for notice", "Notice address", "Business days", "Payment days")),
        *((name, "") for name in ("Werktag", "Liefertermin", "Delivery time", "Reporting period", "Long term debt")),
        ("Effective date", ""),  # which the rules for questions read
        ("Parties", "party"),
    ],
)
def test_a_name_calls_its_value_a_period_as_a_whole_or_not_at_all(name: str, kind: str) -> None:
    """(R87)"""
    assert kind_of_name(name) == kind
