"""Alerts: opened when a measure of a base leaves its range, closed when it is back; both on record and by mail.

Measures are taken over the last days and with a least count. What is beyond its limit opens one `Alert` (the database
refuses a second), which closes at nine tenths of the limit.
"""

from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from django.conf import settings
from django.db import IntegrityError, transaction
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, override
from django.utils.translation import gettext_lazy as _

from accounts.mail import send_text
from accounts.models import User
from audit.alerts.measures import MEASURES, Measure, Measured, read_measure, say_value
from audit.models import Alert, AlertLimit
from documents.access import actor_of
from documents.models import KnowledgeBase, Viewer
from ledger.events import record

BACK_AT = Decimal("0.9")  # of its limit: a measure that wavers around it does not open and close every hour
BY_RULE = "console"
# A row keeps the value that opened it, which pages show as such; a mail says the one there is.
OPENED = _(
    "%(base)s, %(measure)s: when it opened %(value)s of %(count)s %(counted)s in %(days)s days;"
    " the limit was %(limit)s."
)
NOW = _("%(base)s, %(measure)s: %(value)s of %(count)s %(counted)s in %(days)s days; the limit is %(limit)s.")
UNWATCHED = _("%(base)s, %(measure)s: %(value)s of %(count)s %(counted)s in %(days)s days; it is not watched any more.")


class AlarmLimit(NamedTuple):
    """From where on a measure alarms (None: never), and how many it takes."""

    limit: Decimal | None
    least: int


class Watched(NamedTuple):
    """One measure of a base as its page shows it."""

    name: str
    measure: Measure
    limit: AlarmLimit
    now: Measured
    alert: Alert | None  # that is open

    @property
    def is_too_few(self) -> bool:
        return self.now.of < self.limit.least

    @property
    def is_beyond(self) -> bool:
        return self.limit.limit is not None and not self.is_too_few and self.now.value > self.limit.limit

    @property
    def kind(self) -> str:
        """The state of the value now; "" where too few were counted or nothing limits it."""
        if self.alert:
            return "fail"
        if self.is_too_few or self.limit.limit is None:
            return ""
        return "warn" if self.is_beyond else "ok"

    @property
    def unit(self) -> str:
        """Of the limit: per cent, or the currency that was paid in."""
        return "%" if self.measure.is_rate else self.now.currency or gettext("in the currency of the prices")

    @property
    def words(self) -> str:
        """The value now; of a cost its unit is said also where nothing was paid."""
        return say_value(self.now.value, "" if self.measure.is_rate else self.unit)

    @property
    def of_words(self) -> str:
        return f"{self.now.of} {self.measure.say_counted(self.now.of)}"

    @property
    def least_unit(self) -> str:
        return self.measure.say_counted(self.limit.least)


def limits_of(base: KnowledgeBase) -> dict[str, AlarmLimit]:
    chosen = {row.measure: AlarmLimit(row.limit, row.least) for row in AlertLimit.objects.filter(base=base)}
    return {name: chosen.get(name, AlarmLimit(measure.limit, measure.least)) for name, measure in MEASURES.items()}


def set_limits(base: KnowledgeBase, wanted: dict[str, AlarmLimit], by: User) -> None:
    """Change limits of a base, on record; what stays as it is leaves none."""
    with transaction.atomic():
        KnowledgeBase.objects.select_for_update().get(pk=base.pk)
        before = limits_of(base)
        changed = {name: limit for name, limit in wanted.items() if limit != before[name]}
        for name, limit in changed.items():
            AlertLimit.objects.update_or_create(base=base, measure=name, defaults=limit._asdict())
        if changed:
            told = {name: [say_limit(before[name]), say_limit(limit)] for name, limit in changed.items()}
            record("alert_limits_changed", actor_of(by), f"base:{base.pk}", told)


def say_limit(limit: AlarmLimit) -> str:
    return f"{limit.limit} of {limit.least}" if limit.limit is not None else "never"


