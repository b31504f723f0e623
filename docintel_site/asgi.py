"""The application uvicorn serves: `uvicorn docintel_site.asgi:application`."""

import os

from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "docintel_site.settings")
pages = get_asgi_application()

# After Django is set up: the check of uploads uses models.
from docintel_site.http.access_log import AccessLog
from docintel_site.http.allowance import allowance
from docintel_site.http.body_limit import BodyLimit

application = AccessLog(BodyLimit(pages, settings.BODY_MAX_BYTES, allowance))
