"""Names of local models: ``local``, ``local:PATH.gguf``, and ``local:SERVER`` or ``local:SERVER/MODEL``."""

from dataclasses import dataclass
from pathlib import Path

from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.model_names import LOCAL, LOCAL_PREFIX
from pytest_mcpbench.runtime.local_model.running_servers import SERVER_KINDS
from pytest_mcpbench.runtime.local_model.weights import QWEN

_GGUF = ".gguf"


@dataclass(frozen=True)
class LocalName:
    """Parts of a name; without any, the package chooses."""

    weights: bool = False
    """True for the weights that ``mcpbench fetch local`` gets."""
    path: Path | None = None
    server: str | None = None
    """Key of :data:`SERVER_KINDS`."""
    model: str | None = None
    """Name of a model of the server."""


def parse_name(name: str) -> LocalName:
    """Return the parts of a name.

    Raises:
        UsageError: the name is none of the forms.
    """
    rest = name.removeprefix(LOCAL_PREFIX)
    if name == LOCAL:
        return LocalName()
    if rest == QWEN.name:
        return LocalName(weights=True)
    if rest.lower().endswith(_GGUF):
        return LocalName(path=Path(rest).expanduser())
    server, _, model = rest.partition("/")
    if server in SERVER_KINDS:
        return LocalName(server=server, model=model or None)
    servers = ", ".join(f"local:{kind}" for kind in SERVER_KINDS)
    raise UsageError(
        f"no local model is called {name!r}; there are: {LOCAL}, {LOCAL_PREFIX}{QWEN.name}, {LOCAL_PREFIX}PATH.gguf, "
        f"and {servers}, each with /MODEL if it has several"
    )
