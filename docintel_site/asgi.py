"""The application uvicorn serves: `uvicorn docintel_site.asgi:application`."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "docintel_site.settings")

application = get_asgi_application()
