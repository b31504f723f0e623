"""The one thing that can go wrong here: DocIntel cannot be started or checked on this machine as it is."""


class LaunchError(Exception):
    """The message is a sentence for the person at the terminal: what is wrong and what to do."""
