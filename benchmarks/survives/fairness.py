"""Many or long files of one person are worked on: how long does one page of somebody else take? (T8)"""

import time
from collections.abc import Iterator
from typing import Any

from django.db.models import Sum

from benchmarks.survives.files import stop_embedding
from benchmarks.survives.site import Site, wait_for
from benchmarks.survives.verdicts import Verdict, verdict_of

GOAL_S = 30.0
VECTORS_GOAL_S = 10.0
SECTIONS = 20_000  # of a file; each is a passage and an entry of the contents, which have a vector each
AT_ONCE = 20  # files in a request
NOTE = "# Note {number}\n\nThe records of supplier {number} are kept for six years.\n"
PAGE = b"# Notice\n\nEither party may end this agreement with thirty days of notice.\n"
SECTION = "# Site {number}\n\nThe records of site {number} are kept for six years.\n\n"
SHORT = b"# Insurance\n\nThe supplier is insured for two million.\n"


def drill(site: Site, waiting: int) -> Iterator[Verdict]:
    """One uploads many, the other one; who came first has to let the other pass."""
    from documents.models import Document, IngestJob

    base = site.new_base("Fair turns")
    many, other = (site.person(site.new_member(base, f"{name}@example.org", "editor")) for name in ("many", "other"))
    names = [f"note-{number:03d}.md" for number in range(waiting)]
    for first in range(0, waiting, AT_ONCE):
        notes = range(first, min(first + AT_ONCE, waiting))
        files = [("files", (names[number], NOTE.format(number=number).encode())) for number in notes]
        many.insist("POST", f"/api/v1/bases/{base}/documents", files=files)
    began = time.monotonic()
    page = other.upload(base, "notice.md", PAGE)["document_id"]
    unread = Document.objects.filter(base=base).exclude(pk=page).exclude(state="ready")
    ahead = unread.count()
    is_ready = wait_for(lambda: Document.objects.filter(pk=page, state="ready").exists(), 6 * GOAL_S)
    counts: dict[str, Any] = {
        "seconds": round(time.monotonic() - began, 1),
        "files accepted": Document.objects.filter(base=base).count() - 1,
        "not read when it came": ahead,
        "not read when it was ready": unread.count(),
    }
    stop_embedding(IngestJob.objects.filter(document__base=base))  # the next drill has its own work
    goal = f"a page is ready within {GOAL_S:.0f} s though {waiting} files of somebody else came before it"
    is_all_taken = counts["files accepted"] == waiting
    in_time = counts["seconds"] <= GOAL_S and ahead > 0  # none is ahead where this process itself stood still
    yield verdict_of("fair turns", goal, counts, reached=is_ready and is_all_taken, in_time=in_time)


def drill_long(site: Site, vectors: int) -> Iterator[Verdict]:
    """One uploads so long files that their vectors take minutes, the other a few lines."""
    from documents.models import IngestJob

    base = site.new_base("Long files")
    one, other = (site.person(site.new_member(base, f"{name}@example.org", "editor")) for name in ("long", "short"))
    of_base = IngestJob.objects.filter(document__base=base)
    for first in range(0, vectors // 2, SECTIONS):
        numbers = range(first, min(first + SECTIONS, vectors // 2))
        text = "".join(SECTION.format(number=number) for number in numbers)
        one.upload(base, f"sites-{first}.md", text.encode())
    is_begun = wait_for(lambda: not of_base.exclude(stage="embed", done_count__gt=0).exists(), 60 * GOAL_S)
    began = time.monotonic()
    job = of_base.filter(document=other.upload(base, "insurance.md", SHORT)["document_id"])
    is_done = wait_for(lambda: job.filter(state="done").exists(), 12 * VECTORS_GOAL_S)
    seconds = round(time.monotonic() - began, 1)
    told = of_base.exclude(pk__in=job).aggregate(made=Sum("done_count"), wanted=Sum("total_count"))
    counts = {"seconds": seconds, "vectors of the long files": told["wanted"], "made by then": told["made"]}
    stop_embedding(of_base)
    goal = f"a few lines have their vectors within {VECTORS_GOAL_S:.0f} s beside {vectors} of somebody else"
    is_beside = told["made"] < told["wanted"] >= vectors
    yield verdict_of(
        "long files", goal, counts, reached=is_begun and is_done and is_beside, in_time=seconds <= VECTORS_GOAL_S
    )
