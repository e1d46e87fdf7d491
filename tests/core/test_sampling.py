from pytest_mcpbench.core.selection import draw_sample

LETTERS = "abcdefghijklmnopqrst"


def test_the_same_seed_and_key_draw_the_same() -> None:
    assert draw_sample(LETTERS, 5, seed=0, key="a-task") == draw_sample(LETTERS, 5, seed=0, key="a-task")
    assert draw_sample(LETTERS, 5, seed=0, key="a-task") == ("n", "q", "k", "a", "d")


def test_another_seed_or_key_draws_others() -> None:
    draws = {draw_sample(LETTERS, 5, seed=seed, key=key) for seed in (0, 1) for key in ("one", "other")}
    assert len(draws) == 4


def test_a_smaller_draw_begins_a_larger_one() -> None:
    assert draw_sample(LETTERS, 9, seed=3, key="x")[:4] == draw_sample(LETTERS, 4, seed=3, key="x")


def test_no_more_is_drawn_than_there_is() -> None:
    assert sorted(draw_sample("ab", 5, seed=0, key="x")) == ["a", "b"]
    assert draw_sample("", 5, seed=0, key="x") == ()
