"""The operations of the calculator; each returns a value or the reason why there is none."""

import ctypes
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import sympy

from pytest_mcpbench.simulated.math.bounds import MAX_DIGITS, TooLargeError
from pytest_mcpbench.simulated.math.expression import ExpressionError, parse_expression, variable

# A limit on the processor time of one computation in the current thread.

SECONDS: Final = 5.0
"""Processor seconds that one computation may take; time spent waiting for other processes does not count."""


class WorkLimitError(BaseException):
    """Error for an exceeded time limit. Not an ``Exception``, because SymPy catches those and tries another method."""


@contextmanager
def work_limit(seconds: float = SECONDS) -> Iterator[None]:
    """Raise :class:`WorkLimitError` in the block once this thread has computed for ``seconds``.

    Merely abandoning a computation after a deadline would leave it running in the background, and signals reach only
    the main thread. The error is raised between two Python instructions, so the cost of a single instruction has to be
    bounded elsewhere (see ``bounds``).
    """
    watch = _Watchdog(threading.get_ident(), seconds)
    watch.start()
    try:
        yield
    finally:
        watch.end()


class _Watchdog(threading.Thread):
    """A thread that watches the processor time of another thread until it is told to end."""

    def __init__(self, thread_id: int, seconds: float) -> None:
        super().__init__(name="mcpbench-work-limit", daemon=True)
        self._thread_id = thread_id
        # The thread's processor clock or, where the system has none (macOS, Windows), the monotonic clock.
        if sys.platform == "win32" or not hasattr(time, "pthread_getcpuclockid"):
            self._now: Callable[[], float] = time.monotonic
        else:
            clock = time.pthread_getcpuclockid(thread_id)
            self._now = lambda: time.clock_gettime(clock)
        self._deadline = self._now() + seconds
        self._done = threading.Event()
        self._lock = threading.Lock()

    def run(self) -> None:
        while (remaining := self._deadline - self._now()) > 0:
            if self._done.wait(max(remaining, 0.05)):
                return
        with self._lock:
            if not self._done.is_set():
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._thread_id), ctypes.py_object(WorkLimitError)
                )

    def end(self) -> None:
        with self._lock:
            self._done.set()


Answer = dict[str, Any]
"""``{"result": …}`` or ``{"solutions": …}``, or ``{"error": …}``."""


def calculate(expression: str) -> Answer:
    """Evaluate an expression to a number if possible, else to its text.

    ``exact`` is added if the decimal of an expression without decimals is only approximate.
    """
    return _answer(lambda: _result(parse_expression(expression), is_exact="." not in expression))


def solve_equation(equation: str) -> Answer:
    """Return all solutions for ``x`` as the text of a list; ``decimals`` is added if one of them is irrational."""
    return _answer(lambda: _solutions(equation))


def differentiate(expression: str, by: str = "x") -> Answer:
    """Return the derivative, as text."""
    return _answer(lambda: {"result": str(_differentiable(parse_expression(expression)).diff(variable(by)))})


def integrate(expression: str, by: str = "x") -> Answer:
    """Return an antiderivative without its constant, as text."""
    return _answer(lambda: {"result": _antiderivative(parse_expression(expression), variable(by))})


def _answer(compute: Callable[[], Answer]) -> Answer:
    try:
        with work_limit():
            return compute()
    except WorkLimitError:
        return {"error": "the computation takes too long; try a simpler expression"}
    except RecursionError:
        return {"error": "the expression is nested too deeply"}
    except NotImplementedError:
        return {"error": "no method is known here for this expression"}
    except (ArithmeticError, TypeError, ValueError, AttributeError) as error:
        return {"error": str(error) or type(error).__name__}


def _result(value: Any, *, is_exact: bool) -> Answer:
    if isinstance(value, sympy.Expr) and value.is_number:
        return _number(value, is_exact=is_exact)
    if isinstance(value, sympy.MatrixBase):
        return {"result": str(value.tolist())}
    if isinstance(value, sympy.Tuple):
        return {"result": str(list(value))}
    return {"result": str(value)}


def _number(value: sympy.Expr, *, is_exact: bool) -> Answer:
    if value.is_finite is False or value is sympy.nan:
        raise ZeroDivisionError("the value is not a finite number")
    if isinstance(value, sympy.Integer):
        if int(value).bit_length() * 0.30103 > MAX_DIGITS:
            raise TooLargeError(f"the result has more than {MAX_DIGITS:,} digits")
        return {"result": int(value)}
    decimal = value.evalf(30)
    if not decimal.is_real:
        return {"result": str(sympy.nsimplify(value) if is_exact else value.evalf(15))}
    number = float(decimal)
    if number in (float("inf"), float("-inf")) or number != number:
        raise TooLargeError("the result is too large for a decimal number")
    if not is_exact or value.is_Float or value == sympy.Rational(repr(number)):
        return {"result": number}
    return {"result": number, "exact": str(value)}


def _solutions(equation: str) -> Answer:
    sides = equation.replace("==", "=").split("=")
    if len(sides) != 2:
        raise ExpressionError("an equation has exactly one equality sign: '<left side> = <right side>'")
    x = sympy.Symbol("x")
    difference = parse_expression(sides[0]) - parse_expression(sides[1])
    if not difference.has(x):
        raise ExpressionError("the equation has no x to solve for")
    try:
        roots = list(sympy.solve(difference, x))
    except NotImplementedError:
        # SymPy only solves absolute values if the unknown is known to be real.
        real = sympy.Symbol("x", real=True)
        roots = list(sympy.solve(difference.subs(x, real), real))
    if not all(value.is_number for value in roots) or all(value.is_Rational for value in roots):
        decimals = {}
    else:
        decimals = {"decimals": str([value.evalf(12, chop=True) for value in roots])}
    return {"solutions": str(roots), **decimals}


def _differentiable(value: Any) -> sympy.Expr:
    if not isinstance(value, sympy.Expr) or isinstance(value, sympy.MatrixBase):
        raise ExpressionError("a list or matrix has no derivative or antiderivative here")
    return value


def _antiderivative(value: Any, by: sympy.Symbol) -> str:
    result = sympy.integrate(_differentiable(value), by)
    if result.has(sympy.Integral):
        raise ExpressionError("no antiderivative of this expression is known here")
    return str(result)
