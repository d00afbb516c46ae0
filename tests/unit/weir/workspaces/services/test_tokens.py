"""A token that is revoked while it is used."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections, transaction

from tests.support.database_locks import until_it_waits
from weir.workspaces.errors import NotFoundError
from weir.workspaces.models import ApiToken, User
from weir.workspaces.services.tokens import create_token, revoke_token

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.django_db(databases=["default", "results"], transaction=True),
]


def test_it_leaves_no_other_behind(owner: User) -> None:
    """Whoever has stolen one would keep what it makes at this moment."""
    stolen, _ = create_token(owner, "ci", None)

    def make() -> str:
        try:
            create_token(owner, "more", None, created_with=stolen)
        except NotFoundError as error:
            return error.code
        finally:
            connections.close_all()
        return ""

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            revoke_token(owner, stolen.token_key)
            made = pool.submit(make)
            until_it_waits(made)
        assert made.result(60) == "NOT_FOUND"
    assert not ApiToken.objects.exists()


def test_what_it_makes_is_revoked_with_it(owner: User) -> None:
    stolen, _ = create_token(owner, "ci", None)

    def revoke() -> None:
        try:
            revoke_token(owner, stolen.token_key)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            create_token(owner, "more", None, created_with=stolen)
            revoked = pool.submit(revoke)
            until_it_waits(revoked)
        revoked.result(60)
    assert not ApiToken.objects.exists()
