import pytest

from pytest_mcpbench.statistics import Interval, cre, rank_upper_bound


def test_rank_counts_the_models_that_are_surely_better() -> None:
    # The board of MCP-Atlas (September 2025): value and half-width of its interval.
    board = {
        "gpt-5": (44.50, 1.69),
        "o3": (43.60, 1.56),
        "opus-4.1": (40.90, 1.49),
        "sonnet-4": (35.60, 1.57),
        "glm-4.5": (34.00, 1.32),
        "kimi-k2": (23.90, 1.14),
        "qwen3": (12.00, 0.94),
        "gemini-2.5-pro": (8.80, 0.62),
        "gpt-4o": (7.20, 0.51),
        "gemini-2.5-flash": (3.40, 0.33),
        "maverick": (0.80, 0.08),
    }
    ranks = rank_upper_bound({model: Interval(value - half, value + half) for model, (value, half) in board.items()})
    assert ranks == {
        "gpt-5": 1,
        "o3": 1,
        "opus-4.1": 2,
        "sonnet-4": 4,
        "glm-4.5": 4,
        "kimi-k2": 6,
        "qwen3": 7,
        "gemini-2.5-pro": 8,
        "gpt-4o": 9,
        "gemini-2.5-flash": 10,
        "maverick": 11,
    }


def test_efficiency_is_one_for_the_cheapest_and_zero_for_the_dearest() -> None:
    assert cre({"a": 100, "b": 400, "c": 200}) == pytest.approx({"a": 1, "b": 0, "c": 2 / 3})


def test_efficiency_says_nothing_about_one_model() -> None:
    assert cre({"a": 100}) == {"a": None}
    assert cre({"a": 100, "b": None}) == {"a": None, "b": None}


def test_unknown_tokens_have_no_efficiency_and_do_not_move_the_others() -> None:
    assert cre({"a": 100, "b": None, "c": 200}) == {"a": 1, "b": None, "c": 0}


def test_equal_models_are_all_the_cheapest() -> None:
    assert cre({"a": 5, "b": 5}) == {"a": 1, "b": 1}
