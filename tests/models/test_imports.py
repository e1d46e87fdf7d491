import subprocess
import sys

import pytest

MODULES = (
    "pytest_mcpbench.models.factory",
    "pytest_mcpbench.agents.llm",
    "pytest_mcpbench.agents.replay",
    "pytest_mcpbench.core.prompt",
)
PROGRAM = """
import importlib, sys
importlib.import_module(sys.argv[1])
if sys.argv[1].endswith("names"):
    from pytest_mcpbench.models.factory import Models
    [Models({}).get(name) for name in ("claude", "gpt", "http://127.0.0.1:1/v1")]
print(sorted({"litellm", "mcp", "httpx2", "openai"} & set(sys.modules)))
"""


@pytest.mark.extra
@pytest.mark.parametrize("module", MODULES)
def test_naming_a_model_imports_neither_litellm_nor_mcp_nor_an_http_client(module: str) -> None:
    printed = subprocess.run([sys.executable, "-c", PROGRAM, module], capture_output=True, text=True, check=True)
    assert printed.stdout == "[]\n"
