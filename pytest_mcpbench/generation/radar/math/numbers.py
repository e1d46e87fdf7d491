"""Problems of number theory: remainders, divisors, primes, digits."""

from math import gcd
from random import Random

from pytest_mcpbench.generation.radar.math.problem import KindOfProblem, Problem


def last_digits_of_a_power(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed by multiplying step by step."""
    base, exponent = draw.choice((7, 13, 17, 23, 37)), draw.randint(1_200, 2_600)
    modulus = (1_000, 997)[wording]
    remainder = 1
    for _ in range(exponent):
        remainder = remainder * base % modulus
    prompt = (
        f"Which number do the last three digits of {base}^{exponent} form? (Leading zeros may be dropped.)",
        f"A ring counter with {modulus} positions starts at 1, and at every tick its value is multiplied by {base} "
        f"(modulo {modulus}). What does it show after {exponent} ticks?",
    )[wording]
    return Problem(prompt, str(remainder), lambda tools: tools.calculate(f"powmod({base}, {exponent}, {modulus})"))


def meeting_again(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is found by stepping from departure to departure."""
    first, second, third = draw.choice(((28, 45, 66), (36, 50, 84), (42, 54, 60), (48, 63, 90)))
    minute = first
    while minute % second or minute % third:
        minute += first
    prompt = (
        f"Three ferries leave the same pier every {first}, {second} and {third} minutes. They have just left "
        "together. In how many minutes will all three leave at the same moment again?",
        f"Beacons on a coast flash every {first} s, {second} s and {third} s. At midnight all flash at once. How many "
        "seconds after midnight does that happen next?",
    )[wording]
    return Problem(prompt, str(minute), lambda tools: tools.calculate(f"lcm({first}, {second}, {third})"))


def soldiers_in_ranks(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is found by trying numbers from 1."""
    moduli = draw.choice(((11, 13, 17), (9, 14, 19), (13, 16, 21)))
    remainders = [draw.randint(1, modulus - 1) for modulus in moduli]
    pairs = list(zip(moduli, remainders, strict=True))
    found = next(n for n in range(1, 10_000) if all(n % modulus == rest for modulus, rest in pairs))
    (a, r), (b, s), (c, t) = pairs
    prompt = (
        f"In rows of {a} there are {r} left over, in rows of {b} there are {s}, and in rows of {c} there are {t}. "
        "What is the smallest possible (positive) number of soldiers?",
        f"Find the least positive integer that leaves remainder {r} on division by {a}, {s} on division by {b} and "
        f"{t} on division by {c}.",
    )[wording]
    parts = [f"{rest}*{a * b * c // modulus}*powmod({a * b * c // modulus}, -1, {modulus})" for modulus, rest in pairs]
    return Problem(prompt, str(found), lambda tools: tools.calculate(f"({' + '.join(parts)}) % {a * b * c}"))


def divisors(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed by trial division."""
    number = 2 ** draw.randint(3, 5) * 3 ** draw.randint(2, 3) * draw.choice((5, 25)) * draw.choice((7, 11, 13))
    found = [n for n in range(1, number + 1) if number % n == 0]
    prompt = (
        f"How many positive divisors does {number} have?",
        f"Add up all positive whole numbers that divide {number} without remainder ({number} itself included).",
    )[wording]
    answer = (len(found), sum(found))[wording]
    function = ("divisor_count", "divisor_sum")[wording]
    return Problem(prompt, str(answer), lambda tools: tools.calculate(f"{function}({number})"))


def zeros_at_the_end(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed by removing the factors of five from every number."""
    number = draw.randint(900, 1_900)
    zeros = sum(_times_divisible(factor, 5) for factor in range(1, number + 1))
    prompt = (
        f"With how many zeros does the factorial of {number} end?",
        f"The product 1 * 2 * 3 * ... * {number} is written out in full. How many zeros stand at its right end?",
    )[wording]
    return Problem(prompt, str(zeros), lambda tools: tools.calculate(f"sum(floor({number}/5**k), k, 1, 6)"))


def _times_divisible(number: int, prime: int) -> int:
    return 0 if number % prime else 1 + _times_divisible(number // prime, prime)


def divisible_but_not(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is found by testing every number."""
    limit = draw.randint(4_000, 9_000)
    a, b, c = draw.choice(((6, 10, 7), (4, 9, 5), (8, 15, 11), (12, 14, 5)))
    found = [n for n in range(1, limit + 1) if (n % a == 0 or n % b == 0) and n % c]
    prompt = (
        f"How many of the integers 1 to {limit} are divisible by {a} or by {b}, but not by {c}?",
        f"Tickets are numbered 1 to {limit}. A ticket wins if {a} or {b} (or both) divides its number, unless {c} "
        "divides it too. How many tickets win?",
    )[wording]
    return Problem(prompt, str(len(found)), lambda tools: tools.calculate(_by_inclusion(limit, a, b, c)))


def _by_inclusion(limit: int, a: int, b: int, c: int) -> str:
    def count(*factors: int) -> str:
        return f"floor({limit}/lcm({', '.join(map(str, factors))}))"

    return f"{count(a)} + {count(b)} - {count(a, b)} - {count(a, c)} - {count(b, c)} + {count(a, b, c)}"


def sum_of_digits(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed from the decimal digits."""
    base, exponent = ((2, draw.randint(90, 160)), (3, draw.randint(70, 110)))[wording]
    answer = sum(map(int, str(base**exponent)))
    prompt = (
        f"What is the sum of the decimal digits of {base}^{exponent}?",
        f"Write {base} to the power {exponent} in full and add its digits. Which number comes out?",
    )[wording]
    places = len(str(base**exponent))
    expression = f"sum(floor({base}**{exponent}/10**k) % 10, k, 0, {places})"
    return Problem(prompt, str(answer), lambda tools: tools.calculate(expression))


def sum_of_primes(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed by the sieve of Eratosthenes."""
    low, high = draw.randint(300, 600), draw.randint(900, 1_400)
    sieve = [True] * (high + 1)
    for n in range(2, high + 1):
        if sieve[n]:
            sieve[2 * n :: n] = [False] * len(sieve[2 * n :: n])
    primes = [n for n in range(low, high + 1) if sieve[n]]
    prompt = (
        f"What is the sum of all prime numbers p with {low} <= p <= {high}?",
        f"How many primes lie between {low} and {high} (both ends allowed)?",
    )[wording]
    term = ("k*isprime(k)", "isprime(k)")[wording]
    answer = (sum(primes), len(primes))[wording]
    return Problem(prompt, str(answer), lambda tools: tools.calculate(f"sum({term}, k, {low}, {high})"))


def number_in_another_base(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is computed by parsing the digits with Python's ``int``."""
    base, count = draw.choice((6, 7, 9)), 7
    digits = [draw.randint(1, base - 1) for _ in range(count)]
    numeral = "".join(map(str, digits))
    prompt = (
        f"What is the decimal value of the number that is written {numeral} in base {base}?",
        f"On a planet where people count to base {base}, a year has {numeral} days (their notation). How many days is "
        "that in our decimal notation?",
    )[wording]
    terms = " + ".join(f"{digit}*{base}**{count - 1 - index}" for index, digit in enumerate(digits))
    return Problem(prompt, str(int(numeral, base)), lambda tools: tools.calculate(terms))


def fractions_in_lowest_terms(draw: Random, wording: int) -> Problem:
    """Draw a problem whose answer is found by testing every numerator."""
    number = draw.choice((1_260, 1_386, 1_540, 1_716, 2_100, 2_310))
    found = [n for n in range(1, number) if gcd(n, number) == 1]
    prompt = (
        f"Of the fractions 1/{number}, 2/{number}, ..., {number - 1}/{number}, how many cannot be reduced?",
        f"How many positive integers below {number} have no prime factor in common with {number}?",
    )[wording]
    return Problem(prompt, str(len(found)), lambda tools: tools.calculate(f"totient({number})"))


KINDS = (
    KindOfProblem("number theory", "medium", last_digits_of_a_power),
    KindOfProblem("number theory", "easy", meeting_again),
    KindOfProblem("number theory", "hard", soldiers_in_ranks),
    KindOfProblem("number theory", "medium", divisors),
    KindOfProblem("number theory", "medium", zeros_at_the_end),
    KindOfProblem("number theory", "medium", divisible_but_not),
    KindOfProblem("number theory", "hard", sum_of_digits),
    KindOfProblem("number theory", "hard", sum_of_primes),
    KindOfProblem("number theory", "easy", number_in_another_base),
    KindOfProblem("number theory", "medium", fractions_in_lowest_terms),
)
