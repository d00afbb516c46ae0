"""Deletes links and tickets that ended (`weir.retention`)."""

from django.db.models import Q
from django.utils import timezone

from weir.dashboards.models import ShareLink, ShareTicket
from weir.retention import ENDED_SHARE_LINK_RETENTION


def purge() -> None:
    """Delete expired tickets, and links a while after their end: until then they are listed as ended."""
    now = timezone.now()
    over = now - ENDED_SHARE_LINK_RETENTION
    ShareTicket.objects.filter(expires_at__lt=now).delete()
    ShareLink.objects.filter(Q(expires_at__lt=over) | Q(revoked_at__lt=over)).delete()
