"""Certificates of an authority that only the tests know."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
import trustme


class Authority:
    """Signs certificates; who trusts it is decided by ``trusted``."""

    def __init__(self, folder: Path) -> None:
        self._authority = trustme.CA()
        self._file = folder / "authority.pem"
        self._authority.cert_pem.write_to_path(str(self._file))

    def server(self, *names: str) -> ssl.SSLContext:
        """What a server of these names shows."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(*names).configure_cert(context)
        return context

    def files(self, folder: Path, *names: str) -> tuple[Path, Path]:
        """The same as files: the certificate with its chain, and its key."""
        issued = self._authority.issue_cert(*names)
        certificate, key = folder / "server.pem", folder / "server.key"
        certificate.write_bytes(b"".join(part.bytes() for part in issued.cert_chain_pems))
        issued.private_key_pem.write_to_path(str(key))
        return certificate, key

    def client(self) -> ssl.SSLContext:
        """What a client needs that trusts it."""
        return ssl.create_default_context(cafile=str(self._file))

    def trusted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """From now on this process trusts it, as an operator would have it: OpenSSL's variable."""
        monkeypatch.setenv("SSL_CERT_FILE", str(self._file))
