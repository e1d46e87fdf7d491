"""Problems about money: interest, loans, savings, investments, taxes."""

from fractions import Fraction
from random import Random

from pytest_mcpbench.generation.radar.math.problem import Solved, format_rounded


def compound_interest(start: int, rate: int, years: int, wording: int) -> Solved:
    """Return the answer, computed by adding the interest month by month."""
    text = f"{rate // 10}.{rate % 10}"
    balance = Fraction(start)
    for _ in range(12 * years):
        balance += balance * Fraction(rate, 12_000)
    answer = (balance, balance - start)[wording]
    growth = f"{start}*(1 + {rate}/12000)**{12 * years}"
    expression = (f"round({growth}, 2)", f"round({growth} - {start}, 2)")[wording]
    return Solved(format_rounded(answer, 2), expression, {"text": text})


def loan_payment(loan: int, rate: int, years: int) -> Solved:
    """Return the answer, the payment that clears the debt, found by bisection."""
    months, low, high = 12 * years, 0.0, float(loan)
    while high - low > 1e-9:
        payment = (low + high) / 2
        debt = float(loan)
        for _ in range(months):
            debt = debt * (1 + rate / 12_000) - payment
        low, high = (payment, high) if debt > 0 else (low, payment)
    text = f"{rate / 10:g}"
    i = f"({rate}/12000)"
    expression = f"round({loan}*{i}/(1 - (1 + {i})**(-{months})), 2)"
    return Solved(format_rounded(low, 2), expression, {"text": text, "months": months})


def savings_plan(deposit: int, rate: int, years: int) -> Solved:
    """Return the answer, computed by paying in month by month."""
    balance = Fraction(0)
    for _ in range(12 * years):
        balance = (balance + deposit) * (1 + Fraction(rate, 12_000))
    text = f"{rate / 10:g}"
    i = f"({rate}/12000)"
    expression = f"round({deposit}*(1 + {i})*((1 + {i})**{12 * years} - 1)/{i}, 2)"
    return Solved(format_rounded(balance, 2), expression, {"text": text})


def present_value(draw: Random, price: int, rate: int) -> Solved:
    """Return the answer, computed by discounting from the last year back."""
    flows = [draw.randint(10, 60) * 100 for _ in range(4)]
    # From the last year back to today, as a bank would.
    value = Fraction(0)
    for flow in reversed(flows):
        value = (value + flow) / (1 + Fraction(rate, 100))
    expression = f"-{price} + " + " + ".join(
        f"{flow}/(1 + {rate}/100)**{year}" for year, flow in enumerate(flows, start=1)
    )
    return Solved(format_rounded(value - price, 2), f"round({expression}, 2)", {"flows": flows})


def years_until_reached(start: int, rate: int, goal: int) -> Solved:
    """Return the answer, found by simulating year after year."""
    balance, years = Fraction(start), 0
    while balance < goal:
        balance, years = balance * (1 + Fraction(rate, 1_000)), years + 1
    text = f"{rate / 10:g}"
    expression = f"ceil(log({goal}/{start})/log(1 + {rate}/1000))"
    return Solved(str(years), expression, {"text": text})


def income_tax(  # noqa: PLR0913 (the numbers of the problem)
    free: int, middle: int, low: int, high: int, income: int, wording: int
) -> Solved:
    """Return the answer, computed by taxing one unit of money after the other."""
    percent = sum(0 if euro < free else low if euro < middle else high for euro in range(income))
    tax = Fraction(percent, 100)
    answer = (tax, income - tax)[wording]
    due = f"({middle} - {free})*{low}/100 + ({income} - {middle})*{high}/100"
    return Solved(format_rounded(answer, 2), (due, f"{income} - ({due})")[wording])
