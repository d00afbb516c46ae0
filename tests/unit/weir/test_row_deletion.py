"""Many rows are deleted a slice at a time."""

import pytest
from pytest_django import DjangoAssertNumQueries

from weir import row_deletion
from weir.row_deletion import delete_in_slices
from weir.workspaces.models import Event, User, Workspace

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _events(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_deletion, "SLICE_ROWS", 3)
    Event.objects.all().delete()
    Event.objects.bulk_create(Event(workspace=workspace, action=f"a{number}") for number in range(10))


def actions() -> list[str]:
    return list(Event.objects.order_by("pk").values_list("action", flat=True))


@pytest.mark.parametrize("kept", [0, 1, 4, 10])
def test_what_is_named_goes_and_the_rest_stays(kept: int) -> None:
    assert delete_in_slices(Event.objects.exclude(action__in=[f"a{number}" for number in range(kept)]))
    assert actions() == [f"a{number}" for number in range(kept)]


def test_all_but_the_newest() -> None:
    assert delete_in_slices(Event.objects.order_by("-pk")[2:])
    assert actions() == ["a8", "a9"]


def test_who_has_no_time_left_deletes_one_slice_and_says_that_more_are_there() -> None:
    left = []
    while not delete_in_slices(Event.objects.all(), within_s=0.0):
        left.append(Event.objects.count())
    assert left == [7, 4, 1]
    assert not actions()


def test_nothing_to_delete_is_no_slice(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(1):
        assert delete_in_slices(User.objects.filter(username="nobody"))


def test_what_belongs_to_a_row_goes_with_it(workspace: Workspace) -> None:
    assert delete_in_slices(Workspace.objects.filter(pk=workspace.pk))
    assert not actions()
