"""Problems about money: interest, loans, savings, taxes, discounts."""

from fractions import Fraction
from random import Random

from pytest_mcpbench.generation.radar.math.problem import Drawn, format_rounded


def compound_interest(draw: Random, wording: int) -> Drawn:
    """Draw a problem whose answer is computed by adding the interest month by month."""
    start, rate, years = draw.randint(12, 90) * 150, draw.choice((18, 24, 27, 33, 42)), draw.randint(6, 14)
    text = f"{rate // 10}.{rate % 10}"
    balance = Fraction(start)
    for _ in range(12 * years):
        balance += balance * Fraction(rate, 12_000)
    answer = (balance, balance - start)[wording]
    growth = f"{start}*(1 + {rate}/12000)**{12 * years}"
    expression = (f"round({growth}, 2)", f"round({growth} - {start}, 2)")[wording]
    return Drawn(
        {"start": start, "text": text, "years": years},
        format_rounded(answer, 2),
        lambda tools: tools.calculate(expression),
    )


def loan_payment(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer, the payment that clears the debt, is found by bisection."""
    loan, rate, years = draw.randint(30, 180) * 1_000, draw.choice((24, 30, 36, 48)), draw.choice((8, 10, 12, 15))
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
    return Drawn(
        {"loan": loan, "text": text, "months": months, "years": years},
        format_rounded(low, 2),
        lambda tools: tools.calculate(expression),
    )


def savings_plan(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by paying in month by month."""
    deposit, rate, years = draw.randint(80, 350), draw.choice((24, 36, 42, 54)), draw.randint(5, 18)
    balance = Fraction(0)
    for _ in range(12 * years):
        balance = (balance + deposit) * (1 + Fraction(rate, 12_000))
    text = f"{rate / 10:g}"
    i = f"({rate}/12000)"
    expression = f"round({deposit}*(1 + {i})*((1 + {i})**{12 * years} - 1)/{i}, 2)"
    return Drawn(
        {"deposit": deposit, "text": text, "years": years},
        format_rounded(balance, 2),
        lambda tools: tools.calculate(expression),
    )


def present_value(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by discounting from the last year back."""
    price, rate = draw.randint(8, 24) * 500, draw.choice((4, 5, 7, 8))
    flows = [draw.randint(10, 60) * 100 for _ in range(4)]
    # From the last year back to today, as a bank would.
    value = Fraction(0)
    for flow in reversed(flows):
        value = (value + flow) / (1 + Fraction(rate, 100))
    expression = f"-{price} + " + " + ".join(
        f"{flow}/(1 + {rate}/100)**{year}" for year, flow in enumerate(flows, start=1)
    )
    return Drawn(
        {"price": price, "flows": flows, "rate": rate},
        format_rounded(value - price, 2),
        lambda tools: tools.calculate(f"round({expression}, 2)"),
    )


def years_until_reached(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is found by simulating year after year."""
    start, rate, factor = draw.randint(20, 95) * 100, draw.choice((23, 31, 37, 46)), draw.choice((2, 3))
    goal = factor * start + draw.randint(1, 9) * 50
    balance, years = Fraction(start), 0
    while balance < goal:
        balance, years = balance * (1 + Fraction(rate, 1_000)), years + 1
    text = f"{rate / 10:g}"
    expression = f"ceil(log({goal}/{start})/log(1 + {rate}/1000))"
    return Drawn({"start": start, "text": text, "goal": goal}, str(years), lambda tools: tools.calculate(expression))


def income_tax(draw: Random, wording: int) -> Drawn:
    """Draw a problem whose answer is computed by taxing one unit of money after the other."""
    free, middle = draw.randint(9, 12) * 1_000, draw.randint(30, 45) * 1_000
    low, high = draw.choice((12, 14, 18)), draw.choice((27, 31, 36))
    income = middle + draw.randint(9_000, 48_000)
    percent = sum(0 if euro < free else low if euro < middle else high for euro in range(income))
    tax = Fraction(percent, 100)
    answer = (tax, income - tax)[wording]
    due = f"({middle} - {free})*{low}/100 + ({income} - {middle})*{high}/100"
    return Drawn(
        {"free": free, "middle": middle, "low": low, "high": high, "income": income},
        format_rounded(answer, 2),
        lambda tools: tools.calculate((due, f"{income} - ({due})")[wording]),
    )
