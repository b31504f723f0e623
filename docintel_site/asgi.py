"""The application uvicorn serves: `uvicorn docintel_site.asgi:application`."""

import os

from django.conf import settings
from django.core.asgi import get_asgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "docintel_site.settings")
pages = get_asgi_application()
get_resolver().url_patterns  # noqa: B018  # imports every page now, so that whoever is answered is answered at once

# After Django is set up: the check of uploads uses models.
from docintel_site.http.access_log import AccessLog
from docintel_site.http.allowance import allowance
from docintel_site.http.body_limit import BodyLimit
from docintel_site.http.header_limit import allow_connections
from docintel_site.http.health import Health
from docintel_site.http.scraping import Metrics

allow_connections()
application = AccessLog(Health(Metrics(BodyLimit(pages, settings.BODY_MAX_BYTES, allowance))))
