"""When the package mcp is imported, and what that leaves behind."""

import pytest

CHECKS = """
    import gc, sys
    from pydantic import BaseModel

    def pytest_runtest_setup():
        assert gc.isenabled()
        assert ("mcp" in sys.modules) == {has_mcp}
        assert "defer_build" not in BaseModel.model_config

        class Own(BaseModel):
            value: int

        assert Own.__pydantic_complete__
"""
SERVER = """
    from mcp.server import MCPServer

    def server():
        own = MCPServer("shop")

        @own.tool()
        def look_up(key: str) -> str:
            "Look up a key."
            return "value of " + key

        return own
"""


@pytest.mark.parametrize(
    ("has_server", "options", "has_mcp"),
    [
        pytest.param(True, (), True, id="a server"),
        pytest.param(False, (), False, id="no server"),
        # The attempts of all workers run in one process, which is none of them.
        pytest.param(True, ("-n", "2", "--mcpbench-engine=shared"), False, id="attempts elsewhere"),
    ],
)
def test_mcp_is_imported_before_the_first_attempt_that_needs_a_server_here(
    pytester: pytest.Pytester, options: tuple[str, ...], *, has_server: bool, has_mcp: bool
) -> None:
    pytester.makeconftest(CHECKS.format(has_mcp=has_mcp))
    pytester.makepyfile(shop=SERVER)
    task = "calls: [{tool: look_up, arguments: {key: k}}]" if has_server else "answer: here"
    pytester.makefile(".yaml", tasks=f"tasks:\n- {{id: a, ask: Find it., {task}}}\n")
    servers = '[servers.shop]\nfactory = "shop:server"\n' if has_server else ""
    pytester.path.joinpath("suite.toml").write_text(f'files = ["tasks.yaml"]\n{servers}')
    result = pytester.runpytest_subprocess("--suite=suite.toml", "--model=oracle", "-p", "no:cacheprovider", *options)
    result.assert_outcomes(passed=1)
