"""A process of the product collects garbage, once it has imported everything."""

import os
import subprocess
import sys

PROGRAM = "import django, gc; django.setup(); print(gc.isenabled(), gc.get_freeze_count() > 100_000)"


def test_garbage_is_collected_but_not_among_what_was_imported() -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "docintel_site.settings"}
    told = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["True", "True"]
