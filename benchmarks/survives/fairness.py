"""Many files of one person wait to be read: how long does one page of somebody else take? (T8)"""

import time
from collections.abc import Iterator
from typing import Any

from benchmarks.survives.files import stop_embedding
from benchmarks.survives.site import Site, wait_for
from benchmarks.survives.verdicts import Verdict, verdict_of

GOAL_S = 30.0
AT_ONCE = 20  # files in a request
NOTE = "# Note {number}\n\nThe records of supplier {number} are kept for six years.\n"
PAGE = b"# Notice\n\nEither party may end this agreement with thirty days of notice.\n"


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
