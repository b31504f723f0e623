"""The accounts of Corvane Instruments Group: every amount once, every total computed (EUR thousand, 2024 then 2023)."""

from decimal import ROUND_HALF_UP, Decimal

YEARS = (2024, 2023)
Pair = tuple[int, int]

AMOUNTS: dict[str, Pair] = {
    "process_revenue": (186_420, 171_950),
    "laboratory_revenue": (142_310, 138_240),
    "service_revenue": (87_160, 78_005),
    "cost_of_products": (-198_745, -189_410),
    "cost_of_services": (-41_230, -38_065),
    "research": (-38_640, -35_120),
    "selling": (-84_215, -80_470),
    "restructuring": (-3_150, 0),
    "finance_income": (1_215, 940),
    "finance_costs": (-5_480, -6_125),
    "current_tax": (-12_125, -10_427),
    "deferred_tax": (1_170, 640),
    "cash": (59_495, 48_310),
    "receivables": (78_420, 73_915),
    "inventories": (66_230, 69_480),
    "prepaid": (9_875, 9_140),
    "property": (118_640, 114_205),
    "right_of_use": (21_350, 23_480),
    "goodwill": (96_400, 96_400),
    "intangibles": (24_715, 29_360),
    "deferred_tax_assets": (5_120, 4_765),
    "payables": (41_260, 43_875),
    "accrued": (32_480, 30_115),
    "contract_liabilities": (27_940, 24_360),
    "current_debt": (15_000, 15_000),
    "current_leases": (4_870, 4_655),
    "tax_payable": (3_415, 2_980),
    "long_term_debt": (75_000, 90_000),
    "leases": (17_620, 19_910),
    "pensions": (8_345, 8_960),
    "deferred_tax_liabilities": (6_080, 6_895),
    "share_capital": (21_500, 21_500),
    "share_premium": (64_000, 64_000),
    "share_reserve": (3_270, 1_980),
    "translation": (-2_265, -1_840),
    "retained": (161_730, 136_665),
    "depreciation": (13_860, 13_240),
    "lease_depreciation": (5_240, 5_310),
    "amortisation": (6_180, 6_420),
    "share_expense": (1_290, 1_105),
    "deferred_tax_change": (-1_170, -640),
    "pension_change": (-615, -480),
    "receivables_change": (-4_505, -6_240),
    "inventories_change": (3_250, -4_915),
    "prepaid_change": (-735, -410),
    "payables_change": (-2_615, 3_180),
    "accrued_change": (2_365, 1_455),
    "contract_change": (3_580, 2_260),
    "tax_change": (435, 310),
    "capital_expenditure": (-18_680, -21_460),
    "disposals": (385, 210),
    "development": (-1_535, -1_870),
    "debt_repaid": (-15_000, -15_000),
    "leases_repaid": (-5_185, -5_040),
    "dividends": (-9_625, -8_560),
    "exchange": (-425, -310),
    "opening_cash": (48_310, 49_587),
    "process_profit": (33_555, 29_230),
    "laboratory_profit": (14_230, 13_965),
    "service_profit": (16_865, 13_570),
    "central_costs": (-11_590, -11_635),
    "restructuring_unallocated": (-3_150, 0),
    "europe_revenue": (201_430, 190_215),
    "americas_revenue": (121_885, 112_575),
    "asia_revenue": (92_575, 85_405),
    "wages": (98_460, 93_215),
    "social_security": (18_730, 17_640),
    "pension_cost": (5_915, 5_520),
    "statutory_tax": (11_411, 9_986),
    "research_credit": (-620, -540),
    "not_deductible": (310, 285),
    "rate_differences": (-146, 56),
    "debt_within_one": (15_000, 15_000),
    "debt_one_to_five": (60_000, 60_000),
    "debt_after_five": (15_000, 30_000),
}

