"""People, workspaces and clients of the API for tests inside one process."""

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from rest_framework.test import APIClient

from weir.workspaces.models import Membership, User, Workspace
from weir.workspaces.roles import Role
from weir.workspaces.services.members import create_workspace

HOST = "localhost"


def create_user(username: str) -> User:
    """A person with the password ``a long passphrase``."""
    return User.objects.create_user(username=username, password="a long passphrase")


def workspace_of(owner: User, slug: str = "ops") -> Workspace:
    """A workspace with this owner."""
    return create_workspace(slug, slug.title(), owner)


def member(workspace: Workspace, username: str, role: Role) -> User:
    """A new person with this role."""
    user = create_user(username)
    Membership.objects.create(workspace=workspace, user=user, role=role)
    return user


def session_of(user: User) -> str:
    """A browser's session cookie."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    assert session.session_key is not None
    return session.session_key


def client_of(user: User | None = None) -> APIClient:
    """A client that speaks as this person; None: as nobody."""
    client = APIClient(SERVER_NAME=HOST)
    if user is not None:
        client.force_authenticate(user)
    return client
