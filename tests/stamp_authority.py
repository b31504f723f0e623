"""A time-stamping authority of RFC 3161 on a real socket: `openssl ts -reply` behind HTTP, with a key of its own.

`with StampAuthority(folder) as authority:` and set TSA_URL to `authority.url`, TSA_CERTIFICATES to `authority.root`.
`authority.clock` sets its clock back or forth, which is how a test gets the stamps of the days before; `behaviour` says
how it fails.
"""

import re
import subprocess
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from ledger.stamps import response_of

CONFIGURATION = """
[tsa]
default_tsa = authority
[authority]
serial = {folder}/serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
"""
SIGNER = ("-signer", "signer.pem", "-inkey", "signer.key")
GENERALIZED_TIME = re.compile(rb"\x18\x0f\d{14}Z")
REFUSAL = bytes.fromhex("30123010020102300b0c09") + b"too often"
STAMPED_CONTENT = "1.2.840.113549.1.9.16.1.4"


class StampAuthority:
    """Stamps whatever it is asked to, unless its behaviour says otherwise."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "root.pem"
        self.clock = timedelta()
        self.behaviour = "good"
        self.asked = 0
        self.first = b""  # what it replied first
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "openssl.cnf").write_text(CONFIGURATION.format(folder=folder))
        (folder / "serial").write_text("01\n")
        make_certificates(folder)
        self._lock = threading.Lock()  # openssl counts the serial number in a file
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def stamp(self, query: bytes) -> bytes:
        """The response to a query."""
        with self._lock:
            (self.folder / "query").write_bytes(query)
            made_by = (
                "-config",
                "openssl.cnf",
                "-section",
                "authority",
                "-signer",
                "signer.pem",
                "-inkey",
                "signer.key",
            )
            self.openssl("ts", "-reply", "-queryfile", "query", *made_by, "-token_out", "-out", "token")
            if self.clock:
                self.sign_at(datetime.now(UTC) + self.clock)
            return response_of((self.folder / "token").read_bytes())

    def sign_at(self, moment: datetime) -> None:
        """Sign what the last token says with another time in it."""
        self.openssl("cms", "-verify", "-noverify", "-inform", "DER", "-in", "token", "-out", "content")
        content, again = self.folder / "content", f"{moment:%Y%m%d%H%M%S}Z".encode()
        content.write_bytes(GENERALIZED_TIME.sub(b"\x18\x0f" + again, content.read_bytes()))
        signed_by = (*SIGNER, "-md", "sha256", "-cades", "-nosmimecap")
        form = ("-binary", "-nodetach", "-outform", "DER", "-econtent_type", STAMPED_CONTENT)
        self.openssl("cms", "-sign", *signed_by, *form, "-in", "content", "-out", "token")

    def openssl(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        authority = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                authority.asked += 1
                query = self.rfile.read(int(self.headers["Content-Length"]))
                with suppress(ConnectionError):  # of who has heard enough
                    getattr(self, f"be_{authority.behaviour}")(query)

            def be_good(self, query: bytes) -> None:
                self.reply(200, authority.stamp(query))

            def be_broken(self, query: bytes) -> None:
                self.reply(500, b"out of order")

            def be_junk(self, query: bytes) -> None:
                self.reply(200, b"<html>Sign in to the network</html>")

            def be_empty(self, query: bytes) -> None:
                self.reply(200, b"")

            def be_huge(self, query: bytes) -> None:
                self.reply(200, b"\x30" * 50_000_000)

            def be_refusing(self, query: bytes) -> None:
                self.reply(200, REFUSAL)

            def be_redirecting(self, query: bytes) -> None:
                self.send_response(302)
                self.send_header("Location", f"{authority.url}elsewhere")
                self.end_headers()

            def be_repeating(self, query: bytes) -> None:
                """The stamp of another message, as somebody on the way could replay it."""
                self.reply(200, authority.first or authority.stamp(query))

            def be_dripping(self, query: bytes) -> None:
                self.send_response(200)
                self.send_header("Content-Length", "100000")
                self.end_headers()
                for _ in range(200):
                    self.wfile.write(b"\x30")
                    self.wfile.flush()
                    time.sleep(0.05)

            def reply(self, status: int, content: bytes) -> None:
                if authority.behaviour == "good":
                    authority.first = authority.first or content
                self.send_response(status)
                self.send_header("Content-Type", "application/timestamp-reply")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler


def make_certificates(folder: Path) -> None:
    """A root, and below it the certificate and key that stamps are signed with."""
    root_key, signer_key = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
    root, signer = (x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]) for name in ("Root", "Time stamps"))
    now = datetime.now(UTC)

    def about(subject: x509.Name, key: rsa.RSAPrivateKey) -> x509.CertificateBuilder:
        builder = x509.CertificateBuilder().subject_name(subject).issuer_name(root).public_key(key.public_key())
        builder = builder.serial_number(x509.random_serial_number())
        return builder.not_valid_before(now - timedelta(days=400)).not_valid_after(now + timedelta(days=400))

    is_authority, is_leaf = x509.BasicConstraints(True, None), x509.BasicConstraints(False, None)
    own = about(root, root_key).add_extension(is_authority, critical=True).sign(root_key, hashes.SHA256())
    use = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
    below = about(signer, signer_key).add_extension(is_leaf, critical=True).add_extension(use, critical=True)
    (folder / "root.pem").write_bytes(own.public_bytes(Encoding.PEM))
    (folder / "signer.pem").write_bytes(below.sign(root_key, hashes.SHA256()).public_bytes(Encoding.PEM))
    secret = signer_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "signer.key").write_bytes(secret)
