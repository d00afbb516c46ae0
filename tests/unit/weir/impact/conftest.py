import pytest

from tests.support.order_schemas import Place, orders
from weir.workspaces.models import User, Workspace


@pytest.fixture
def place(workspace: Workspace, owner: User) -> Place:
    return orders(workspace, owner)
