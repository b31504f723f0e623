"""Sign-on in a real browser: its button leaves for the provider although forms may end only at this site."""

import os
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection
from playwright.sync_api import expect

from accounts.models import User
from accounts.tests.test_sign_on import SECRET, scripted_provider
from tests.browsers import needs_chromium, new_context, opened
from tests.running import web_server


@needs_chromium
def test_the_button_leads_to_the_provider_and_back_in(transactional_db: None, tmp_path: Path) -> None:
    User.objects.create_superuser("ada@example.org", "quiet-harbour-91")
    database = urlsplit(settings.DATABASE_URL)._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    with scripted_provider() as provider:
        chosen = {
            "DOCINTEL_HOME": str(tmp_path),
            "DATABASE_URL": database,
            "DOCINTEL_OIDC_ISSUER": provider.url,
            "DOCINTEL_OIDC_CLIENT_ID": "docintel",
            "DOCINTEL_OIDC_CLIENT_SECRET": SECRET,
            "DOCINTEL_OIDC_NAME": "Ministry",
        }
        with web_server(os.environ | chosen, tmp_path / "web.txt") as (address, _), opened() as browser:
            page = new_context(browser).new_page()
            faults: list[str] = []
            page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
            page.goto(f"{address}/accounts/login/?next=/status/")
            page.get_by_role("button", name="Ministry").click()
            page.wait_for_url(f"{address}/status/")
            expect(page.get_by_role("heading", level=1)).to_have_text("Status")
            assert faults == []
