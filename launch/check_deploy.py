"""Django's own checks of an installation behind TLS, in a home of its own that is gone afterwards."""

import os
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Not by manage.py, which starts servers: these checks need none.
COMMAND = [sys.executable, "-m", "django", "check", "--deploy", "--fail-level", "WARNING"]
OURS = ("DATABASE_URL", "REDIS_URL", "DOCINTEL_", "OPENAI_", "DJANGO_")


def check_deploy() -> int:
    """The exit code of the checks; 0 only without a warning."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    with tempfile.TemporaryDirectory(prefix="docintel-check-") as home:
        chosen = {"DOCINTEL_HOME": home, "DOCINTEL_HTTPS": "true", "DOCINTEL_SECRET_KEY": secrets.token_urlsafe(50)}
        chosen["DJANGO_SETTINGS_MODULE"] = "docintel_site.settings"
        return subprocess.run(COMMAND, cwd=ROOT, env=inherited | chosen, check=False).returncode


if __name__ == "__main__":
    sys.exit(check_deploy())
