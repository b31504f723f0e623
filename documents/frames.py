"""A document as pandas data frames, for notebooks and exports: its lines, contents and tables.

Only this module imports pandas, so that servers and workers do not load it.
"""

from collections.abc import Sequence

import pandas as pd

from documents.storage.content import DocumentContent
from reading.rows import LineRow, TocRow
from reading.tables import Table

COLUMN_LEVELS = ["heading", "period", "unit"]
ROW_LEVELS = ["group", "label"]


def line_df(content: DocumentContent) -> pd.DataFrame:
    """One row per line, with the columns of LineRow, indexed by document-wide line number."""
    return pd.DataFrame(content.lines, columns=list(LineRow._fields)).set_index("number", drop=False)


def toc_df(content: DocumentContent) -> pd.DataFrame:
    """One row per entry, with the columns of TocRow, indexed by TOC index."""
    return pd.DataFrame(content.toc, columns=list(TocRow._fields)).set_index("index", drop=False)


def table_df(table: Table) -> pd.DataFrame:
    """The cells of a table: amounts as Decimal, other cells as printed, None if empty."""
    cells = [[cell and (cell.text if cell.amount is None else cell.amount) for cell in row.cells] for row in table.rows]
    return build_frame(table, cells)


def table_lines_df(table: Table) -> pd.DataFrame:
    """The line number of each cell of `table_df`, in the same rows and columns; 0 for an empty cell."""
    return build_frame(table, [[cell.line if cell else 0 for cell in row.cells] for row in table.rows])


def build_frame(table: Table, cells: Sequence[Sequence[object]]) -> pd.DataFrame:
    """Cells under the headings of a table. `attrs` holds its title, unit and page."""
    columns = [(column.heading, column.period, column.unit) for column in table.columns]
    frame = pd.DataFrame(
        [list(row) for row in cells],
        index=pd.MultiIndex.from_tuples([(row.group, row.label) for row in table.rows], names=ROW_LEVELS),
        columns=pd.MultiIndex.from_tuples(columns, names=COLUMN_LEVELS),
        dtype=object,
    )
    frame.attrs = {"title": table.title, "unit": table.unit, "page": table.page_number}
    return frame
