"""The only settings file. The environment is read here and nowhere else; an invalid value stops the start."""

import logging
import os
import re
import secrets
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.retry import Retry

from docintel_site.http.headers import add_static_headers
from embedded import patience, postgres, redis
from llm.prices import parse_prices

BASE_DIR = Path(__file__).resolve().parent.parent


# ---- environment readers: each fails with the name, the value and what is allowed


def env_str(name: str, default: str = "") -> str:
    return os.environ.get(name, "").strip() or default


def env_bool(name: str) -> bool:
    value = env_str(name, "false").lower()
    if value not in ("true", "false", "1", "0"):
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be true or false.")
    return value in ("true", "1")


def env_number(name: str, default: float, *, low: float, high: float) -> float:
    text = env_str(name, str(default))
    try:
        value = float(text)
    except ValueError:
        raise ImproperlyConfigured(f"{name} is {text!r}; it must be a number from {low} to {high}.") from None
    if not low <= value <= high:
        raise ImproperlyConfigured(f"{name} is {text!r}; it must be a number from {low} to {high}.")
    return value


# How many times as long as usual whatever is waited for may take: for a machine that is slow or does much else. Every
# bound of the wall clock is a number of usual seconds times this.
PATIENCE = env_number("DOCINTEL_PATIENCE", 1, low=1, high=100)
patience.be_patient(PATIENCE)
CONNECT_S = int(5 * PATIENCE)  # otherwise a host that does not answer blocks for minutes


def env_wait(name: str, default: float, *, low: float, high: float) -> float:
    """Seconds of the wall clock, on a usual machine, times PATIENCE."""
    return PATIENCE * env_number(name, default, low=low, high=high)


# A database whose machine went silent is noticed after a minute, not after hours.
DATABASE_SILENCE_S = env_wait("DOCINTEL_DATABASE_SILENCE_S", 60, low=6, high=3600)
NOTICED_SILENCE = {
    "keepalives_idle": int(DATABASE_SILENCE_S / 2),
    "keepalives_interval": int(DATABASE_SILENCE_S / 6),
    "keepalives_count": 3,
    "tcp_user_timeout": int(1000 * DATABASE_SILENCE_S),
}
INT_MAX = 2**31 - 1  # of a setting of PostgreSQL
# What PostgreSQL ends by itself; 0 is no limit. manage.py lifts the last two, and whoever makes an index all of them.
DATABASE_LIMITS = {
    "lock_timeout": env_wait("DOCINTEL_DATABASE_LOCK_S", 60, low=0, high=86_400),
    "statement_timeout": env_wait("DOCINTEL_DATABASE_STATEMENT_S", 300, low=0, high=86_400),
    "idle_in_transaction_session_timeout": env_wait("DOCINTEL_DATABASE_IDLE_S", 600, low=0, high=86_400),
}


def env_choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    value = env_str(name, default)
    if value not in choices:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be one of {', '.join(choices)}.")
    return value


def env_url(name: str, default: str = "") -> str:
    url = env_str(name, default)
    if url and urlsplit(url).scheme not in ("http", "https"):
        raise ImproperlyConfigured(f"{name} is {url!r}; it must begin with http:// or https://.")
    return url


def limits_from(**names: str) -> dict[str, Decimal]:
    """The configured limits by what they limit; each is an amount of money above zero."""
    limits = {}
    for what, name in names.items():
        if text := env_str(name):
            try:
                limits[what] = Decimal(text)
            except InvalidOperation:
                raise ImproperlyConfigured(f"{name} is {text!r}; it must be an amount of money like 5.00.") from None
            if not (limits[what].is_finite() and limits[what] > 0):
                raise ImproperlyConfigured(f"{name} is {text!r}; it must be an amount of money like 5.00.")
    return limits


def env_list(name: str, default: str) -> list[str]:
    return [part.strip() for part in env_str(name, default).split(",") if part.strip()]


