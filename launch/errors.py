"""The error of this package: DocIntel cannot be started or checked on this machine."""


class LaunchError(Exception):
    """The message is one sentence for the person at the terminal: the problem and what to do."""
