"""Makes people and workspaces in a running system.

For each line ``ann ops`` of its input it prints a sign-in path.

Runs as a process of its own, with the system's environment: Django in the tests' process belongs to the
tests' own database.
"""

import sys

import django

django.setup()

from weir.workspaces.models import User, Workspace  # noqa: E402 - models exist after setup only
from weir.workspaces.services.members import create_workspace  # noqa: E402
from weir.workspaces.services.one_time_tokens import create_sign_in_link  # noqa: E402


def sign_in_path(username: str, slug: str) -> str:
    """A one-time path; person and workspace are found when they exist."""
    user, _ = User.objects.get_or_create(username=username)
    if not Workspace.objects.filter(slug=slug).exists():
        create_workspace(slug, slug.title(), user)
    return create_sign_in_link(user)


def main() -> None:
    """Until its input ends."""
    for line in sys.stdin:
        print(sign_in_path(*line.split()), flush=True)


if __name__ == "__main__":
    main()
