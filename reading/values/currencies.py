"""Signs, codes and words of currencies as texts print them, each with the code it stands for."""

CURRENCIES = {
    "$": "USD", "us$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD", "€": "EUR", "eur": "EUR", "euro": "EUR",
    "euros": "EUR", "£": "GBP", "gbp": "GBP", "chf": "CHF", "franken": "CHF", "¥": "JPY", "jpy": "JPY", "円": "JPY",
}  # fmt: skip
CURRENCY_SIGNS = "$€£¥"  # before or behind an amount, in any language
CURRENCY_WORDS = "|".join(sorted(filter(str.isalpha, CURRENCIES.keys() - {"円"}), key=len, reverse=True))
