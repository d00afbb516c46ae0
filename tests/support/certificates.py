"""Certificates for servers of tests at 127.0.0.1."""

import ipaddress
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def signed(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    by: ec.EllipticCurvePrivateKey,
    *,
    authority: bool,
    ends_in: timedelta = timedelta(days=2),
) -> x509.Certificate:
    """A certificate that began an hour before it ends, or before now.

    Args:
        name: whose it is.
        key: that it is for.
        issuer: the name of who signs it.
        by: the key of who signs it.
        authority: whether it may sign others.
        ends_in: when it ends; negative for an expired one.
    """
    now = datetime.now(UTC)
    names = [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(min(now, now + ends_in) - timedelta(hours=1))
        .not_valid_after(now + ends_in)
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(by, hashes.SHA256())
    )


def pem(certificate: x509.Certificate) -> str:
    """The certificate as text."""
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def private_pem(key: ec.EllipticCurvePrivateKey) -> str:
    """The key as text, without a password."""
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
