"""The id of the request being served: on its answer, on its error page, in every line it logs.

It is always our own. One that a client sends could carry anything into the log, or pose as somebody else's request.
"""

import uuid

from jobs.ids import known_ids, start_with

HEADER = b"x-request-id"


def make_request_id() -> str:
    """A fresh id, kept for the rest of the request."""
    fresh = uuid.uuid4().hex
    start_with({"request": fresh})
    return fresh


def current_request_id() -> str:
    """The id of the request being served, in a worker of the one that asked for the work; "" outside of one."""
    return known_ids().get("request", "")