def watched_folders(name: str) -> list[tuple[str, str]]:
    """The folders of "path=base,…", each with the name or id of its base."""
    pairs = [part.partition("=") for part in env_list(name, "")]
    for path, _, base in pairs:
        if not path.startswith("/") or not base.strip():
            raise ImproperlyConfigured(f"{name} takes path=base, with a whole path, and commas between several.")
    return [(path.strip(), base.strip()) for path, _, base in pairs]


def certificates_of_authority(url: str, path: str) -> Path | None:
    """The file with the certificates of the time-stamping authority at an address; an authority needs them."""
    if bool(url) != bool(path):
        raise ImproperlyConfigured("DOCINTEL_TSA_URL and DOCINTEL_TSA_CERTIFICATES go together.")
    return Path(path) if path else None


def witness_at(place: str) -> str:
    """A whole path, or an address; without TLS only on this machine, since a token goes with it."""
    parts = urlsplit(place)
    is_here = parts.scheme == "http" and parts.hostname in ("127.0.0.1", "::1", "localhost")
    if place and not (place.startswith("/") or is_here or (parts.scheme == "https" and parts.hostname)):
        raise ImproperlyConfigured(f"DOCINTEL_WITNESS is {place!r}; it must be a whole path or begin with https://.")
    return place


def database_from(url: str) -> dict[str, Any]:
    """Django's database settings for a postgresql:// URL; a Unix socket is given as `?host=/directory`."""
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql"):
        raise ImproperlyConfigured(
            "DATABASE_URL must begin with postgresql://; DocIntel needs PostgreSQL with pgvector."
        )
    query = {key: values[0] for key, values in parse_qs(parts.query, keep_blank_values=True).items()}
    limits = " ".join(f"-c {name}={min(int(1000 * seconds), INT_MAX)}" for name, seconds in DATABASE_LIMITS.items())
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")) or "docintel",
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", None) or parts.hostname or "",
        "PORT": query.pop("port", None) or parts.port or "",
        "OPTIONS": {"connect_timeout": CONNECT_S, **NOTICED_SILENCE, "options": limits, **query},
        # Under ASGI, a persistent connection belongs to a thread that may never be used again, and connections run out.
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,
    }


