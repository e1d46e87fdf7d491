"""Problems of number theory: remainders, divisors, primes, digits."""

from math import gcd
from random import Random

from pytest_mcpbench.generation.radar.math.problem import Solved


def last_digits_of_a_power(base: int, exponent: int, wording: int) -> Solved:
    """Return the answer, computed by multiplying step by step."""
    modulus = (1_000, 997)[wording]
    remainder = 1
    for _ in range(exponent):
        remainder = remainder * base % modulus
    return Solved(str(remainder), f"powmod({base}, {exponent}, {modulus})", {"modulus": modulus})


def meeting_again(first: int, second: int, third: int) -> Solved:
    """Return the answer, found by stepping from departure to departure."""
    minute = first
    while minute % second or minute % third:
        minute += first
    return Solved(str(minute), f"lcm({first}, {second}, {third})")


def soldiers_in_ranks(draw: Random, moduli: list[int]) -> Solved:
    """Return the answer, found by trying numbers from 1."""
    remainders = [draw.randint(1, modulus - 1) for modulus in moduli]
    pairs = list(zip(moduli, remainders, strict=True))
    found = next(n for n in range(1, 10_000) if all(n % modulus == rest for modulus, rest in pairs))
    (a, r), (b, s), (c, t) = pairs
    parts = [f"{rest}*{a * b * c // modulus}*powmod({a * b * c // modulus}, -1, {modulus})" for modulus, rest in pairs]
    return Solved(str(found), f"({' + '.join(parts)}) % {a * b * c}", {"a": a, "r": r, "b": b, "s": s, "c": c, "t": t})


def divisors(number: int, wording: int) -> Solved:
    """Return the answer, computed by trial division."""
    found = [n for n in range(1, number + 1) if number % n == 0]
    answer = (len(found), sum(found))[wording]
    function = ("divisor_count", "divisor_sum")[wording]
    return Solved(str(answer), f"{function}({number})")


def zeros_at_the_end(number: int) -> Solved:
    """Return the answer, computed by removing the factors of five from every number."""
    zeros = sum(_times_divisible(factor, 5) for factor in range(1, number + 1))
    return Solved(str(zeros), f"sum(floor({number}/5**k), k, 1, 6)")


def _times_divisible(number: int, prime: int) -> int:
    return 0 if number % prime else 1 + _times_divisible(number // prime, prime)


def divisible_but_not(limit: int, a: int, b: int, c: int) -> Solved:
    """Return the answer, found by testing every number."""
    found = [n for n in range(1, limit + 1) if (n % a == 0 or n % b == 0) and n % c]
    return Solved(str(len(found)), _by_inclusion(limit, a, b, c))


def _by_inclusion(limit: int, a: int, b: int, c: int) -> str:
    def count(*factors: int) -> str:
        return f"floor({limit}/lcm({', '.join(map(str, factors))}))"

    return f"{count(a)} + {count(b)} - {count(a, b)} - {count(a, c)} - {count(b, c)} + {count(a, b, c)}"


def sum_of_digits(base: int, exponent: int) -> Solved:
    """Return the answer, computed from the decimal digits."""
    answer = sum(map(int, str(base**exponent)))
    places = len(str(base**exponent))
    expression = f"sum(floor({base}**{exponent}/10**k) % 10, k, 0, {places})"
    return Solved(str(answer), expression)


def sum_of_primes(low: int, high: int, wording: int) -> Solved:
    """Return the answer, computed by the sieve of Eratosthenes."""
    sieve = [True] * (high + 1)
    for n in range(2, high + 1):
        if sieve[n]:
            sieve[2 * n :: n] = [False] * len(sieve[2 * n :: n])
    primes = [n for n in range(low, high + 1) if sieve[n]]
    term = ("k*isprime(k)", "isprime(k)")[wording]
    answer = (sum(primes), len(primes))[wording]
    return Solved(str(answer), f"sum({term}, k, {low}, {high})")


def number_in_another_base(draw: Random, base: int, count: int) -> Solved:
    """Return the answer, computed by parsing the digits with Python's ``int``."""
    digits = [draw.randint(1, base - 1) for _ in range(count)]
    numeral = "".join(map(str, digits))
    terms = " + ".join(f"{digit}*{base}**{count - 1 - index}" for index, digit in enumerate(digits))
    return Solved(str(int(numeral, base)), terms, {"numeral": numeral})


def fractions_in_lowest_terms(number: int) -> Solved:
    """Return the answer, found by testing every numerator."""
    found = [n for n in range(1, number) if gcd(n, number) == 1]
    return Solved(str(len(found)), f"totient({number})")
