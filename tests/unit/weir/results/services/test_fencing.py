from weir.results.services.fencing import Fence


def test_a_replaced_engine_is_not_heard_in_a_partition_that_its_successor_wrote() -> None:
    fence = Fence()
    assert fence.admits(0, 1, 100)
    assert fence.admits(0, 2, 200)
    assert not fence.admits(0, 1, 150)
    assert not fence.admits(0, 1, 300)


def test_nor_anywhere_after_its_successor_began() -> None:
    fence = Fence()
    assert fence.admits(0, 2, 200)
    assert not fence.admits(1, 1, 201)
    assert not fence.admits(1, 1, 200)


def test_older_rows_of_a_partition_that_is_read_later_count() -> None:
    fence = Fence()
    assert fence.admits(0, 2, 200)
    assert fence.admits(1, 1, 150)
    assert fence.admits(1, 2, 250)


def test_the_successors_first_row_may_be_read_late() -> None:
    fence = Fence()
    assert fence.admits(0, 2, 300)
    assert fence.admits(1, 1, 150)
    assert fence.admits(1, 2, 200)
    assert not fence.admits(2, 1, 250)
