"""The one thing that can go wrong here: an embedded server that does not come up or cannot be kept."""


class EmbeddedError(Exception):
    """An embedded server is not to be had; the message says why and what to do, in one or two sentences."""
