"""The application uvicorn serves: `uvicorn docintel_site.asgi:application`."""

import os

from django.conf import settings
from django.core.asgi import get_asgi_application

from docintel_site.access_log import AccessLog
from docintel_site.body_limit import BodyLimit

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "docintel_site.settings")

application = AccessLog(BodyLimit(get_asgi_application(), settings.REQUEST_MAX_BYTES))
