"""Signs what generic webhooks get, so that a receiver can tell that it comes from this channel, and when.

The header is ``Weir-Signature: t=<Unix seconds>,v1=<hex>``; the value is HMAC-SHA-256 over ``<t>.<body>``
with the channel's secret. `docs/reference/alerts.md` tells receivers how to verify it.
"""

import hashlib
import hmac


def signature(secret: str, at_s: int, body: bytes) -> str:
    """The header of a body.

    Args:
        secret: of the channel.
        at_s: Unix seconds.
        body: exactly the bytes that are sent.
    """
    mac = hmac.new(secret.encode(), f"{at_s}.".encode() + body, hashlib.sha256)
    return f"t={at_s},v1={mac.hexdigest()}"
