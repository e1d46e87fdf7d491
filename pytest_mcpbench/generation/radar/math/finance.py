"""Problems about money: interest, loans, savings, taxes, discounts."""

from fractions import Fraction
from random import Random

from pytest_mcpbench.generation.radar.math.problem import KindOfProblem, Problem, format_rounded, join_values


def compound_interest(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed by adding the interest month by month."""
    start, rate, years = draw.randint(12, 90) * 150, draw.choice((18, 24, 27, 33, 42)), draw.randint(6, 14)
    text = f"{rate // 10}.{rate % 10}"
    balance = Fraction(start)
    for _ in range(12 * years):
        balance += balance * Fraction(rate, 12_000)
    answer = (balance, balance - start)[wording]
    prompt = (
        f"{start} euros earn {text} % a year, compounded monthly (one twelfth of the yearly rate each month, no "
        f"rounding in between). How many euros are in the account after {years} years? Two decimals.",
        f"An investor puts {start} dollars into a bond with a nominal {text} % a year that is credited every month "
        f"at a twelfth of that rate and reinvested. What interest in total has she earned after {years} years? Round "
        "the final figure to cents.",
    )[wording]
    growth = f"{start}*(1 + {rate}/12000)**{12 * years}"
    expression = (f"round({growth}, 2)", f"round({growth} - {start}, 2)")[wording]
    return Problem(prompt, format_rounded(answer, 2), lambda tools: tools.calculate(expression))


def loan_payment(draw: Random, wording: int) -> Problem:
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
    prompt = (
        f"A loan of {loan} euros at {text} % a year ({text}/12 % a month) is paid off in {months} equal payments, "
        "one at the end of each month. How much is one payment, in euros and cents?",
        f"The Okafors borrow {loan} for their flat over {years} years with monthly instalments of constant size, due "
        f"at the end of each month; the nominal annual rate is {text} %, a twelfth of it per month. Compute the "
        "instalment to two decimals.",
    )[wording]
    i = f"({rate}/12000)"
    expression = f"round({loan}*{i}/(1 - (1 + {i})**(-{months})), 2)"
    return Problem(prompt, format_rounded(low, 2), lambda tools: tools.calculate(expression))


def savings_plan(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed by paying in month by month."""
    deposit, rate, years = draw.randint(80, 350), draw.choice((24, 36, 42, 54)), draw.randint(5, 18)
    balance = Fraction(0)
    for _ in range(12 * years):
        balance = (balance + deposit) * (1 + Fraction(rate, 12_000))
    text = f"{rate / 10:g}"
    prompt = (
        f"At the beginning of every month {deposit} euros go into a fund that grows by one twelfth of {text} % a "
        f"month. What is it worth at the end of {years} years? Two decimals.",
        f"Ines saves {deposit} pounds on the first day of each month for {years} years. Interest is {text} % a year, "
        "added monthly as a twelfth of the annual rate. What is her balance at the end of the last month, to the "
        "penny?",
    )[wording]
    i = f"({rate}/12000)"
    expression = f"round({deposit}*(1 + {i})*((1 + {i})**{12 * years} - 1)/{i}, 2)"
    return Problem(prompt, format_rounded(balance, 2), lambda tools: tools.calculate(expression))


def present_value(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed by discounting from the last year back."""
    price, rate = draw.randint(8, 24) * 500, draw.choice((4, 5, 7, 8))
    flows = [draw.randint(10, 60) * 100 for _ in range(4)]
    # From the last year back to today, as a bank would.
    value = Fraction(0)
    for flow in reversed(flows):
        value = (value + flow) / (1 + Fraction(rate, 100))
    prompt = (
        f"A machine costs {price} euros today and brings in {join_values(flows)} euros at the end of years 1 to 4. "
        f"With a discount rate of {rate} % a year, what is its net present value in euros (two decimals, negative if "
        "it is a loss)?",
        f"A franchise asks for {price} dollars up front. Its yearly surpluses, received at each year's end, are "
        f"expected to be {join_values(flows)} dollars over four years. Discount them at {rate} % and "
        "subtract the price; round to cents (a loss has a minus sign).",
    )[wording]
    expression = f"-{price} + " + " + ".join(
        f"{flow}/(1 + {rate}/100)**{year}" for year, flow in enumerate(flows, start=1)
    )
    return Problem(prompt, format_rounded(value - price, 2), lambda tools: tools.calculate(f"round({expression}, 2)"))


def years_until_reached(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is found by simulating year after year."""
    start, rate, factor = draw.randint(20, 95) * 100, draw.choice((23, 31, 37, 46)), draw.choice((2, 3))
    goal = factor * start + draw.randint(1, 9) * 50
    balance, years = Fraction(start), 0
    while balance < goal:
        balance, years = balance * (1 + Fraction(rate, 1_000)), years + 1
    text = f"{rate / 10:g}"
    prompt = (
        f"A town of {start} people grows by {text} % every year. After how many whole years does it first have at "
        f"least {goal} inhabitants? (Do not round the numbers in between.)",
        f"How many full years must {start} euros lie at {text} % annual compound interest until the balance is "
        f"{goal} euros or more for the first time? Interest is added once a year, without rounding.",
    )[wording]
    expression = f"ceil(log({goal}/{start})/log(1 + {rate}/1000))"
    return Problem(prompt, str(years), lambda tools: tools.calculate(expression))


def income_tax(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed by taxing one unit of money after the other."""
    free, middle = draw.randint(9, 12) * 1_000, draw.randint(30, 45) * 1_000
    low, high = draw.choice((12, 14, 18)), draw.choice((27, 31, 36))
    income = middle + draw.randint(9_000, 48_000)
    percent = sum(0 if euro < free else low if euro < middle else high for euro in range(income))
    prompt = (
        f"Income up to {free} is free of tax; the part above that up to {middle} is taxed at {low} %, everything "
        f"above {middle} at {high} %. What tax is due on an income of {income}? Two decimals.",
        f"A country levies nothing on the first {free} crowns, {low} % on what lies between {free} and {middle}, and "
        f"{high} % on whatever exceeds {middle}. Somebody earns {income} crowns. How many crowns remain after tax "
        "(two decimals)?",
    )[wording]
    tax = Fraction(percent, 100)
    answer = (tax, income - tax)[wording]
    due = f"({middle} - {free})*{low}/100 + ({income} - {middle})*{high}/100"
    return Problem(
        prompt, format_rounded(answer, 2), lambda tools: tools.calculate((due, f"{income} - ({due})")[wording])
    )


KINDS = (
    KindOfProblem("finance", "medium", compound_interest),
    KindOfProblem("finance", "hard", loan_payment),
    KindOfProblem("finance", "hard", savings_plan),
    KindOfProblem("finance", "medium", present_value),
    KindOfProblem("finance", "medium", years_until_reached),
    KindOfProblem("finance", "easy", income_tax),
)