def watch_measures(base: KnowledgeBase) -> list[Watched]:
    opened = {alert.measure: alert for alert in Alert.objects.filter(base=base, closed_at=None)}
    limits = limits_of(base)
    return [
        Watched(name, measure, limits[name], read_measure(base, name), opened.get(name))
        for name, measure in MEASURES.items()
    ]


def open_alerts(user: Viewer, base: KnowledgeBase | None = None) -> list[tuple[Alert, str]]:
    """The open alerts of the bases a person audits, or of one of them, each with its sentence."""
    alerts = Alert.objects.visible_to(user).filter(closed_at=None).select_related("base")
    return [(alert, describe_alert(alert)) for alert in (alerts.filter(base=base) if base else alerts)]


def describe_alert(alert: Alert, sentence: str | Promise = OPENED) -> str:
    """What has left its range, in one of the sentences above."""
    measure = MEASURES.get(alert.measure)
    return str(sentence) % {
        "base": alert.base.name,
        "measure": str(measure.words) if measure else alert.measure,
        "value": say_value(alert.value, alert.currency),
        "limit": say_value(alert.limit, alert.currency),
        "count": alert.of,
        "counted": measure.say_counted(alert.of) if measure else "",
        "days": measure.days if measure else 0,
    }


# ---- in a worker


def watch_bases() -> None:
    """Open and close the alerts of every base. Safe to run in parallel: of two that open one, the first does."""
    for base in KnowledgeBase.objects.living():
        changed = [alert for each in watch_measures(base) if (alert := settle(base, each))]
        if changed:
            mail_alerts(base, changed)


def settle(base: KnowledgeBase, each: Watched) -> Alert | None:
    """Open or close the alert of a measure; None if it stays as it is."""
    limit = each.limit.limit
    if each.alert is None:
        return open_alert(base, each, limit) if limit is not None and each.is_beyond else None
    is_back = limit is None or each.is_too_few or each.now.value <= limit * BACK_AT
    return close_alert(each.alert, each.now, limit) if is_back else None


def open_alert(base: KnowledgeBase, each: Watched, limit: Decimal) -> Alert | None:
    try:
        with transaction.atomic():
            alert = Alert.objects.create(
                base=base,
                measure=each.name,
                value=each.now.value,
                limit=limit,
                of=each.now.of,
                currency=each.now.currency,
                opened_at=timezone.now(),
            )
            told = {"what": each.name, "value": each.now.words, "limit": say_value(limit, each.now.currency)}
            record("alert_opened", BY_RULE, f"base:{base.pk}", told)
            return alert
    except IntegrityError:
        return None  # another worker was first


def close_alert(alert: Alert, now: Measured, limit: Decimal | None) -> Alert | None:
    with transaction.atomic():
        alert.closed_at = timezone.now()
        if not Alert.objects.filter(pk=alert.pk, closed_at=None).update(closed_at=alert.closed_at):
            return None
        # Not stored: the row stays as it was opened, and the mail says what is.
        alert.value, alert.of, alert.currency = now.value, now.of, now.currency or alert.currency
        alert.limit = alert.limit if limit is None else limit
        told = {"what": alert.measure, "value": say_value(alert.value, alert.currency)}
        record("alert_closed", BY_RULE, f"base:{alert.base_id}", told)
        return alert


def mail_alerts(base: KnowledgeBase, alerts: Iterable[Alert]) -> None:
    """Mail the owners and auditors of a base; without a mail server, or if it refuses, only the pages say it."""
    watched = {name for name, each in limits_of(base).items() if each.limit is not None}
    with override(settings.LANGUAGE_CODE):
        told = ((alert, describe_alert(alert, NOW if alert.measure in watched else UNWATCHED)) for alert in alerts)
        lines = [(alert.closed_at is not None, sentence) for alert, sentence in told]
        text = render_to_string("audit/alert_mail.txt", {"base": base, "lines": lines})
        for person in people_told(base):
            send_text(person, gettext("Alerts of the base %(name)s") % {"name": " ".join(base.name.split())}, text)


def people_told(base: KnowledgeBase) -> "list[User]":
    members = base.membership_set.filter(role__in=("owner", "auditor"), user__is_active=True)
    return [member.user for member in members.select_related("user").order_by("user_id")]
