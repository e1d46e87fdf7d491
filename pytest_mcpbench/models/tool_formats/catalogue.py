"""Formats of text by name."""

from collections.abc import Mapping

from pytest_mcpbench.models.tool_formats.json_format import JsonFormat
from pytest_mcpbench.models.tool_formats.react_format import ReactFormat
from pytest_mcpbench.models.tool_formats.tool_format import TextFormat

TEXT_FORMATS: Mapping[str, TextFormat] = {"json": JsonFormat(), "react": ReactFormat()}