def secret_key_in(home: Path) -> str:
    """The installation's secret key, generated at the first start and readable only by its user."""
    path, fresh = home / "secret_key", home / f"secret_key.{os.getpid()}"
    try:
        if not path.exists():
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(os.open(fresh, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
                file.write(secrets.token_urlsafe(50))
            # The link appears complete, and fails if another process was first: nobody ever reads half a key.
            with suppress(FileExistsError):
                os.link(fresh, path)
            fresh.unlink()
        return path.read_text().strip()
    except OSError as error:
        raise ImproperlyConfigured(
            f"DocIntel cannot keep its data in {home} ({error.strerror}); set DOCINTEL_HOME to a directory you own."
        ) from error


# ---- locations

HOME = Path(env_str("DOCINTEL_HOME", str(BASE_DIR / "var"))).resolve()
MEDIA_ROOT = HOME / "files"
PAGE_IMAGE_ROOT = HOME / "page_images"
CARRIED_ROOT = HOME / "carried"  # records of bases that were brought along from elsewhere
ENCODER_ROOT = HOME / "encoder"
TEMPORARY_ROOT = FILE_UPLOAD_TEMP_DIR = HOME / "temporary"  # made when it is needed
# Heads of the ledger, and the key that signs them: best on a disk the database's administrator cannot write.
LEDGER_HEADS = Path(env_str("DOCINTEL_LEDGER_HEADS", str(HOME / "ledger-heads.jsonl")))
LEDGER_KEY = Path(env_str("DOCINTEL_LEDGER_KEY")) if env_str("DOCINTEL_LEDGER_KEY") else None
# An authority of RFC 3161 that stamps the heads, and its certificates: what was recorded by then cannot be rewritten.
TSA_URL = env_url("DOCINTEL_TSA_URL")
TSA_CERTIFICATES = certificates_of_authority(TSA_URL, env_str("DOCINTEL_TSA_CERTIFICATES"))
# Who is given the heads as well and keeps the first hash of each: a file elsewhere, or an address.
WITNESS, WITNESS_TOKEN = witness_at(env_str("DOCINTEL_WITNESS")), env_str("DOCINTEL_WITNESS_TOKEN")
WITNESS_STATE = HOME / "witness.json"  # what it took last
DATABASE_URL = env_str("DATABASE_URL")
REDIS_URL = env_str("REDIS_URL")

DEBUG = env_bool("DOCINTEL_DEBUG")
SECRET_KEY = env_str("DOCINTEL_SECRET_KEY") or secret_key_in(HOME)
ALLOWED_HOSTS = env_list("DOCINTEL_ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
HTTPS = env_bool("DOCINTEL_HTTPS")
CSRF_TRUSTED_ORIGINS = env_list("DOCINTEL_TRUSTED_ORIGINS", "")

DATABASES = {"default": database_from(DATABASE_URL or postgres.url(HOME))}
EVENTS_REDIS_URL = REDIS_URL or redis.url(HOME)
# One that takes a connection and does not answer must not keep a request.
REDIS_TIMEOUTS = {"socket_timeout": 2 * PATIENCE, "socket_connect_timeout": 2 * PATIENCE}
# By itself the client waits four seconds in all between four attempts, for each event of an answer anew. One that was
# started again is asked once more, one that keeps silent is not.
REDIS_RETRY = Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,))

# ---- Django

INSTALLED_APPS = [
    "docintel_site.administration.AdministrationConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "pgtrigger",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "docintel_site",
    "audit",
    "chat",
    "retrieval",
    "documents",
    "llm",
    "ledger",
    "accounts",
]
MIDDLEWARE = [
    "docintel_site.http.headers.Headers",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "docintel_site.http.compression.CompressPages",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "docintel_site.http.session_ends.SessionEnds",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "docintel_site.http.page_limits.PageLimits",
    "docintel_site.http.proposed.ProposedChanges",
]
ROOT_URLCONF = "docintel_site.urls"
ASGI_APPLICATION = "docintel_site.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "docintel_site.navigation.navigation",
            ],
            # What every template has without a `load`.
            "builtins": [
                "django.contrib.humanize.templatetags.humanize",
                "django.templatetags.i18n",
                "django.templatetags.l10n",
                "django.templatetags.static",
                "audit.templatetags.terms",
                "docintel_site.templatetags.ui",
            ],
        },
    }
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("fr", "Français"), ("de", "Deutsch")]
FORMAT_MODULE_PATH = "docintel_site.formats"
LANGUAGE_COOKIE_AGE = 31_536_000  # a year; before the first choice the browser's preference decides
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = BASE_DIR / "staticfiles"  # filled only in an image; elsewhere WhiteNoise reads the sources
WHITENOISE_USE_FINDERS = True
WHITENOISE_ADD_HEADERS_FUNCTION = add_static_headers
TEST_RUNNER = "django.test.runner.DiscoverRunner"

# ---- accounts: by e-mail, by invitation only, no default password

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "accounts.resets.ResetTokens"
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False  # nobody can make us write to strangers
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
FIRST_OWNER_LINK_HOURS = 24
INVITATION_DAYS = 7
MFA_ADAPTER = "accounts.adapter.SecondFactorAdapter"
MFA_ALLOW_UNVERIFIED_EMAIL = True  # addresses come from invitations, nobody types their own
MFA_TOTP_ISSUER = "DocIntel"
MFA_TOTP_TOLERANCE = 1  # a phone's clock may be half a minute off

# ---- sign-on by the organisation's own provider (OpenID Connect), if one is named

