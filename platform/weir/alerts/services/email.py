"""Sends a message by e-mail, over the SMTP server of this installation (Django's settings)."""

import smtplib
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.mail import BadHeaderError, EmailMessage
from django.core.mail.backends.smtp import EmailBackend

from weir.alerts.services.messages import Message
from weir.outgoing.send_errors import SendError


def is_configured() -> bool:
    """Whether this installation has an SMTP server."""
    return bool(settings.EMAIL_HOST)


class RecipientsRefusedError(SendError):
    """Some recipients did not get an e-mail that others got.

    Attributes:
        refused: they, with the SMTP server's last answer to each.
    """

    def __init__(self, text: str, refused: Mapping[str, int]) -> None:
        super().__init__(text, permanent=all(_is_final(code) for code in refused.values()))
        self.refused = refused


def send_email(configuration: dict[str, Any], message: Message) -> None:
    """One e-mail to all recipients of a channel; once some got it, to those that were refused for now. Its
    Message-ID is the notification's, whenever it is sent.

    Raises:
        RecipientsRefusedError: it refused some recipients, now or before, and others got the message.
        SendError: there is no server, it did not answer, or it refused the message or all recipients.
    """
    left = _names(message.refused)
    but = f" Refused before: {left}." if left else ""
    if not is_configured():
        raise SendError(
            f"This installation has no SMTP server. Ask the operator to set EMAIL_URL.{but}", permanent=True
        )
    mail = EmailMessage(
        subject=" ".join(message.subject.split()),
        body=message.text,
        to=[one for one, code in message.refused.items() if not _is_final(code)]
        or configuration["recipients"],
        headers={
            "Message-ID": f"<{message.id}.weir@{settings.DEFAULT_FROM_EMAIL.rpartition('@')[2].rstrip('>')}>",
            "Auto-Submitted": "auto-generated",
        },
        connection=_Backend(),
    )
    refused = {one: code for one, code in message.refused.items() if _is_final(code)}
    try:
        mail.send()
    except _SomeRefusedError as error:
        refused |= _answers(error)
    except smtplib.SMTPRecipientsRefused as error:
        answers = _answers(error)
        if not message.refused:
            permanent = all(_is_final(code) for code in answers.values())
            raise SendError("The SMTP server refused all recipients.", permanent=permanent) from error
        refused = {**message.refused, **answers}
    except smtplib.SMTPResponseException as error:
        detail = error.smtp_error.decode("utf-8", "replace") if isinstance(error.smtp_error, bytes) else ""
        answer = f"{error.smtp_code} {detail[:120]}".strip()
        raise SendError(
            f"The SMTP server answered {answer}{'.' if but else ''}{but}",
            permanent=_is_final(error.smtp_code),
        ) from error
    except BadHeaderError as error:
        raise SendError(f"The e-mail has an invalid header: {error}", permanent=True) from error
    except (OSError, smtplib.SMTPException) as error:
        raise SendError(f"The SMTP server did not answer.{but}", permanent=False) from error
    if refused:
        text = f"The SMTP server refused {_names(refused)}. The other recipients got the e-mail."
        raise RecipientsRefusedError(text, refused)


class _SomeRefusedError(smtplib.SMTPRecipientsRefused):
    """The server took a message, but not for these recipients."""


class _Smtp(smtplib.SMTP):
    """Raises where a server refuses some recipients: Django drops what `sendmail` returns."""

    def sendmail(self, *args: Any, **named: Any) -> dict[str, tuple[int, bytes]]:
        refused = super().sendmail(*args, **named)
        if refused:
            raise _SomeRefusedError(refused)
        return refused


class _SmtpSsl(_Smtp, smtplib.SMTP_SSL):
    pass


class _Backend(EmailBackend):
    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        return _SmtpSsl if self.use_ssl else _Smtp


def _answers(error: smtplib.SMTPRecipientsRefused) -> dict[str, int]:
    return {one: code for one, (code, _) in error.recipients.items()}


def _is_final(code: int) -> bool:
    """Whether a server refuses for good; below 500 it does for now, as one that knows us not yet."""
    return code >= 500


def _names(refused: Mapping[str, int]) -> str:
    return ", ".join(f"{one} ({code})" for one, code in refused.items())
