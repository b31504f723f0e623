"""What kind of page it is (R4): text, a scan, a form, mostly pictures, or blank."""

from collections.abc import Sequence
from itertools import pairwise

from reading.rows import ImageRow, PageKind, TextLayer

# Scanners leave a margin of a few points on a side, 2 to 4 % of a page; a picture between margins of text covers less.
SCAN_SHARE = 0.95
IMAGE_SHARE = 0.5  # more of the page is picture than anything else
FORM_FIELDS = 3  # one or two are where a contract is signed and dated


def kind_of_page(text_layer: TextLayer, image_share: float, fields: int, *, is_without_ink: bool) -> PageKind:
    """The kind of a page. Pictures under text of the page's own are its background, not a scan."""
    if text_layer == "none" and is_without_ink:
        return "blank"
    if fields >= FORM_FIELDS:
        return "form"
    if image_share >= SCAN_SHARE and text_layer != "text":
        return "scan"
    if image_share >= IMAGE_SHARE or text_layer == "none":  # drawn letters are a picture too
        return "image_heavy"
    return "text"


def covered_share(images: Sequence[ImageRow], width: float, height: float) -> float:
    """The share of a page that pictures cover, in 0..1; where they overlap it counts once."""
    if not images or width <= 0 or height <= 0:
        return 0.0
    edges = sorted({edge for image in images for edge in (image.x0, image.x1)})
    area = 0.0
    for left, right in pairwise(edges):
        spans = sorted((image.y0, image.y1) for image in images if image.x0 <= left and image.x1 >= right)
        reached = 0.0
        for top, bottom in spans:
            area += (right - left) * max(0.0, bottom - max(top, reached))
            reached = max(reached, bottom)
    return min(1.0, area / (width * height))
