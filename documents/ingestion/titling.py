"""The title a document gives itself, if it is credible."""

import re
from pathlib import Path

from documents.models import Document
from documents.storage.uploads import TITLE_MAX, title_of

LETTERS_MIN = 4
# What programs write as a file's title if nobody gave one.
NO_TITLE = re.compile(
    r"^(microsoft (word|powerpoint)|powerpoint presentation|untitled|(document|slide|presentation) ?\d*$)"
    r"|\.(pdf|docx?|pptx?|xlsx?|indd|tex|dvi|qxd)$",
    re.IGNORECASE,
)
CREDIBLE_MAX = 200  # characters; anything longer is a paragraph


def better_title(document: Document, title: str) -> str:
    """The title the document gives itself, unless somebody named it or a program filled it in."""
    title = " ".join(title.split())[:TITLE_MAX]
    letters = sum(sign.isalpha() for sign in title)
    is_title = letters >= LETTERS_MIN and len(title) <= CREDIBLE_MAX and not NO_TITLE.search(title)
    was_named = document.title != title_of(document.file_name)
    is_file_name = title == Path(document.file.path).stem
    return document.title if was_named or is_file_name or not is_title else title
