import pytest

from pytest_mcpbench.core.world import Change
from pytest_mcpbench.metrics.world_state.bookkeeping import is_bookkeeping, is_only_bookkeeping


@pytest.mark.parametrize("name", ["updated_at", "updatedAt", "last_edited_time", "modified", "etag", "unread_count"])
def test_fields_that_servers_keep_by_themselves_are_bookkeeping(name: str) -> None:
    assert is_bookkeeping(name)


@pytest.mark.parametrize("name", ["start_time", "title", "created_by", "update", "count", "due_date"])
def test_fields_that_people_set_are_not(name: str) -> None:
    assert not is_bookkeeping(name)


def test_only_an_update_of_nothing_else_is_bookkeeping() -> None:
    before, after = {"updated_at": 1, "title": "a"}, {"updated_at": 2, "title": "a"}
    update = Change(kind="updated", collection="notes", id="n", before=before, after=after)
    assert is_only_bookkeeping(update)
    assert not is_only_bookkeeping(update.model_copy(update={"after": {**after, "title": "b"}}))
    assert not is_only_bookkeeping(Change(kind="created", collection="notes", id="n", after=after))
