"""The small Python: what it computes, and what it refuses."""

import pytest

from pytest_mcpbench.simulated.terminal.python import Interpreter


@pytest.mark.parametrize(
    ("lines", "printed"),
    [
        (["1 + 2 * 3"], "7\n"),
        (["x = [3, 1, 2]", "sorted(x)[-1]"], "3\n"),
        (["a, b = 7, 2", "a // b, a % b, a ** b"], "(3, 1, 49)\n"),
        (["d = {'a': 1}", "d['b'] = 2", "sum(d.values())"], "3\n"),
        (["[n * n for n in range(6) if n % 2]"], "[1, 9, 25]\n"),
        (["{k: len(k) for k in ('one', 'three')}"], "{'one': 3, 'three': 5}\n"),
        (["f'{2 / 3:.2f} {\"x\"!r}'"], "\"0.67 'x'\"\n"),
        (["print('a', 1, sep='-', end='!')"], "a-1!"),
        (["'Ab c'.upper().split()"], "['AB', 'C']\n"),
        (["import math", "math.sqrt(16), round(math.pi, 2)"], "(4.0, 3.14)\n"),
        (["x = 5", "x += 2", "x if x > 6 else 0"], "7\n"),
        (["1 < 2 <= 2 and not 3 in [1]"], "True\n"),
        (["'abcdef'[1:4:2]"], "'bd'\n"),
        (["None", ""], ""),
        (["round(1, -30000000), round(15, -1), round(2.567, 1), round(2.5)"], "(0, 20, 2.6, 2)\n"),
    ],
)
def test_lines_compute_as_in_python(lines: list[str], printed: str) -> None:
    interpreter = Interpreter()
    outcomes = [interpreter.run(line) for line in lines]
    assert ("".join(out for out, _ in outcomes), [error for _, error in outcomes if error]) == (printed, [])


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("y", "NameError: name 'y' is not defined"),
        ("1 +", "SyntaxError: invalid syntax"),
        ("open('x')", "NameError: name 'open' is not defined"),
        ("import os", "NotImplementedError"),
        ("__import__('os')", "NameError"),
        ("().__class__", "NotImplementedError"),
        ("''.__class__()", "AttributeError"),
        ("'{0.__class__}'.format(1)", "AttributeError"),
        ("def f(): pass", "NotImplementedError"),
        ("(lambda: 1)()", "NotImplementedError"),
        ("10 ** 10 ** 10", "OverflowError"),
        ("'a' * 10 ** 9", "MemoryError"),
        ("[0] * 10 ** 9", "MemoryError"),
        ("range(10 ** 9)", "MemoryError"),
        ("'%999999999d' % 1", "NotImplementedError"),
        ("[1 for a in range(999) for b in range(999)]", "TimeoutError"),
        ("f'{1:>99999999}'", "ValueError"),
        ("(" * 500 + ")" * 500, "Error"),
        ("sum([[1] * 9000] * 9000, [])", "MemoryError"),
        ("[[1] * 9000 for i in range(9000)]", "MemoryError"),
        ("[[1] * 9000] * 9000", "MemoryError"),
        ("str([[1] * 9000] * 9000)", "MemoryError"),
        ("[len('a'.join(['b' * 999] * 999)) for i in range(9000)]", "MemoryError"),
        ("[[0] * 9000 == [0] * 9000 for i in range(5000)]", "MemoryError"),
    ],
)
def test_what_leads_out_or_never_ends_is_refused(line: str, error: str) -> None:
    assert error in Interpreter().run(line)[1]


def test_a_script_shows_no_values() -> None:
    assert Interpreter().run("1 + 1", is_interactive=False) == ("", "")