TOTALS: dict[str, tuple[str, ...]] = {
    "revenue": ("process_revenue", "laboratory_revenue", "service_revenue"),
    "cost_of_sales": ("cost_of_products", "cost_of_services"),
    "gross_profit": ("revenue", "cost_of_sales"),
    "operating_expenses": ("research", "selling", "restructuring"),
    "operating_income": ("gross_profit", "operating_expenses"),
    "income_before_tax": ("operating_income", "finance_income", "finance_costs"),
    "income_tax": ("current_tax", "deferred_tax"),
    "net_income": ("income_before_tax", "income_tax"),
    "current_assets": ("cash", "receivables", "inventories", "prepaid"),
    "non_current_assets": ("property", "right_of_use", "goodwill", "intangibles", "deferred_tax_assets"),
    "total_assets": ("current_assets", "non_current_assets"),
    "current_liabilities": (
        "payables",
        "accrued",
        "contract_liabilities",
        "current_debt",
        "current_leases",
        "tax_payable",
    ),
    "non_current_liabilities": ("long_term_debt", "leases", "pensions", "deferred_tax_liabilities"),
    "total_liabilities": ("current_liabilities", "non_current_liabilities"),
    "equity": ("share_capital", "share_premium", "share_reserve", "translation", "retained"),
    "liabilities_and_equity": ("total_liabilities", "equity"),
    "operating_cash": (
        "net_income",
        "depreciation",
        "lease_depreciation",
        "amortisation",
        "share_expense",
        "deferred_tax_change",
        "pension_change",
        "receivables_change",
        "inventories_change",
        "prepaid_change",
        "payables_change",
        "accrued_change",
        "contract_change",
        "tax_change",
    ),
    "investing_cash": ("capital_expenditure", "disposals", "development"),
    "financing_cash": ("debt_repaid", "leases_repaid", "dividends"),
    "net_change": ("operating_cash", "investing_cash", "financing_cash", "exchange"),
    "closing_cash": ("opening_cash", "net_change"),
    "segment_profit": (
        "process_profit",
        "laboratory_profit",
        "service_profit",
        "central_costs",
        "restructuring_unallocated",
    ),
    "regions_revenue": ("europe_revenue", "americas_revenue", "asia_revenue"),
    "employee_cost": ("wages", "social_security", "pension_cost"),
    "reconciled_tax": ("statutory_tax", "research_credit", "not_deductible", "rate_differences"),
    "debt": ("debt_within_one", "debt_one_to_five", "debt_after_five"),
}

# label, key: "" is a line of its own, a key in TOTALS makes a total line
Statement = tuple[tuple[str, str], ...]

