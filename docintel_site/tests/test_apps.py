"""A process of the product collects garbage, seldom while it imports and not among what it has imported."""

import os
import subprocess
import sys

import pytest

PROGRAMS = {
    "django": "import django; django.setup()",
    "beat, without Django": "import docintel_site.schedule",
}


@pytest.mark.parametrize(("program", "is_frozen"), [("django", True), ("beat, without Django", False)])
def test_garbage_is_collected_but_not_among_what_was_imported(program: str, is_frozen: bool) -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "docintel_site.settings"}
    code = f"{PROGRAMS[program]}; import gc; print(gc.isenabled(), gc.get_freeze_count() > 100_000)"
    told = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["True", str(is_frozen)]
