"""Accounts, which nobody but an administrator makes."""

from weir.workspaces.models import User


def find_or_create_account(username: str) -> User:
    """The account of this name. A new one has no password: a sign-in link is its way in.

    Raises:
        ValidationError: no account can have this name.
    """
    username = User.normalize_username(username)
    found: User | None = User.objects.filter(username=username).first()
    if found is None:
        found = User(username=username)
        found.set_unusable_password()
        found.full_clean()
        found.save()
    return found
