"""Names of months in the languages that are read, and the beginnings by which headings of columns name them."""

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan janvier janv januar jänner enero ene",
            "february feb février fevrier févr februar febrero",
            "march mar mars märz maerz marzo",
            "april apr avril avr abril abr",
            "may mai mayo",
            "june jun juin juni junio",
            "july jul juillet juil juli julio",
            "august aug août aout agosto ago",
            "september sep sept septembre septiembre",
            "october oct octobre oktober okt octubre",
            "november nov novembre noviembre",
            "december dec décembre decembre déc dezember dez diciembre dic",
        ),
        1,
    )
    for name in names.split()
}
MONTH = f"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})"
ENGLISH_STEMS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
MATCHED_STEMS = f"{ENGLISH_STEMS}|janv|fevr|mars|avr|mai|juin|juil|aout|sept|okt|dez|ene|abr|ago|dic"  # in match form
MONTH_STEM = f"(?:{ENGLISH_STEMS}|janv|févr|avr|mai|juin|juil|août|déc|mär|okt|dez)"