OIDC_ISSUER = env_url("DOCINTEL_OIDC_ISSUER")
OIDC_CLIENT_ID = env_str("DOCINTEL_OIDC_CLIENT_ID")
OIDC_CLIENT_SECRET = env_str("DOCINTEL_OIDC_CLIENT_SECRET")
OIDC_NAME = env_str("DOCINTEL_OIDC_NAME", "Single sign-on")
OIDC_SIGNUP = env_bool("DOCINTEL_OIDC_SIGNUP")  # whether uninvited people get an account
if bool(OIDC_ISSUER) != bool(OIDC_CLIENT_ID):
    raise ImproperlyConfigured("DOCINTEL_OIDC_ISSUER and DOCINTEL_OIDC_CLIENT_ID go together; one of them is not set.")
OIDC_APP = {
    "provider_id": "oidc",
    "name": OIDC_NAME,
    "client_id": OIDC_CLIENT_ID,
    "secret": OIDC_CLIENT_SECRET,
    # The operator chose the provider: an address it has verified opens the account of that address.
    "settings": {"server_url": OIDC_ISSUER, "email_authentication": True},
}
SOCIALACCOUNT_ADAPTER = "accounts.adapter.SignOnAdapter"
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SOCIALACCOUNT_LOGIN_ON_GET = False  # a link in somebody's mail signs nobody in; see accounts.views.sign_on
SOCIALACCOUNT_STORE_TOKENS = False
SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [OIDC_APP] if OIDC_ISSUER else [], "OAUTH_PKCE_ENABLED": True}}

# ---- mail: by a server, or as files for the administrator to read

EMAIL_HOST = env_str("DOCINTEL_SMTP_HOST")
EMAIL_PORT = int(env_number("DOCINTEL_SMTP_PORT", 587, low=1, high=65_535))
EMAIL_HOST_USER = env_str("DOCINTEL_SMTP_USER")
EMAIL_HOST_PASSWORD = env_str("DOCINTEL_SMTP_PASSWORD")
SMTP_SECURITY = env_choice("DOCINTEL_SMTP_SECURITY", "starttls", ("starttls", "tls", "none"))
EMAIL_USE_TLS, EMAIL_USE_SSL = SMTP_SECURITY == "starttls", SMTP_SECURITY == "tls"
EMAIL_TIMEOUT = int(10 * PATIENCE)
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env_str("DOCINTEL_MAIL_FROM", "DocIntel <docintel@localhost>")
MAIL_CONFIGURED = bool(EMAIL_HOST)
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if MAIL_CONFIGURED else 'filebased'}.EmailBackend"
EMAIL_FILE_PATH = HOME / "mails"

# ---- safety

# Seconds without activity, and since signing in, after which a session ends; the second pair is of administrators and
# of auditors of any base, who see what others asked.
SESSION_TIMES = (
    60 * env_number("DOCINTEL_SESSION_IDLE_MIN", 480, low=5, high=43_200),
    3600 * env_number("DOCINTEL_SESSION_HOURS", 336, low=1, high=8_760),
)
STRICT_SESSION_TIMES = (
    60 * env_number("DOCINTEL_AUDITOR_SESSION_IDLE_MIN", 60, low=5, high=43_200),
    3600 * env_number("DOCINTEL_AUDITOR_SESSION_HOURS", 12, low=1, high=8_760),
)
SESSION_COOKIE_AGE = int(max(SESSION_TIMES[1], STRICT_SESSION_TIMES[1]))
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
if HTTPS:  # browsers take a cookie of such a name from this host alone, over TLS, for all of its paths
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
# Whether other hosts below this one's name have TLS, only the operator knows.
SECURE_HSTS_INCLUDE_SUBDOMAINS = env_bool("DOCINTEL_HSTS_SUBDOMAINS")
SECURE_HSTS_PRELOAD = env_bool("DOCINTEL_HSTS_PRELOAD")
# They ask for both, and for a temporary folder before there is anything in it.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021", "files.E001"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
TRUSTED_PROXIES = int(env_number("DOCINTEL_TRUSTED_PROXIES", 0, low=0, high=10))  # in front, one behind the other
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "connect-src": ["'self'"],
        "font-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "object-src": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}
