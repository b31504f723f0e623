"""The cost of a call: the operator's price list applied to tokens. A model without a price has no cost."""

from decimal import ROUND_HALF_EVEN, Decimal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

PER_TOKENS = 1_000_000  # the unit of providers' price lists
SMALLEST = Decimal("0.00000001")


class Price(BaseModel):
    """The price of a million tokens: sent, cached by the provider, and received."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    sent: Decimal = Field(alias="in", ge=0, lt=PER_TOKENS)
    cached: Decimal | None = Field(default=None, ge=0, lt=PER_TOKENS)
    received: Decimal = Field(alias="out", ge=0, lt=PER_TOKENS)

    def cost(self, tokens_in: int, tokens_out: int, tokens_cached: int = 0) -> Decimal:
        """The cost of a call in the price list's currency, to a hundred-millionth."""
        cached = min(tokens_cached, tokens_in)
        cached_price = self.sent if self.cached is None else self.cached
        whole = (tokens_in - cached) * self.sent + cached * cached_price + tokens_out * self.received
        return (whole / PER_TOKENS).quantize(SMALLEST, ROUND_HALF_EVEN)


PRICES = TypeAdapter(dict[str, Price])


def parse_prices(text: str) -> dict[str, Price]:
    """The price list by model from its JSON; {} for an empty text. Raises ValueError with the first error."""
    if not text.strip():
        return {}
    try:
        return PRICES.validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = " ".join(str(part) for part in first["loc"])
        raise ValueError(f"{place}: {first['msg']}" if place else first["msg"]) from None
