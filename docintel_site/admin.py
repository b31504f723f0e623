"""Unregister libraries' models nobody needs to see: addresses, sessions, second factors and keys of other people."""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.auth.models import Group

admin.site.unregister([Authenticator, EmailAddress, Group, SocialAccount, SocialApp, SocialToken, UserSession])
