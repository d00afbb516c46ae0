import pytest

from tests.support.order_schemas import OrderSchemas, orders
from weir.workspaces.models import User, Workspace


@pytest.fixture
def place(workspace: Workspace, owner: User) -> OrderSchemas:
    return orders(workspace, owner)
