"""Rendering of tracebacks beside threads that parse."""

import ast
import sys
from typing import Any

import pytest


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="threads disturb each other's parsing in Python 3.11 only")
def test_a_traceback_is_rendered_though_another_thread_has_disturbed_the_parsing(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse, faults = ast.parse, ["first", "second"]

    def disturbed(*arguments: Any, **named: Any) -> Any:
        if arguments[1:] == ("source", "exec") and faults:
            faults.pop()
            raise SystemError("AST constructor recursion depth mismatch (before=117, after=99)")
        return parse(*arguments, **named)

    monkeypatch.setattr(ast, "parse", disturbed)
    pytester.makepyfile("def test_failing(mcp_session): assert 1 == 2")
    result = pytester.runpytest_inprocess("--mcpbench-seed=1")
    assert faults == []
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*assert 1 == 2"])
