"""What has to be right before anything starts; Django runs these before its commands, `migrate` among them."""

from typing import Any

from django.core.checks import CheckMessage, Error

from retrieval.version import VersionUnknown, program_version


def the_version_is_known(**_: Any) -> list[CheckMessage]:
    """Every record names the program that made it."""
    try:
        program_version()
    except VersionUnknown as error:
        return [Error(str(error), id="docintel.E001")]
    return []