STORAGES = {
    "default": {"BACKEND": "documents.storage.whole.WholeFiles"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
DATA_UPLOAD_MAX_NUMBER_FILES = 100
FILE_UPLOAD_HANDLERS = [
    "documents.storage.upload_quota.SizeQuota",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "documents.storage.temporary.HeldUpload",
]
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440
BODY_MAX_BYTES = 3_000_000  # unless somebody signed in uploads: the line above, or a dictionary of 1 MB

# ---- the API: one error format, keyset paging, limits per person

# Limits, including those of signing in, are counted in Redis: in process memory an attacker would get as many attempts
# as there are web processes, and all of them again after a restart.
CACHES = {
    "default": {
        "BACKEND": "docintel_site.cache.SteadyCache",
        "LOCATION": EVENTS_REDIS_URL,
        "KEY_PREFIX": "cache",
        "OPTIONS": {"serializer": "docintel_site.cache.Json", "retry": REDIS_RETRY, **REDIS_TIMEOUTS},
    }
}
API_RATE = int(env_number("DOCINTEL_API_RATE", 600, low=1, high=1_000_000))  # requests per person and minute
ASK_RATE = int(env_number("DOCINTEL_ASK_RATE", 60, low=1, high=1_000_000))  # those of them that cost work or money
LINK_RATE = int(env_number("DOCINTEL_LINK_RATE", 120, low=1, high=1_000_000))  # openings of links without an account
API_ANSWER_WAIT_S = env_wait("DOCINTEL_API_ANSWER_WAIT_S", 120, low=0, high=600)
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.authentication.BearerAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["accounts.authentication.HasScope"],
    "DEFAULT_THROTTLE_CLASSES": [
        "docintel_site.http.limits.RequestLimit",
        "docintel_site.http.limits.StopLimit",
        "docintel_site.http.limits.CostlyLimit",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["docintel_site.http.json_body.JSONBody"],
    "DEFAULT_PAGINATION_CLASS": "docintel_site.paging.KeysetPagination",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "docintel_site.http.problems.handle",
    "DEFAULT_METADATA_CLASS": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "DocIntel",
    "VERSION": "1",
    "DESCRIPTION": "Documents in, cited answers out, every decision on record. Errors are problems of RFC 9457.",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "SERVE_AUTHENTICATION": None,
    "COMPONENT_SPLIT_REQUEST": True,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "/static/icon.svg",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "ENUM_NAME_OVERRIDES": {
        "MemberRole": "documents.models.Role.choices",
        "CandidateRole": "retrieval.api.ROLES",
        "Method": "retrieval.api.METHOD_NAMES",
        "Status": "retrieval.api.STATUSES",
        "RunStatus": "chat.api.RUN_STATUSES",
        "PartOutcome": ["found", "weak", "not_found", "cannot_tell"],
        "ReviewOutcome": "audit.models.Review.Outcome",
        "AnswerVerdict": "audit.pages.forms.OF_ANSWER",
        "JobState": "chat.models.Retrieval.State",
        "StoppableState": "jobs.models.StoppableJob.State",
        "MetadataKind": "documents.models.MetadataField.Kind",
        "RuleKind": "retrieval.reading_rules.api.KINDS",
        "DocumentType": "documents.cards.serializers.TYPES",
        "Tier": "retrieval.dictionary.tier_api.TIERS",
        "Switch": ["on", "off"],
    },
    "PREPROCESSING_HOOKS": ["docintel_site.openapi.of_version_1"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "docintel_site.openapi.with_closed_bodies",
        "docintel_site.openapi.with_proposals",
        "docintel_site.openapi.with_problems",
        "docintel_site.openapi.with_summaries",
    ],
}

# ---- limits of a document (U3, U4)

UPLOAD_MAX_BYTES = int(env_number("DOCINTEL_UPLOAD_MAX_MB", 50, low=1, high=1000)) * 1_000_000
QUOTA_FILES_DAY = int(env_number("DOCINTEL_QUOTA_FILES_DAY", 0, low=0, high=1_000_000))
QUOTA_BYTES_DAY = int(env_number("DOCINTEL_QUOTA_MB_DAY", 0, low=0, high=10_000_000)) * 1_000_000
REQUEST_MAX_BYTES = (
    10 * UPLOAD_MAX_BYTES
)  # of an upload: a form of several files; with scripts each file is its own request
PAGES_MAX = int(env_number("DOCINTEL_PAGES_MAX", 2000, low=1, high=10_000))
CHILD_MEMORY_BYTES = int(env_number("DOCINTEL_CHILD_MEMORY_MB", 1024, low=256, high=16_384)) * 1_048_576
CHILD_CPU_S = int(env_number("DOCINTEL_CHILD_CPU_S", 30, low=5, high=600))
CHILD_WALL_S = int(env_wait("DOCINTEL_CHILD_WALL_S", 300, low=5, high=1200))
RENDER_WALL_S = int(60 * PATIENCE)
ISOLATION_REQUIRED = env_choice("DOCINTEL_ISOLATION", "auto", ("auto", "required")) == "required"

# ---- the work queues: the database row is the truth, the broker only a wake-up call


def celery_redis(url: str, database: int) -> str:
    """Celery's form of a Redis URL: a Unix socket is `redis+socket://` there, and `unix://` in redis-py."""
    if url.startswith("unix://"):
        return f"redis+socket://{urlsplit(url).path}?virtual_host={database}"
    if url.startswith("rediss://") and "ssl_cert_reqs=" not in url:  # without a word Celery believes any certificate
        return f"{url}{'&' if urlsplit(url).query else '?'}ssl_cert_reqs=required"
    return url


CELERY_BROKER_URL = celery_redis(EVENTS_REDIS_URL, 1)
CELERY_BROKER_TRANSPORT_OPTIONS = {**REDIS_TIMEOUTS, "max_retries": 0}
CELERY_TASK_IGNORE_RESULT = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_DEFAULT_QUEUE = "ingest"
# The tasks of each queue. Names do not depend on module paths, so that messages queued by an older version still work.
QUEUES = {
    "ingest": "documents.tasks.watch_folders",
    "sweep": "documents.tasks.sweep documents.tasks.tidy chat.tasks.sweep audit.tasks.sweep audit.tasks.sweep_checks "
    "audit.tasks.watch audit.tasks.export_head audit.tasks.apply_retention",
    "embed": "documents.tasks.embed_document documents.tasks.pack_readings",
    "ask": "chat.tasks.answer_turn chat.tasks.retrieve_evidence chat.tasks.test_model audit.tasks.judge_again",
    "search": "chat.tasks.search_every_document chat.tasks.extract_fields chat.tasks.try_questions "
    "chat.tasks.load_demo documents.tasks.index_vectors audit.tasks.check_change audit.tasks.verify_record "
    "audit.tasks.check_installation",
}
CELERY_TASK_ROUTES = {task: {"queue": queue} for queue, tasks in QUEUES.items() for task in tasks.split()}
# A worker that is told to stop gives what it has not finished by then to others. Below the patience of `bin/run`.
STOP_GRACE_S = env_number("DOCINTEL_STOP_GRACE_S", 3, low=0, high=600)
LEASE_S = 60 * PATIENCE  # a worker that has not renewed its lease for this long is considered dead (T1)
SWEEP_EVERY_S = 30
TIDY_EVERY_S = 3600
PACK_EVERY_S = 60
HEAD_EVERY_S = 3600  # between two exported heads of the ledger (AT4)
ALERTS_EVERY_S = 3600
ATTEMPTS_MAX = 3
WATCHED_FOLDERS = watched_folders("DOCINTEL_WATCH")
WATCH_EVERY_S = 30


def send_every(task: str, every_s: int, *, is_kept: bool = False) -> dict[str, object]:
    """An entry of the schedule. A message not delivered by the time of the next one is useless, unless it is kept."""
    return {"task": task, "schedule": every_s, "options": {} if is_kept else {"expires": every_s}}


SWEEPS = {
    "documents": "documents.tasks.sweep",
    "chat": "chat.tasks.sweep",
    "suggestions": "chat.tasks.try_questions",
    "audit": "audit.tasks.sweep",
    "checks": "audit.tasks.sweep_checks",
}
CELERY_BEAT_SCHEDULE = {
    **{name: send_every(task, SWEEP_EVERY_S) for name, task in SWEEPS.items()},
    "tidy": send_every("documents.tasks.tidy", TIDY_EVERY_S, is_kept=True),
    "vectors": send_every("documents.tasks.index_vectors", TIDY_EVERY_S),
    "packing": send_every("documents.tasks.pack_readings", PACK_EVERY_S),
    "head": send_every("audit.tasks.export_head", HEAD_EVERY_S, is_kept=True),
    # It looks at the clock itself, so that a missed night is made up for.
    "selfcheck": send_every("audit.tasks.check_installation", HEAD_EVERY_S),
    "alerts": send_every("audit.tasks.watch", ALERTS_EVERY_S, is_kept=True),
    "retention": send_every("audit.tasks.apply_retention", HEAD_EVERY_S, is_kept=True),
}
if WATCHED_FOLDERS:
    CELERY_BEAT_SCHEDULE["watch"] = send_every("documents.tasks.watch_folders", WATCH_EVERY_S)

# Detectors take 1 to 2 s for a question over ten filings of 190 pages; what takes this long is an attack.
DETECTION_DEADLINE_S = env_wait("DOCINTEL_DETECTION_DEADLINE_S", 30, low=1, high=600)

# ---- the model: any OpenAI-compatible server, or none

LLM_API_KEY = env_str("OPENAI_API_KEY")
LLM_BASE_URL = env_url("OPENAI_BASE_URL")
LLM_MODEL = env_str("DOCINTEL_MODEL", "gpt-5-mini")
LLM_MODEL_SMALL, LLM_MODEL_HARD = env_str("DOCINTEL_MODEL_SMALL"), env_str("DOCINTEL_MODEL_HARD")  # "": LLM_MODEL
LLM_MODELS = tuple(env_list("DOCINTEL_MODELS", ""))  # what owners may choose for a base in place of LLM_MODEL
LLM_CONTEXT_TOKENS = int(env_number("DOCINTEL_CONTEXT_TOKENS", 0, low=0, high=10_000_000))  # 0: what the server says
try:
    LLM_PRICES = parse_prices(env_str("DOCINTEL_PRICES"))
except ValueError as error:
    raise ImproperlyConfigured(f"DOCINTEL_PRICES cannot be read: {error}.") from None
LLM_CURRENCY = env_str("DOCINTEL_CURRENCY", "USD")
if not re.fullmatch("[A-Z]{3}", LLM_CURRENCY):
    raise ImproperlyConfigured(f"DOCINTEL_CURRENCY is {LLM_CURRENCY!r}; it must be three letters like USD or EUR.")
LLM_CONFIGURED = bool(LLM_API_KEY or LLM_BASE_URL)
SPENDING_LIMITS = limits_from(
    day="DOCINTEL_LIMIT_DAY", base_day="DOCINTEL_LIMIT_BASE_DAY", user_day="DOCINTEL_LIMIT_USER_DAY"
)
for _model in filter(None, (LLM_MODEL, LLM_MODEL_SMALL, LLM_MODEL_HARD, *LLM_MODELS)):
    if SPENDING_LIMITS and LLM_CONFIGURED and _model not in LLM_PRICES:
        raise ImproperlyConfigured(f"Spending is limited, but DOCINTEL_PRICES has no price for the model {_model!r}.")
ARBITER_DEADLINE_S = env_wait("DOCINTEL_ARBITER_DEADLINE_S", 45, low=1, high=600)
# What finds who is hidden from a model, where a base wants that; llm knows no recogniser of its own.
PERSONAL_DATA_FINDER = "chat.figures.personal.find_personal"
ANSWER_DEADLINE_S = env_wait("DOCINTEL_ANSWER_DEADLINE_S", 90, low=1, high=600)

# ---- external vectors and reranking: nothing is sent unless a base chooses them

EMBEDDING_BASE_URL = env_url("DOCINTEL_EMBEDDING_BASE_URL")
EMBEDDING_API_KEY = env_str("DOCINTEL_EMBEDDING_API_KEY")
if not EMBEDDING_BASE_URL:  # default: the model's server and key
    EMBEDDING_BASE_URL, EMBEDDING_API_KEY = LLM_BASE_URL, EMBEDDING_API_KEY or LLM_API_KEY
EMBEDDING_CONFIGURED = bool(EMBEDDING_BASE_URL or EMBEDDING_API_KEY)
EMBEDDING_MODEL = env_str("DOCINTEL_EMBEDDING_MODEL", "text-embedding-3-small")
EMBEDDING_DIMENSIONS = int(env_number("DOCINTEL_EMBEDDING_DIMENSIONS", 0, low=0, high=4096))  # 0: the model's own
EMBEDDING_TOKENS = int(env_number("DOCINTEL_EMBEDDING_TOKENS", 0, low=0, high=1_000_000))  # 0: see llm.embeddings
VOYAGE_API_KEY = env_str("VOYAGE_API_KEY")
VOYAGE_BASE_URL = env_url("VOYAGE_BASE_URL", "https://api.voyageai.com/v1")
VOYAGE_MODEL = env_str("DOCINTEL_VOYAGE_MODEL", "voyage-3-large")
RERANK_BASE_URL = env_url("DOCINTEL_RERANK_BASE_URL")
RERANK_API_KEY = env_str("DOCINTEL_RERANK_API_KEY")
RERANK_MODEL = env_str("DOCINTEL_RERANK_MODEL", "reranker" if RERANK_BASE_URL else "rerank-2.5")
RERANK_INSTRUCTIONS = env_choice(
    "DOCINTEL_RERANK_INSTRUCTIONS",
    "query" if "rerank-2.5" in RERANK_MODEL else "none",
    ("query", "field", "none"),
)
RERANK_DEADLINE_S = env_wait("DOCINTEL_RERANK_DEADLINE_S", 20, low=1, high=600)

# ---- the log, the parts on *Status*, and what Prometheus may read

PING_S = env_wait("DOCINTEL_PING_S", 1, low=0.01, high=60)

METRICS_TOKEN = env_str("DOCINTEL_METRICS_TOKEN")
if METRICS_TOKEN and len(METRICS_TOKEN) < 16:
    raise ImproperlyConfigured("DOCINTEL_METRICS_TOKEN is too short; it must have at least 16 characters.")
LOG_FORMAT = env_choice("DOCINTEL_LOG_FORMAT", "line", ("line", "json"))
if LOG_FORMAT == "json":
    logging.captureWarnings(True)  # they would be printed as text
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s %(ids)s%(message)s"},
        "json": {"()": "docintel_site.http.log_lines.JsonLine"},
    },
    "filters": {
        "floods": {"()": "docintel_site.http.floods.Floods"},
        "route": {"()": "docintel_site.http.access_log.RouteForPath"},
        "ids": {"()": "docintel_site.http.log_lines.WithIds"},
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["route", "floods", "ids"]}
    },
    "root": {"handlers": ["console"], "level": env_str("DOCINTEL_LOG_LEVEL", "INFO")},
    "loggers": {
        # Their debug lines contain keys and document text.
        "openai": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        # Their lines contain paths and queries, which access_log.py omits; also if uvicorn is started by hand.
        "uvicorn.access": {"handlers": [], "propagate": False},
        "uvicorn": {"handlers": [], "propagate": True},  # its own handler knows neither form of a line
        "django": {"handlers": []},
        "django.server": {"handlers": [], "propagate": False},
        "django.request": {"level": "ERROR"},  # the access log already has a line for a refused request
    },
}
