"""Problems of number theory: remainders, divisors, primes, digits."""

from math import gcd
from random import Random

from pytest_mcpbench.generation.radar.math.problem import Drawn


def last_digits_of_a_power(draw: Random, wording: int) -> Drawn:
    """Draw a problem whose answer is computed by multiplying step by step."""
    base, exponent = draw.choice((7, 13, 17, 23, 37)), draw.randint(1_200, 2_600)
    modulus = (1_000, 997)[wording]
    remainder = 1
    for _ in range(exponent):
        remainder = remainder * base % modulus
    return Drawn(
        {"base": base, "exponent": exponent, "modulus": modulus},
        str(remainder),
        lambda tools: tools.calculate(f"powmod({base}, {exponent}, {modulus})"),
    )


def meeting_again(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is found by stepping from departure to departure."""
    first, second, third = draw.choice(((28, 45, 66), (36, 50, 84), (42, 54, 60), (48, 63, 90)))
    minute = first
    while minute % second or minute % third:
        minute += first
    return Drawn(
        {"first": first, "second": second, "third": third},
        str(minute),
        lambda tools: tools.calculate(f"lcm({first}, {second}, {third})"),
    )


def soldiers_in_ranks(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is found by trying numbers from 1."""
    moduli = draw.choice(((11, 13, 17), (9, 14, 19), (13, 16, 21)))
    remainders = [draw.randint(1, modulus - 1) for modulus in moduli]
    pairs = list(zip(moduli, remainders, strict=True))
    found = next(n for n in range(1, 10_000) if all(n % modulus == rest for modulus, rest in pairs))
    (a, r), (b, s), (c, t) = pairs
    parts = [f"{rest}*{a * b * c // modulus}*powmod({a * b * c // modulus}, -1, {modulus})" for modulus, rest in pairs]
    return Drawn(
        {"a": a, "r": r, "b": b, "s": s, "c": c, "t": t},
        str(found),
        lambda tools: tools.calculate(f"({' + '.join(parts)}) % {a * b * c}"),
    )


def divisors(draw: Random, wording: int) -> Drawn:
    """Draw a problem whose answer is computed by trial division."""
    number = 2 ** draw.randint(3, 5) * 3 ** draw.randint(2, 3) * draw.choice((5, 25)) * draw.choice((7, 11, 13))
    found = [n for n in range(1, number + 1) if number % n == 0]
    answer = (len(found), sum(found))[wording]
    function = ("divisor_count", "divisor_sum")[wording]
    return Drawn({"number": number}, str(answer), lambda tools: tools.calculate(f"{function}({number})"))


def zeros_at_the_end(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by removing the factors of five from every number."""
    number = draw.randint(900, 1_900)
    zeros = sum(_times_divisible(factor, 5) for factor in range(1, number + 1))
    return Drawn({"number": number}, str(zeros), lambda tools: tools.calculate(f"sum(floor({number}/5**k), k, 1, 6)"))


def _times_divisible(number: int, prime: int) -> int:
    return 0 if number % prime else 1 + _times_divisible(number // prime, prime)


def divisible_but_not(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is found by testing every number."""
    limit = draw.randint(4_000, 9_000)
    a, b, c = draw.choice(((6, 10, 7), (4, 9, 5), (8, 15, 11), (12, 14, 5)))
    found = [n for n in range(1, limit + 1) if (n % a == 0 or n % b == 0) and n % c]
    return Drawn(
        {"limit": limit, "a": a, "b": b, "c": c},
        str(len(found)),
        lambda tools: tools.calculate(_by_inclusion(limit, a, b, c)),
    )


def _by_inclusion(limit: int, a: int, b: int, c: int) -> str:
    def count(*factors: int) -> str:
        return f"floor({limit}/lcm({', '.join(map(str, factors))}))"

    return f"{count(a)} + {count(b)} - {count(a, b)} - {count(a, c)} - {count(b, c)} + {count(a, b, c)}"


def sum_of_digits(draw: Random, wording: int) -> Drawn:
    """Draw a problem whose answer is computed from the decimal digits."""
    base, exponent = ((2, draw.randint(90, 160)), (3, draw.randint(70, 110)))[wording]
    answer = sum(map(int, str(base**exponent)))
    places = len(str(base**exponent))
    expression = f"sum(floor({base}**{exponent}/10**k) % 10, k, 0, {places})"
    return Drawn({"base": base, "exponent": exponent}, str(answer), lambda tools: tools.calculate(expression))


def sum_of_primes(draw: Random, wording: int) -> Drawn:
    """Draw a problem whose answer is computed by the sieve of Eratosthenes."""
    low, high = draw.randint(300, 600), draw.randint(900, 1_400)
    sieve = [True] * (high + 1)
    for n in range(2, high + 1):
        if sieve[n]:
            sieve[2 * n :: n] = [False] * len(sieve[2 * n :: n])
    primes = [n for n in range(low, high + 1) if sieve[n]]
    term = ("k*isprime(k)", "isprime(k)")[wording]
    answer = (sum(primes), len(primes))[wording]
    return Drawn(
        {"low": low, "high": high}, str(answer), lambda tools: tools.calculate(f"sum({term}, k, {low}, {high})")
    )


def number_in_another_base(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is computed by parsing the digits with Python's ``int``."""
    base, count = draw.choice((6, 7, 9)), 7
    digits = [draw.randint(1, base - 1) for _ in range(count)]
    numeral = "".join(map(str, digits))
    terms = " + ".join(f"{digit}*{base}**{count - 1 - index}" for index, digit in enumerate(digits))
    return Drawn({"numeral": numeral, "base": base}, str(int(numeral, base)), lambda tools: tools.calculate(terms))


def fractions_in_lowest_terms(draw: Random, _wording: int) -> Drawn:
    """Draw a problem whose answer is found by testing every numerator."""
    number = draw.choice((1_260, 1_386, 1_540, 1_716, 2_100, 2_310))
    found = [n for n in range(1, number) if gcd(n, number) == 1]
    return Drawn({"number": number}, str(len(found)), lambda tools: tools.calculate(f"totient({number})"))
