"""URLs of people, invitations and sessions; allauth's own are below `accounts/` too."""

from allauth.account.views import PasswordResetView
from django.conf import settings
from django.urls import path

from accounts import views

app_name = "accounts"

urlpatterns = [
    # allauth's own view, which must know whether mail can be sent.
    path(
        "accounts/password/reset/",
        PasswordResetView.as_view(extra_context={"mail_configured": settings.MAIL_CONFIGURED}),
        name="reset_password",
    ),
    path("accounts/oidc/<str:provider_id>/login/", views.sign_on, name="sign_on"),
    path("invitation/<str:token>/", views.invitation, name="invitation"),
    path("people/", views.people_page, name="people"),
    path("people/<int:pk>/", views.edit_person, name="person"),
    path("accounts/sessions/", views.sessions, name="sessions"),
]
