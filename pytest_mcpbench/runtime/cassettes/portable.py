"""Values as they are written on a tape: without secrets, and without the path of the attempt's scratch directory."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

Value = TypeVar("Value")

_PLACEHOLDER = "{mcpbench:sandbox}"


@dataclass(frozen=True)
class PortableForm:
    """Conversion of values between their form in an attempt and the one on a tape, which is the same in every run."""

    sandbox: Path
    remove_secrets: Callable[[str], str]
    """Function that returns a text, such as JSON, without the secrets in it."""

    def of(self, adapter: TypeAdapter[Value], value: Value) -> Value:
        """Return the value with a placeholder for the path, and without secrets."""
        content = adapter.dump_json(value).decode()
        portable = self.remove_secrets(content.replace(str(self.sandbox), _PLACEHOLDER))
        return value if portable == content else adapter.validate_json(portable)

    def restore(self, adapter: TypeAdapter[Value], value: Value) -> Value:
        """Return the value with the path of this attempt in place of the placeholder."""
        content = adapter.dump_json(value).decode()
        restored = content.replace(_PLACEHOLDER, str(self.sandbox))
        return value if restored == content else adapter.validate_json(restored)
