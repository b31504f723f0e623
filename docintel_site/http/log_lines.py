"""How a line of the log looks: as text or as JSON, with the ids of what was worked on."""

import json
import logging
from datetime import UTC, datetime

from jobs.ids import NAMES, known_ids


class WithIds(logging.Filter):
    """A log filter that names request, turn, job and run in each record written while they are worked on."""

    def filter(self, record: logging.LogRecord) -> bool:
        known = known_ids()
        told = [value if name == "request" else f"{name}={value}" for name, value in known.items()]
        record.ids = f"[{' '.join(told)}] " if told else ""
        record.known_ids = {name: known[name] for name in NAMES if name in known}
        return True


class JsonLine(logging.Formatter):
    """One JSON object a line, a traceback inside it."""

    def format(self, record: logging.LogRecord) -> str:
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "process": record.process,
            **getattr(record, "known_ids", {}),
            "message": record.getMessage(),
        }
        if record.exc_info:
            told["error"] = self.formatException(record.exc_info)
        if record.stack_info:
            told["stack"] = self.formatStack(record.stack_info)
        return json.dumps(told, ensure_ascii=False)
