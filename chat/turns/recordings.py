"""The recorded replies of the demonstration's questions: one file each in `samples/recorded`.

A reply counts for the exact request it was given to. When a prompt or a brief changes, `manage.py recorded_requests`
writes the requests that have none, for somebody to have answered anew.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings

from llm.recordings.recorded import RecordedReply, Recording, UnansweredRequest

MODEL = "a large language model"


def read_recording() -> Recording:
    replies = {}
    for path in sorted(recorded_folder().glob("*.json")):
        kept = json.loads(path.read_text(encoding="utf-8"))
        replies[kept["request_digest"]] = RecordedReply(reply_text(kept["reply"]), kept["model"], kept["on"])
    last = max((reply.on for reply in replies.values()), default="")
    return Recording(replies, f"{MODEL}, recorded {last}")


def recorded_folder() -> Path:
    return Path(settings.BASE_DIR) / "samples" / "recorded"


def reply_text(reply: object) -> str:
    """A written reply as it is; one with a schema, kept as an object to be readable, as JSON."""
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False, indent=1)


def write_unanswered(requests: Iterable[UnansweredRequest], folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for request in requests:
        path = folder / f"{request.purpose}-{request.digest[:12]}.json"
        path.write_text(json.dumps(request._asdict(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        written.append(path)
    return written
