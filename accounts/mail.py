"""Our own mails, and whether mail can be sent at all."""

import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from accounts.models import User

logger = logging.getLogger(__name__)


def send_invitation(user: User, link: str, by: User) -> bool:
    """Send a person their sign-in link and return whether a mail server accepted it; without one, show the link."""
    if not settings.MAIL_CONFIGURED:
        return False
    context = {"user": user, "link": link, "by": by, "days": settings.INVITATION_DAYS}
    return send_text(user, _("Your access to DocIntel"), render_to_string("accounts/invitation_mail.txt", context))


def send_text(user: User, subject: str, text: str) -> bool:
    """Send a person a mail and return whether a mail server accepted it; without one, nothing is sent."""
    if not settings.MAIL_CONFIGURED:
        return False
    try:
        send_mail(subject, text, None, [user.email])
    except (SMTPException, OSError) as error:
        logger.error("The mail “%s” to %s could not be sent: %s", subject, user.email, error)
        return False
    return True


def mail_administrators(subject: str, text: str) -> None:
    """Send every administrator a mail; without a mail server, or if it refuses, only the pages say it."""
    for person in User.objects.filter(is_superuser=True, is_active=True).order_by("pk"):
        send_text(person, subject, text)