STATEMENTS: dict[str, Statement] = {
    "income_statement": (
        ("Revenue", "revenue"),
        ("Cost of products sold", "cost_of_products"),
        ("Cost of services", "cost_of_services"),
        ("Gross profit", "gross_profit"),
        ("Research and development", "research"),
        ("Selling, general and administrative", "selling"),
        ("Restructuring", "restructuring"),
        ("Operating income", "operating_income"),
        ("Finance income", "finance_income"),
        ("Finance costs", "finance_costs"),
        ("Income before income tax", "income_before_tax"),
        ("Income tax expense", "income_tax"),
        ("Net income", "net_income"),
    ),
    "assets": (
        ("Cash and cash equivalents", "cash"),
        ("Trade receivables", "receivables"),
        ("Inventories", "inventories"),
        ("Prepaid expenses and other current assets", "prepaid"),
        ("Total current assets", "current_assets"),
        ("Property, plant and equipment", "property"),
        ("Right-of-use assets", "right_of_use"),
        ("Goodwill", "goodwill"),
        ("Other intangible assets", "intangibles"),
        ("Deferred tax assets", "deferred_tax_assets"),
        ("Total non-current assets", "non_current_assets"),
        ("Total assets", "total_assets"),
    ),
    "liabilities": (
        ("Trade payables", "payables"),
        ("Accrued liabilities", "accrued"),
        ("Contract liabilities", "contract_liabilities"),
        ("Current portion of long-term debt", "current_debt"),
        ("Current lease liabilities", "current_leases"),
        ("Income tax payable", "tax_payable"),
        ("Total current liabilities", "current_liabilities"),
        ("Long-term debt", "long_term_debt"),
        ("Lease liabilities", "leases"),
        ("Pension obligations", "pensions"),
        ("Deferred tax liabilities", "deferred_tax_liabilities"),
        ("Total non-current liabilities", "non_current_liabilities"),
        ("Total liabilities", "total_liabilities"),
        ("Share capital", "share_capital"),
        ("Share premium", "share_premium"),
        ("Share-based payment reserve", "share_reserve"),
        ("Translation reserve", "translation"),
        ("Retained earnings", "retained"),
        ("Total shareholders’ equity", "equity"),
        ("Total liabilities and shareholders’ equity", "liabilities_and_equity"),
    ),
    "cash_flow": (
        ("Net income", "net_income"),
        ("Depreciation of property, plant and equipment", "depreciation"),
        ("Depreciation of right-of-use assets", "lease_depreciation"),
        ("Amortisation of intangible assets", "amortisation"),
        ("Share-based payment expense", "share_expense"),
        ("Deferred income tax", "deferred_tax_change"),
        ("Change in pension obligations", "pension_change"),
        ("Change in trade receivables", "receivables_change"),
        ("Change in inventories", "inventories_change"),
        ("Change in prepaid expenses and other assets", "prepaid_change"),
        ("Change in trade payables", "payables_change"),
        ("Change in accrued liabilities", "accrued_change"),
        ("Change in contract liabilities", "contract_change"),
        ("Change in income tax payable", "tax_change"),
        ("Net cash from operating activities", "operating_cash"),
        ("Purchase of property, plant and equipment", "capital_expenditure"),
        ("Proceeds from disposals", "disposals"),
        ("Capitalised development costs", "development"),
        ("Net cash used in investing activities", "investing_cash"),
        ("Repayment of long-term debt", "debt_repaid"),
        ("Repayment of lease liabilities", "leases_repaid"),
        ("Dividends paid", "dividends"),
        ("Net cash used in financing activities", "financing_cash"),
        ("Effect of exchange rates on cash", "exchange"),
        ("Net change in cash and cash equivalents", "net_change"),
        ("Cash and cash equivalents at 1 January", "opening_cash"),
        ("Cash and cash equivalents at 31 December", "closing_cash"),
    ),
    "segment_revenue": (
        ("Process Instruments", "process_revenue"),
        ("Laboratory Systems", "laboratory_revenue"),
        ("Service and Calibration", "service_revenue"),
        ("Total revenue", "revenue"),
    ),
    "segment_results": (
        ("Process Instruments", "process_profit"),
        ("Laboratory Systems", "laboratory_profit"),
        ("Service and Calibration", "service_profit"),
        ("Central costs not allocated", "central_costs"),
        ("Restructuring not allocated", "restructuring_unallocated"),
        ("Operating income", "segment_profit"),
    ),
    "regions": (
        ("Europe", "europe_revenue"),
        ("Americas", "americas_revenue"),
        ("Asia-Pacific", "asia_revenue"),
        ("Total revenue", "regions_revenue"),
    ),
    "employees": (
        ("Wages and salaries", "wages"),
        ("Social security", "social_security"),
        ("Pension cost", "pension_cost"),
        ("Total employee cost", "employee_cost"),
    ),
    "tax": (
        ("Tax at the statutory rate of 25%", "statutory_tax"),
        ("Research and development credits", "research_credit"),
        ("Expenses not deductible", "not_deductible"),
        ("Differences in foreign tax rates", "rate_differences"),
        ("Income tax expense", "reconciled_tax"),
    ),
    "maturity": (
        ("Within one year", "debt_within_one"),
        ("Between one and five years", "debt_one_to_five"),
        ("After five years", "debt_after_five"),
        ("Total long-term debt, including the current portion", "debt"),
    ),
}

PROPERTY_CLASSES = ("Land and buildings", "Plant and machinery", "Fixtures and vehicles")
PROPERTY_MOVEMENTS: dict[str, tuple[int, int, int]] = {
    "Carrying amount at 1 January 2024": (52_140, 48_365, 13_700),
    "Additions": (4_210, 10_940, 3_530),
    "Disposals": (0, -265, -120),
    "Depreciation": (-2_460, -7_905, -3_495),
}
CLOSING_PROPERTY = "Carrying amount at 31 December 2024"
SHARES: Pair = (21_400, 21_350)  # weighted average, thousand


