"""Names of months in the languages that are read, and the beginnings by which headings of columns name them."""

import tomllib
from pathlib import Path

NAMES: dict[str, list[str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
MONTHS = {name: number for months in NAMES.values() for number, names in enumerate(months, 1) for name in names.split()}
MONTH = f"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})"
ENGLISH_STEMS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
MATCHED_STEMS = f"{ENGLISH_STEMS}|janv|fevr|mars|avr|mai|juin|juil|aout|sept|okt|dez|ene|abr|ago|dic"  # in match form
MONTH_STEM = f"(?:{ENGLISH_STEMS}|janv|févr|avr|mai|juin|juil|août|déc|mär|okt|dez)"
