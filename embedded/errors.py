"""The errors of this package: an embedded server does not start, cannot be stored, or hangs."""


class EmbeddedError(Exception):
    """An embedded server is unavailable; the message says why and what to do, in one or two sentences."""


class ServerHangs(EmbeddedError):
    """An embedded server lives and answers nobody; it takes `end` of its module to start it again."""
