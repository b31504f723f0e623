"""Known vulnerabilities of the installed packages, as pip-audit tells them; where it cannot ask, there is no verdict.

pip-audit calls packages that it could not ask about free of known vulnerabilities; here they have no verdict.
"""

import json
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass, field
from typing import Any

PROGRAM = "pip-audit"
SILENCE_S = 15  # of the service, at each request
DEADLINE_S = 900
OPTIONS = ["--format", "json", "--progress-spinner", "off", "--timeout", str(SILENCE_S)]


@dataclass
class Audit:
    """What was asked and answered. Without an answer for every package it is neither good nor bad."""

    known: list[str] = field(default_factory=list)  # a line for each vulnerability
    answered: int = 0
    unanswered: list[str] = field(default_factory=list)  # packages
    reason: str = ""  # why there is no answer

    @property
    def has_verdict(self) -> bool:
        return bool(self.known or (self.answered and not self.unanswered and not self.reason))


def audit_packages() -> Audit:
    """Ask about every package in the folder of this program's packages."""
    program = shutil.which(PROGRAM)
    if program is None:
        return Audit(reason=f"{PROGRAM} is not installed; `pip install {PROGRAM}` in an environment of its own will do")
    command = [program, "--path", sysconfig.get_path("purelib"), *OPTIONS]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    except subprocess.TimeoutExpired:
        return Audit(reason=f"{PROGRAM} did not end within {DEADLINE_S // 60} minutes")
    except OSError as error:
        return Audit(reason=f"{program} cannot be started: {error.strerror}")
    try:
        return read_audit(json.loads(done.stdout))
    except (ValueError, KeyError, TypeError):
        told = [line for line in done.stderr.splitlines() if line.strip()]
        return Audit(reason=f"{PROGRAM} gave no report; it ended with: {told[-1] if told else done.returncode}")


def read_audit(report: dict[str, Any]) -> Audit:
    audit = Audit()
    for package in report["dependencies"]:
        if "skip_reason" in package:
            audit.unanswered.append(package["name"])
            continue
        audit.answered += 1
        for each in package["vulns"]:
            mended = ", ".join(each["fix_versions"]) or "no version yet"
            audit.known.append(f"{package['name']} {package['version']}: {each['id']}, mended in {mended}")
    return audit
