"""Context trees: the state of a world as JSON, addressed by paths, with a journal and an exact diff.

>>> tree = ContextTree.of({"calendars": {"c1": {"primary": True, "events": {}}}})
>>> before = tree.fork()
>>> tree.create("calendars[primary].events", {"summary": "Review"}, id="e1")
'e1'
>>> [change.path for change in tree.diff_from(before)]
['calendars[c1].events[e1]']
"""

from pytest_mcpbench.core.context.journal import ABSENT, Edit
from pytest_mcpbench.core.context.path import Path, PathSyntaxError, Segment
from pytest_mcpbench.core.context.resolution import Match, NotFoundError
from pytest_mcpbench.core.context.shape import Collection, Shape
from pytest_mcpbench.core.context.tree import ConflictError, ContextTree, DanglingReferenceError
from pytest_mcpbench.core.context.values import copy_json, field_value, has_fields, json_equal

__all__ = [
    "ABSENT",
    "Collection",
    "ConflictError",
    "ContextTree",
    "DanglingReferenceError",
    "Edit",
    "Match",
    "NotFoundError",
    "Path",
    "PathSyntaxError",
    "Segment",
    "Shape",
    "copy_json",
    "field_value",
    "has_fields",
    "json_equal",
]
