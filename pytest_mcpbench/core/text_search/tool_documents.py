"""Documents about tools for a search index."""

import re

from pytest_mcpbench.core.text_search.bm25 import Field
from pytest_mcpbench.core.text_search.tokens import terms
from pytest_mcpbench.core.tool import ToolSpec

_NAME_WEIGHT, _FIRST_SENTENCE_WEIGHT, _DESCRIPTION_WEIGHT, _PARAMETERS_WEIGHT = 3.0, 2.0, 0.5, 0.3
"""Weights of a word by position: the first sentence states a tool's purpose, later ones mostly its exceptions."""
_SENTENCE_END = re.compile(r"[.!。]\s|\n\s*\n|。")


def tool_document(tool: ToolSpec) -> list[Field]:
    """Return the weighted terms of a tool's name, description and parameters."""
    parameters = [term for name in tool.properties for term in terms(name)]
    return [
        (terms(tool.tool), _NAME_WEIGHT),
        (terms(first_sentence(tool)), _FIRST_SENTENCE_WEIGHT),
        (terms(tool.description), _DESCRIPTION_WEIGHT),
        (parameters, _PARAMETERS_WEIGHT),
    ]


def first_sentence(tool: ToolSpec) -> str:
    """Return the first sentence of a tool's description."""
    return _SENTENCE_END.split(tool.description.strip(), maxsplit=1)[0]
