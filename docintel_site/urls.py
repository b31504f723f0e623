"""Every URL of the site."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.urls import include, path
from django.views.i18n import set_language

from accounts import token_views
from chat import urls as chat
from chat.api import ChatView
from docintel_site import first_run, views

admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # one door, with its limit of attempts

urlpatterns = [
    path("", first_run.home, name="home"),
    path("demo/", first_run.bring_demo, name="bring_demo"),
    path("first-files/", first_run.first_files, name="first_files"),
    path("welcome/<str:token>/", first_run.first_owner, name="first_owner"),
    path("", include("accounts.urls")),
    path("accounts/tokens/", token_views.tokens, name="tokens"),
    path("accounts/tokens/<uuid:pk>/revoke/", token_views.revoke, name="revoke_token"),
    path("accounts/", include("allauth.urls")),
    path("status/", views.status, name="status"),
    path("requirements/", views.requirements, name="requirements"),
    path("favicon.ico", login_not_required(views.favicon), name="favicon"),
    path("language/", login_not_required(set_language), name="set_language"),
    path("ask/", include("chat.urls")),
    path("audit/", include("audit.pages.urls")),
    path("admin/", admin.site.urls),
    path("api/v1/", include("docintel_site.api_urls")),
    path("api/chat", ChatView.as_view(), name="chat_api"),
    path("", include("documents.urls")),
    path("", include("retrieval.dictionary.urls")),
    path("", include("retrieval.reading_rules.urls")),
    path("", include((chat.PROMPTS, "chat_prompts"))),
    path("", include((chat.MODEL, "chat_model"))),
    path("", include((chat.OUTSIDE, "shared"))),
]

handler400 = "docintel_site.http.problems.bad_request"
handler403 = "docintel_site.http.problems.forbidden"
handler404 = "docintel_site.http.problems.absent"
handler500 = "docintel_site.http.problems.report_failure"