def amount(key: str) -> Pair:
    """The amounts of a line for 2024 and 2023; totals are summed from their parts."""
    if key in AMOUNTS:
        return AMOUNTS[key]
    parts = [amount(part) for part in TOTALS[key]]
    return sum(part[0] for part in parts), sum(part[1] for part in parts)


def accounting(value: int) -> str:
    """An amount as accounts print it: 1,234, (1,234) or a dash."""
    if value == 0:
        return "–"
    return f"{value:,}" if value > 0 else f"({-value:,})"


def millions(thousands: int) -> str:
    """An amount in millions with one decimal, halves rounded up, without its sign."""
    return str((Decimal(abs(thousands)) / 1000).quantize(Decimal("0.1"), ROUND_HALF_UP))


def statement_rows(name: str) -> str:
    """A statement as table mark-up."""
    rows = [f"| EUR thousand | {YEARS[0]} | {YEARS[1]} |", "|------------------------|-------:|-------:|"]
    for label, key in STATEMENTS[name]:
        mark = "**" if key in TOTALS else ""
        cells = " | ".join(f"{mark}{text}{mark}" for text in (label, *map(accounting, amount(key))))
        rows.append(f"| {cells} |")
    return "\n".join(rows)


def property_rows() -> str:
    """The movements of property, plant and equipment as table mark-up."""
    closing = tuple(sum(column) for column in zip(*PROPERTY_MOVEMENTS.values(), strict=True))
    rows = [
        f"| EUR thousand | {' | '.join(PROPERTY_CLASSES)} | Total |",
        "|------------------|-------:|-------:|-------:|------:|",
    ]
    rows += [f"| {label} | {_across(values)} |" for label, values in PROPERTY_MOVEMENTS.items()]
    rows.append(f"| **{CLOSING_PROPERTY}** | {_across(closing, '**')} |")
    return "\n".join(rows)


def _across(values: tuple[int, ...], mark: str = "") -> str:
    return " | ".join(f"{mark}{accounting(value)}{mark}" for value in (*values, sum(values)))


def names() -> dict[str, str]:
    """What the report's prose may name: {revenue_2024} in thousands, {revenue_2024_m} in millions, tables, ratios."""
    result = {f"table_{name}": statement_rows(name) for name in STATEMENTS} | {"table_property": property_rows()}
    for key in (*AMOUNTS, *TOTALS):
        for year, value in zip(YEARS, amount(key), strict=True):
            result[f"{key}_{year}"] = accounting(value)
            result[f"{key}_{year}_m"] = millions(value)
    for index, year in enumerate(YEARS):
        result |= {f"{name}_{year}": text for name, text in _ratios(index).items()}
    growths = ("revenue", "process_revenue", "laboratory_revenue", "service_revenue", "operating_income", "net_income")
    return result | {f"{key}_growth": _growth(key) for key in growths}


def _growth(key: str) -> str:
    this_year, last_year = amount(key)
    return f"{100 * (this_year / last_year - 1):.1f}%"


def _ratios(index: int) -> dict[str, str]:
    income = amount("net_income")[index]
    debt, cash = amount("debt")[index], amount("cash")[index]
    return {
        "gross_margin": _share("gross_profit", "revenue", index),
        "operating_margin": _share("operating_income", "revenue", index),
        "tax_rate": f"{-100 * amount('income_tax')[index] / amount('income_before_tax')[index]:.1f}%",
        "per_share": f"{income / SHARES[index]:.2f}",
        "shares": f"{SHARES[index]:,}",
        "current_ratio": f"{amount('current_assets')[index] / amount('current_liabilities')[index]:.2f}",
        "net_debt_m": millions(debt - cash),
        "free_cash_m": millions(amount("operating_cash")[index] + amount("capital_expenditure")[index]),
    }


def _share(part: str, whole: str, index: int) -> str:
    return f"{100 * amount(part)[index] / amount(whole)[index]:.1f}%"
