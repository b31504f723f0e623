"""Why a file could not be read: a code and a sentence each; the sentence says what to do."""

from collections.abc import Sequence
from typing import Any

from reading.values.runs import split_runs


def _(words: str) -> str:
    """Mark words for translation. Django's own function needs settings, and the reading child has none."""
    return words


REASONS = {
    "empty_file": _("The file is empty. Upload it again; if it stays empty, ask for a new copy."),
    "not_pdf": _("This is not a PDF, whatever its name says. Save or print the original as PDF and upload that."),
    "too_large": _("The file is larger than {limit_mb} MB. Split it, or ask an administrator to raise the limit."),
    "encrypted": _(
        "The PDF is locked with a password. Give the password, or remove it in the program it came from and upload the "
        "file again."
    ),
    "wrong_password": _(
        "The PDF is locked with a password, and the one that was given does not open it. Capitals and spaces count."
    ),
    "unknown_encryption": _(
        "The PDF is protected in a way that cannot be opened here, for example with a certificate. Remove the "
        "protection in the program it came from and upload the file again."
    ),
    "damaged": _(
        "The PDF is damaged, perhaps by an incomplete upload. Fetch the original once more and upload it again."
    ),
    "no_pages": _("The PDF has no pages. Export it again from the program it came from."),
    "too_many_pages": _("The PDF has {pages} pages; at most {limit} are read. Split it into parts and upload those."),
    "no_text": _(
        "No page has text: these are probably scanned images. Run text recognition (OCR) on the file and upload the "
        "result."
    ),
    "blank_pages": _(
        "Every page is blank: nothing is printed on them. If the original shows more, print it to a new PDF and upload "
        "that."
    ),
    "form_without_text": _(
        "The PDF is a form: it has fields to fill in, but no text. Fill it in and print it to a new PDF; if its words "
        "are pictures or drawn, run text recognition (OCR) on it. Then upload the result."
    ),
    "drawn_text": _(
        "No page has text: what is on them is drawn with lines and shapes, letters too if there are any. Export the "
        "file again with its fonts, or run text recognition (OCR) on it, and upload the result."
    ),
    "nothing_recognised": _(
        "No page has text, and text recognition found none in what is drawn on them. If there are words, scan the "
        "original again, straight and sharp, and upload that."
    ),
    "text_too_large": _(
        "The PDF holds more than {limit} characters of text, more than any real document. Split it and try again."
    ),
    "too_many_passages": _(
        "The document falls into {passages} passages; at most {limit} are taken. Split the file into parts and upload "
        "those."
    ),
    "parse_timeout": _(
        "Reading took longer than {seconds} seconds and was stopped. Print the file to a new PDF and upload that."
    ),
    "parse_memory": _(
        "Reading needed over {memory_mb} MB of memory and was stopped. Print the file to a new PDF and upload that."
    ),
    "parse_crash": _("The PDF made the reader stop unexpectedly. Print the file to a new PDF and upload that."),
    "parse_killed": _(
        "Work on this document was stopped from outside each time, perhaps because the server is short of memory. "
        "Try again; if it happens again, tell an administrator."
    ),
    "huge_page": _("The page is too large to be drawn as an image. Its text was read and can be shown."),
    "malware": _("A virus scanner refused the file. It was not stored."),
    "duplicate": _("This file is already in the base. The existing document was kept."),
    "storage_full": _("The server has no disk space left. Nothing was stored; tell an administrator and try again."),
    "not_isolated": _(
        "This server is set to read files only where they can be shut in, and here they cannot. Tell an administrator: "
        "the page Status says what is missing."
    ),
    "internal": _(
        "Something went wrong on our side and was recorded. Try again; if it happens again, tell an administrator."
    ),
}

