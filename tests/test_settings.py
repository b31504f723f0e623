"""Settings read the environment, refuse what is wrong by name, and write nothing half."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from docintel_site import settings

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("DOCINTEL_DEBUG", "yes", "DOCINTEL_DEBUG is 'yes'; it must be true or false."),
        ("DOCINTEL_UPLOAD_MAX_MB", "lots", "DOCINTEL_UPLOAD_MAX_MB is 'lots'; it must be a number from 1 to 1000."),
        ("DOCINTEL_PAGES_MAX", "0", "DOCINTEL_PAGES_MAX is '0'; it must be a number from 1 to 10000."),
        ("DATABASE_URL", "sqlite:///x", "DATABASE_URL must begin with postgresql://"),
        ("OPENAI_BASE_URL", "localhost:11434", "OPENAI_BASE_URL is 'localhost:11434'; it must begin with http://"),
        (
            "DOCINTEL_OIDC_ISSUER",
            "https://id.example.org",
            "DOCINTEL_OIDC_ISSUER and DOCINTEL_OIDC_CLIENT_ID go together",
        ),
        ("DOCINTEL_SMTP_SECURITY", "ssl", "DOCINTEL_SMTP_SECURITY is 'ssl'; it must be one of starttls, tls, none."),
        ("DOCINTEL_TSA_URL", "https://tsa.example.org", "DOCINTEL_TSA_URL and DOCINTEL_TSA_CERTIFICATES go together."),
        ("DOCINTEL_HOME", "/proc/nowhere", "DocIntel cannot keep its data in /proc/nowhere"),
    ],
)
def test_a_wrong_value_stops_the_start(tmp_path: Path, name: str, value: str, words: str) -> None:
    environment = {**os.environ, "DOCINTEL_HOME": str(tmp_path), name: value}
    program = [sys.executable, "-c", "import docintel_site.settings"]
    done = subprocess.run(program, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert words in done.stderr.splitlines()[-1]


def test_an_authority_is_asked_over_http_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCINTEL_TSA_URL", "file:///etc/passwd")
    with pytest.raises(ImproperlyConfigured, match="DOCINTEL_TSA_URL is 'file:///etc/passwd'; it must begin with"):
        settings.env_url("DOCINTEL_TSA_URL")
    assert settings.certificates_of_authority("http://tsa.example.org", "tsa.pem") == Path("tsa.pem")
    assert settings.certificates_of_authority("", "") is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgresql://app@/docintel?host=%2Fa%20b%2Fsocket&port=5432", ("/a b/socket", "5432", "app", "", "docintel")),
        ("postgres://me:p%40ss@db.example:6000/other", ("db.example", 6000, "me", "p@ss", "other")),
        ("postgresql://db.example", ("db.example", "", "", "", "docintel")),
    ],
)
def test_it_reads_a_database_address(url: str, expected: tuple[object, ...]) -> None:
    found = settings.database_from(url)
    assert tuple(found[key] for key in ("HOST", "PORT", "USER", "PASSWORD", "NAME")) == expected
    assert found["CONN_MAX_AGE"] == 0


def test_it_keeps_further_options_of_a_database_address() -> None:
    options = settings.database_from("postgresql://db/x?sslmode=require")["OPTIONS"]
    limits = {"lock_timeout": 60, "statement_timeout": 300, "idle_in_transaction_session_timeout": 600}
    told = " ".join(f"-c {name}={int(1000 * seconds * settings.PATIENCE)}" for name, seconds in limits.items())
    usual = {"connect_timeout": settings.CONNECT_S, **settings.NOTICED_SILENCE, "options": told}
    assert options == {"sslmode": "require", **usual}
    options = settings.database_from("postgresql://db/x?connect_timeout=60")["OPTIONS"]
    assert options == {**usual, "connect_timeout": "60"}
    options = settings.database_from("postgresql://db/x?options=-c%20lock_timeout%3D5")["OPTIONS"]
    assert options == {**usual, "options": "-c lock_timeout=5"}


@pytest.mark.django_db
def test_the_database_knows_its_limits() -> None:
    with connection.cursor() as cursor:
        for name, seconds in settings.DATABASE_LIMITS.items():
            cursor.execute("SELECT extract(epoch FROM current_setting(%s)::interval)", [name])
            assert cursor.fetchone() == (seconds,)


@pytest.mark.parametrize(("given", "level"), [({}, "WARNING"), ({"DOCINTEL_LOG_LEVEL": "DEBUG"}, "DEBUG")])
def test_a_terminal_is_shown_no_lines_of_the_log_unless_asked_for(
    tmp_path: Path, given: dict[str, str], level: str
) -> None:
    kept = {name: text for name, text in os.environ.items() if name != "DOCINTEL_LOG_LEVEL"}
    told = "from docintel_site.settings import LOGGING; print(LOGGING['root']['level'])"
    run = f"import manage; manage.main(['manage.py', 'version']); {told}"
    environment = kept | {"DOCINTEL_HOME": str(tmp_path)} | given
    done = subprocess.run(
        [sys.executable, "-c", run], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == level


def test_what_a_person_starts_with_manage_py_has_no_limit_of_time(tmp_path: Path) -> None:
    told = "from docintel_site.settings import DATABASE_LIMITS as each; print(dict(each))"
    run = "import manage; manage.main(['manage.py', 'version'])"
    given = os.environ | {"DOCINTEL_HOME": str(tmp_path), "DOCINTEL_DATABASE_STATEMENT_S": "5"}
    done = subprocess.run(
        [sys.executable, "-c", f"{run}; {told}"], cwd=ROOT, env=given, capture_output=True, text=True, check=True
    )
    lock_s = 60 * settings.PATIENCE
    expected = {"lock_timeout": lock_s, "statement_timeout": 0.0, "idle_in_transaction_session_timeout": 0.0}
    assert done.stdout.splitlines()[-1] == str(expected)


def test_it_refuses_another_kind_of_database() -> None:
    with pytest.raises(ImproperlyConfigured, match="PostgreSQL with pgvector"):
        settings.database_from("mysql://db/x")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("unix:///a/redis.sock?db=0", "redis+socket:///a/redis.sock?virtual_host=1"),
        ("redis://broker:6379/0", "redis://broker:6379/0"),
        ("rediss://broker:6379/0", "rediss://broker:6379/0?ssl_cert_reqs=required"),
        ("rediss://broker:6379/0?ssl_ca_certs=/a", "rediss://broker:6379/0?ssl_ca_certs=/a&ssl_cert_reqs=required"),
        ("rediss://broker:6379/0?ssl_cert_reqs=none", "rediss://broker:6379/0?ssl_cert_reqs=none"),
    ],
)
def test_celery_gets_its_own_form_of_the_broker_address(url: str, expected: str) -> None:
    assert settings.celery_redis(url, 1) == expected


def test_the_secret_key_is_made_once_and_private(tmp_path: Path) -> None:
    home = tmp_path / "new"
    key = settings.secret_key_in(home)
    assert len(key) > 50
    assert settings.secret_key_in(home) == key
    assert (home / "secret_key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in home.iterdir()] == ["secret_key"]


def test_five_processes_agree_on_the_secret_key(tmp_path: Path) -> None:
    environment = {**os.environ, "DOCINTEL_HOME": str(tmp_path / "new")}
    program = [sys.executable, "-c", "from docintel_site import settings; print(settings.SECRET_KEY)"]
    starts = [subprocess.Popen(program, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(5)]
    keys = {start.communicate(timeout=60)[0].strip() for start in starts}
    assert len(keys) == 1
    assert "" not in keys


def test_the_tests_never_meet_a_developers_model_or_servers() -> None:
    assert not settings.LLM_CONFIGURED
    assert str(settings.HOME).startswith(f"{Path(tempfile.gettempdir()).resolve()}/docintel-test-")
    assert "docintel-test-" in os.environ["DATABASE_URL"]


@pytest.mark.parametrize(
    ("https", "names"), [("true", "__Host-sessionid __Host-csrftoken"), ("false", "sessionid csrftoken")]
)
def test_cookies_are_the_hosts_own_with_https(tmp_path: Path, https: str, names: str) -> None:
    """W8: a `__Host-` cookie is Secure, has the path / and no domain, or browsers refuse it."""
    told = "s.SESSION_COOKIE_NAME, s.CSRF_COOKIE_NAME, s.SESSION_COOKIE_PATH, s.CSRF_COOKIE_PATH"
    more = "s.SESSION_COOKIE_DOMAIN, s.CSRF_COOKIE_DOMAIN, s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE"
    program = f"import django; from django.conf import settings as s; print({told}, {more})"
    environment = {**os.environ, "DOCINTEL_HOME": str(tmp_path), "DOCINTEL_HTTPS": https}
    environment |= {"DJANGO_SETTINGS_MODULE": "docintel_site.settings"}
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, check=True)
    secure = https.title()
    assert done.stdout.decode().split() == [*names.split(), "/", "/", "None", "None", secure, secure]


def test_a_session_lasts_as_configured(tmp_path: Path) -> None:
    program = "import docintel_site.settings as s; print(s.SESSION_TIMES, s.STRICT_SESSION_TIMES, s.SESSION_COOKIE_AGE)"
    environment = {**os.environ, "DOCINTEL_HOME": str(tmp_path), "DOCINTEL_AUDITOR_SESSION_IDLE_MIN": "15"}
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, check=True)
    assert done.stdout.decode().strip() == "(28800.0, 1209600.0) (900.0, 43200.0) 1209600"
