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
    text = render_to_string("accounts/invitation_mail.txt", context)
    try:
        send_mail(_("Your access to DocIntel"), text, None, [user.email])
    except (SMTPException, OSError) as error:
        logger.error("The invitation of %s could not be sent: %s", user.email, error)
        return False
    return True