WARNINGS = {
    "repaired": _("The file's structure was broken and was repaired while reading."),
    "pages_unreadable": _("Some pages could not be read: {value}."),
    "outline_ignored": _("The file's own outline is unusable and was ignored."),
    "outline_skipped": _("The file's own outline could not be read in time and was ignored."),
    "labels_skipped": _(
        "The page labels the file declares could not be read in time; printed numbers are used instead."
    ),
    "outline_cut": _("The file's own outline is too large or too deep; only a part was used."),
    "characters_removed": _("Characters that cannot be stored or shown were removed: {value}."),
    "characters_unread": _(
        "Pages on which the file does not say which characters some signs are; they are shown as \ufffd: {value}."
    ),
    "signs_unread": _(
        "Pages on which a sign before or behind a number could not be read, perhaps a minus; these numbers are not "
        "taken as values: {value}."
    ),
    "hidden_text": _(
        "Some pages carry invisible text, usually from text recognition; it may differ from what is seen."
    ),
    "concealed_text": _(
        "Pages with text that nobody sees: white on white, transparent or under a point high: {value}."
    ),
    "struck_text": _(
        "Pages with words that are struck through; they are kept and shown, not searched, and answer nothing: {value}."
    ),
    "boxes_unread": _(
        "Pages with boxes to be ticked of which it could not be read whether they are; they answer nothing: {value}."
    ),
    "off_page_text": _("Pages with text outside their edges, where nobody sees it; it is not searched: {value}."),
    "watermarks": _(
        "Slanted text and marks over the text, such as a watermark, are kept but not searched or quoted. Pages, and "
        "number of such lines: {value}."
    ),
    "white_unchecked": _(
        "Pages that were not checked for white text that nobody sees, because they could not be drawn in time: {value}."
    ),
    "blank_unchecked": _(
        "Pages without text of which it is not known whether they are blank, because they could not be drawn in time: "
        "{value}."
    ),
    "huge_page": _("Some pages are too large to be shown as an image; their text was read."),
    "page_text_cut": _("Some pages hold more text than any real page and were cut: {value}."),
    "long_lines_divided": _(
        "Lines longer than any real line were divided into parts that are searched one by one; pages: {value}."
    ),
    "garbled_text": _("Much of the text has no known letters, because its fonts do not say which letters they draw."),
    "garbled_pages": _(
        "Pages much of whose text has no known letters, because their fonts do not say which letters they draw: "
        "{value}."
    ),
    "pages_without_text": _("Pages without text, not searched: {value}."),
    "text_recognised": _("Text recognition read these pages from their images; compare quotes with the page: {value}."),
    "contents_links_skipped": _("Some links of the contents pages were not read: they are too many or take too long."),
    "contents_source_unusable": _(
        "The source that was chosen for the contents is not usable in this file; they are taken as if none was chosen."
    ),
    "active_content_ignored": _("The file contains scripts or actions; they were ignored."),
    "attached_files": _("Files are attached to this one; they were not read with it: {value}."),
    "xfa_form": _(
        "The file is a form of a kind that only Adobe's programs show (XFA). What was read may be nothing but the "
        "request to wait or to open it there. Open it there, print it to a new PDF and upload that."
    ),
    "not_scanned": _("The file was not scanned for viruses."),
}


PAGE_KINDS = {
    "text": _("with text"),
    "scan": _("scanned"),
    "form": _("with fields to fill in"),
    "blank": _("blank"),
    "image_heavy": _("mostly pictures"),
}

PAGE_FLAGS = {
    "flattened_table": _("A table was read cell by cell, so its rows are torn apart."),
    "opaque_figure": _("A picture has no text that could be read, whatever is written in it."),
    "many_columns": _("Three or more columns stand side by side; their lines may be in the wrong order."),
    "no_text": _("Something is drawn, but no text was read."),
    "unreadable": _("The page could not be opened."),
}


class ReadingError(Exception):
    """A file that cannot be read. `message` is for people and says what to do, `detail` is for administrators."""

    def __init__(self, code: str, message: str, detail: str = "") -> None:
        super().__init__(f"{code}: {detail or message}")
        self.code = code
        self.message = message
        self.detail = detail


def refusal(code: str, detail: str = "", **values: Any) -> ReadingError:
    """The error of a reason code, with values filled into its sentence."""
    return ReadingError(code, REASONS[code].format(**values), detail)


def number_ranges(numbers: Sequence[int]) -> str:
    """Page numbers as people write them: "1-3, 7"."""
    ranges = ((run[0], run[-1]) for run in split_runs(numbers, lambda run, number: number == run[-1] + 1))
    return ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in ranges)
