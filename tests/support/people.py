"""Makes a person and a workspace in a running system and prints a sign-in path: ``python -m tests.support.people ann ops``.

Runs as a process of its own, with the system's environment: Django in the tests' process belongs to the tests' own database.
"""

import sys

import django

django.setup()

from weir.workspaces.models import User, Workspace  # noqa: E402 - models exist after setup only
from weir.workspaces.passes import make_sign_in_link  # noqa: E402
from weir.workspaces.services import create_workspace  # noqa: E402


def main() -> None:
    """Both are found when they exist."""
    username, slug = sys.argv[1:3]
    user, _ = User.objects.get_or_create(username=username)
    if not Workspace.objects.filter(slug=slug).exists():
        create_workspace(slug, slug.title(), user)
    print(make_sign_in_link(user))


if __name__ == "__main__":
    main()
