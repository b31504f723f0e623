"""The error of this package: an embedded server does not start or cannot be stored."""


class EmbeddedError(Exception):
    """An embedded server is unavailable; the message says why and what to do, in one or two sentences."""
