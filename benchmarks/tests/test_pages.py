"""What a page weighs is the page with its styles and scripts, as sent."""

import psutil

from benchmarks.pages import ASSETS, TIMES, measured

PAGE = b"""<link rel="icon" href="/static/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="/static/site.css">
<script src="/static/theme.js"></script><script src="/static/site.js" defer></script>
<img src="/documents/1/pages/1/image/">
<a href="/static/site.css">not an asset</a>"""
SIZES = {"/": PAGE, "/static/icon.svg": b"i" * 100, "/static/site.css": b"c" * 1000, "/static/theme.js": b"t" * 10}


class Recorded:
    """A browser whose pages are given; each call takes one millisecond more than the last."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def get(self, address: str) -> tuple[bytes, float]:
        self.asked.append(address)
        return SIZES.get(address, b""), float(len(self.asked))


def test_it_finds_styles_scripts_and_the_icon_once() -> None:
    assert sorted(set(ASSETS.findall(PAGE.decode() * 2))) == [
        *("/static/icon.svg", "/static/site.css", "/static/site.js", "/static/theme.js")
    ]


def test_it_weighs_everything_but_pictures_and_leaves_the_first_call_out() -> None:
    browser = Recorded()
    found = measured(browser, "/", psutil.Process())  # type: ignore[arg-type]  # nothing is asked of it but `get`
    assert found["weight_kb"] == round((len(PAGE) + 1110) / 1000, 1)
    assert browser.asked.count("/") == 1 + TIMES
    assert not any("image" in address for address in browser.asked)
    assert found["p50_ms"] is not None and found["p50_ms"] > 6
