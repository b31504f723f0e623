"""Valkey behind TLS: work and events reach it through `rediss://`, and nobody believes a certificate of anyone."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import redis
from django.conf import settings
from kombu import Connection
from kombu.exceptions import OperationalError

from docintel_site.settings import celery_redis

CERTIFICATE = (
    *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=valkey"),
    *("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "root.pem"),
)
BEHIND_TLS = """
import asyncio, ssl, sys

async def pump(source, target):
    while piece := await source.read(65536):
        target.write(piece)
    target.close()

async def serve(reader, writer):
    own_reader, own_writer = await asyncio.open_unix_connection(sys.argv[1])
    await asyncio.gather(pump(reader, own_writer), pump(own_reader, writer))

async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sys.argv[2:])
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A certificate that signs itself."""
    subprocess.run(CERTIFICATE, cwd=tmp_path, capture_output=True, check=True, timeout=60)
    return tmp_path / "root.pem"


@pytest.fixture
def address(root: Path) -> Iterator[str]:
    """The embedded server behind TLS: that of the wheel is built without."""
    path = unquote(urlsplit(settings.EVENTS_REDIS_URL).path)
    command = [sys.executable, "-c", BEHIND_TLS, path, str(root), str(root.with_name("key.pem"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout
        yield f"rediss://127.0.0.1:{int(process.stdout.readline())}/0"
        process.kill()


def test_events_and_work_go_through_it(address: str, root: Path) -> None:
    known = f"{address}?ssl_ca_certs={root}"
    with redis.Redis.from_url(known, **settings.REDIS_TIMEOUTS) as client:
        assert client.ping()
    with Connection(celery_redis(known, 1)) as broker, broker.SimpleQueue("of_a_test") as queue:
        queue.put({"id": 1})
        assert queue.get(timeout=60).payload == {"id": 1}
        queue.clear()


def test_a_certificate_that_nobody_vouches_for_is_refused(address: str) -> None:
    with (
        redis.Redis.from_url(address, **settings.REDIS_TIMEOUTS) as client,
        pytest.raises(redis.ConnectionError, match="certificate"),
    ):
        client.ping()
    with Connection(celery_redis(address, 1)) as broker, pytest.raises((OperationalError, redis.ConnectionError)):
        broker.ensure_connection(max_retries=1)
