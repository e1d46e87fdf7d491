from pytest_mcpbench.models.rate_limiter import MinuteBudget


def test_a_use_waits_until_an_earlier_one_is_a_minute_old() -> None:
    budget = MinuteBudget(2)
    assert budget.wait_seconds(0, 1) == 0
    budget.use(1, 0)
    budget.use(1, 10)
    assert budget.wait_seconds(15, 1) == 45
    assert budget.wait_seconds(15, 2) == 55
    assert budget.wait_seconds(60, 1) == 0


def test_a_use_larger_than_the_budget_is_let_through_alone() -> None:
    budget = MinuteBudget(100)
    assert budget.wait_seconds(0, 500) == 0
    budget.use(500, 0)
    assert budget.wait_seconds(1) == 59
    assert budget.wait_seconds(60) == 0
