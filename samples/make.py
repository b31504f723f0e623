"""Write the sample PDFs from their sources: `python -m samples.make [FOLDER]`."""

import sys
from pathlib import Path

import pymupdf

from samples import figures
from samples.typesetting import Style, Typesetter

HERE = Path(__file__).parent

AGREEMENT = Style(
    title="Master Outsourcing Agreement NM-HDS-2024-017",
    accent=(0.10, 0.16, 0.30),
    bottom=782.0,
    header=("Master Outsourcing Agreement", "NM-HDS-2024-017"),
    footer=("Northwind Meridian Mutual and Halden Data Services Limited. Confidential.", "Page {page} of {pages}"),
)

REPORT = Style(
    title="Corvane Instruments Group, Annual Report 2024",
    body="helv",
    bold="hebo",
    italic="heit",
    size=9.6,
    leading=14.2,
    accent=(0.02, 0.33, 0.38),
    margin=76.0,
    bottom=778.0,
    header=("Corvane Instruments Group – Annual Report 2024", "{chapter}"),
    footer=("", "{page}"),
    front_pages=2,
    contents_levels=2,
    has_outline=False,
    row_rules=False,
)


def make_agreement() -> pymupdf.Document:
    """The outsourcing agreement: native outline of three levels, an amendment that contradicts clause 2.1."""
    typesetter = Typesetter(AGREEMENT)
    typesetter.set((HERE / "source" / "outsourcing-agreement.txt").read_text(encoding="utf-8"))
    return typesetter.document()


def make_report() -> pymupdf.Document:
    """The annual report: no outline, printed contents with links, labels i, ii, 1 …, amounts from `figures`."""
    source = (HERE / "source" / "annual-report.txt").read_text(encoding="utf-8")
    typesetter = Typesetter(REPORT)
    typesetter.set(source.format_map(figures.names()))
    return typesetter.document()


DOCUMENTS = {"outsourcing-agreement.pdf": make_agreement, "annual-report.pdf": make_report}


def main(folder: Path) -> None:
    """Write every sample PDF into a folder."""
    for name, make in DOCUMENTS.items():
        document = make()
        document.save(folder / name, garbage=4, deflate=True, clean=True, no_new_id=True, use_objstms=1)
        print(f"{name}: {document.page_count} pages, {(folder / name).stat().st_size // 1024} KB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
