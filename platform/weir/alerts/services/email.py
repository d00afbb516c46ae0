"""Sends a message by e-mail, over the SMTP server of this installation (Django's settings)."""

import smtplib
from typing import Any

from django.conf import settings
from django.core.mail import BadHeaderError, EmailMessage

from weir.alerts.services.messages import Message
from weir.outgoing.send_errors import SendError


def is_configured() -> bool:
    """Whether this installation has an SMTP server."""
    return bool(settings.EMAIL_HOST)


def send_email(configuration: dict[str, Any], message: Message) -> None:
    """One e-mail to all recipients of a channel. Its Message-ID is the notification's, whenever it is sent.

    Raises:
        SendError: there is no server, it did not answer, or it refused the message.
    """
    if not is_configured():
        raise SendError(
            "This installation has no SMTP server. Ask the operator to set EMAIL_URL.", permanent=True
        )
    mail = EmailMessage(
        subject=" ".join(message.subject.split()),
        body=message.text,
        to=configuration["recipients"],
        headers={
            "Message-ID": f"<{message.id}.weir@{settings.DEFAULT_FROM_EMAIL.rpartition('@')[2].rstrip('>')}>",
            "Auto-Submitted": "auto-generated",
        },
    )
    try:
        mail.send()
    except smtplib.SMTPRecipientsRefused as error:
        # Below 500 it refuses for now, as one does that knows us not yet.
        permanent = all(code >= 500 for code, _ in error.recipients.values())
        raise SendError("The SMTP server refused all recipients.", permanent=permanent) from error
    except smtplib.SMTPResponseException as error:
        detail = error.smtp_error.decode("utf-8", "replace") if isinstance(error.smtp_error, bytes) else ""
        raise SendError(
            f"The SMTP server answered {error.smtp_code} {detail[:120]}".strip(),
            permanent=error.smtp_code >= 500,
        ) from error
    except BadHeaderError as error:
        raise SendError(f"The e-mail has an invalid header: {error}", permanent=True) from error
    except (OSError, smtplib.SMTPException) as error:
        raise SendError("The SMTP server did not answer.", permanent=False) from error
