"""Items are shared out so that every worker has enough to look ahead in, and none too many at the end."""

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from pytest_mcpbench.plugin.xdist.distribution import WorkPartition


def _tasks(count: int, *workers: str, sets: Sequence[str | None] | None = None, window: int = 32) -> WorkPartition[str]:
    return WorkPartition(
        workers, is_task=[True] * count, sets=sets or [None] * count, concurrency=window // 4, window=window
    )


def test_each_worker_begins_with_a_window_of_its_own_block() -> None:
    partition = _tasks(200, "a", "b")
    assert list(partition.take("a", {"a": [], "b": []})) == list(range(32))
    assert list(partition.take("b", {"a": list(range(32)), "b": []})) == list(range(100, 132))
    assert partition.unassigned == 136


def test_a_worker_gets_more_as_it_reports() -> None:
    partition = _tasks(200, "a", "b")
    first = list(partition.take("a", {"a": [], "b": []}))
    assert list(partition.take("a", {"a": first[3:], "b": []})) == [32, 33, 34]


def test_towards_the_end_a_worker_gets_what_is_in_flight_and_two_more() -> None:
    partition = _tasks(24, "a", "b", window=16)
    assert len(list(partition.take("a", {"a": [], "b": []}))) == 6


def test_a_window_larger_than_the_run_leaves_each_its_half() -> None:
    partition = _tasks(20, "a", "b", window=800)
    assert list(partition.take("a", {"a": [], "b": []})) == list(range(10))


def test_a_worker_that_is_done_takes_over_the_back_half_of_the_longest_stretch() -> None:
    partition = _tasks(400, "a", "b")
    assigned: dict[str, list[int]] = {"a": list(partition.take("a", {"a": [], "b": []})), "b": [200]}
    while min(assigned["b"]) >= 200:
        assigned["b"] = list(partition.take("b", {**assigned, "b": []}))
    own, taken_over = assigned["b"][:8], assigned["b"][8:]
    assert own == list(range(392, 400))
    # a has 200 left, b 8: the back 96 make them even.
    assert taken_over == list(range(104, 104 + len(taken_over)))


def test_other_tests_are_given_as_xdist_gives_them() -> None:
    partition = WorkPartition(["a", "b"], is_task=[False] * 160, sets=[None] * 160, concurrency=8, window=32)
    # A quarter of each worker's share, which is smaller with every one that is assigned.
    assert list(partition.take("a", {"a": [], "b": []})) == list(range(19))


def test_the_last_of_other_tests_are_given_by_twos() -> None:
    partition = WorkPartition(["a", "b"], is_task=[False] * 8, sets=[None] * 8, concurrency=8, window=32)
    assert list(partition.take("a", {"a": [], "b": []})) == [0, 1]


def test_tasks_on_the_same_servers_stay_together() -> None:
    sets = ["x", "y"] * 20
    partition = _tasks(40, "a", "b", sets=sets, window=80)
    assert {sets[item] for item in partition.take("a", {"a": [], "b": []})} == {"x"}


def test_a_border_between_servers_near_the_middle_divides_the_run() -> None:
    sets = ["x"] * 24 + ["y"] * 16
    partition = _tasks(40, "a", "b", sets=sets, window=400)
    assert list(partition.take("a", {"a": [], "b": []})) == list(range(24))


def test_one_set_of_servers_for_all_does_not_starve_the_other_worker() -> None:
    partition = _tasks(40, "a", "b", sets=["x"] * 40, window=80)
    assert list(partition.take("a", {"a": [], "b": []})) == list(range(20))


def test_what_a_lost_worker_had_goes_to_the_others() -> None:
    partition = _tasks(40, "a", "b", window=400)
    assigned = list(partition.take("a", {"a": [], "b": []}))
    partition.remove("a")
    partition.put_back(assigned[1:])
    taken = list(partition.take("b", {"b": []}))
    assert sorted([*assigned[:1], *taken]) == list(range(40))


def test_a_worker_that_comes_later_gets_its_share() -> None:
    partition = _tasks(400, "a")
    assigned = {"a": list(partition.take("a", {"a": []})), "b": []}
    assert next(partition.take("b", assigned)) == 32 + (400 - 32) - 400 // 2


@pytest.mark.parametrize("seed", range(20))
def test_every_item_is_given_once_and_the_ends_are_balanced(seed: int) -> None:
    draw = random.Random(seed)
    workers = ["a", "b", "c"][: draw.randint(1, 3)]
    count = draw.randint(1, 300)
    sets = [draw.choice([None, "x", "y", "z"]) for _ in range(count)]
    is_task = [draw.random() < 0.7 for _ in range(count)]
    partition = WorkPartition(workers, is_task=is_task, sets=sets, concurrency=4, window=16)
    assigned: dict[str, list[int]] = {worker: [] for worker in workers}
    done: Counter[int] = Counter()
    while True:
        for worker in workers:
            assigned[worker].extend(partition.take(worker, assigned))
        if not any(assigned.values()):
            break
        if any(len(has) < 2 for has in assigned.values()):
            assert max(map(len, assigned.values())) <= 2 * 6 or partition.unassigned == 0 or len(workers) == 1
        worker = draw.choice([worker for worker in workers if assigned[worker]])
        done[assigned[worker].pop(0)] += 1
    assert done == Counter(range(count))
