"""Ask for known vulnerabilities of the installed packages; exit 0 if none is known, 1 if one is, 3 if unanswered."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from docintel_site.supply.vulnerabilities import audit_packages

NO_VERDICT = 3
NAMED_MAX = 10


class Command(BaseCommand):
    help = "Known vulnerabilities of the installed packages, by pip-audit. Without an answer: no verdict, exit code 3."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        found = audit_packages()
        for line in found.known:
            self.stdout.write(line)
        unanswered = ""
        if found.unanswered:
            named = ", ".join([*found.unanswered[:NAMED_MAX], *(["…"] if len(found.unanswered) > NAMED_MAX else [])])
            unanswered = f"no answer for {len(found.unanswered)} of the packages ({named})"
        if found.known:
            raise CommandError("; ".join(filter(None, [f"Known vulnerabilities: {len(found.known)}", unanswered])))
        if not found.has_verdict:
            reason = found.reason or unanswered or "there was nothing to ask about"
            raise CommandError(f"No verdict, which is neither good nor bad: {reason}.", returncode=NO_VERDICT)
        self.stdout.write(f"Asked about {found.answered} packages: no vulnerability is known.")
