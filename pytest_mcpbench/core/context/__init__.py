"""Context trees: the state of a world as JSON, addressed by paths, with a journal and an exact diff.

>>> tree = ContextTree.of({"calendars": {"c1": {"primary": True, "events": {}}}})
>>> before = tree.fork()
>>> tree.create("calendars[primary].events", {"summary": "Review"}, id="e1")
'e1'
>>> [change.path for change in tree.diff_from(before)]
['calendars[c1].events[e1]']
"""

from pytest_mcpbench.core.context.journal import ABSENT, TreeEdit, copy_json, field_value, has_fields, json_equal
from pytest_mcpbench.core.context.path import Path, PathSyntaxError, Segment
from pytest_mcpbench.core.context.shape import Collection, Match, NotFoundError, Shape
from pytest_mcpbench.core.context.tree import ConflictError, ContextTree, DanglingReferenceError

__all__ = [
    "ABSENT",
    "Collection",
    "ConflictError",
    "ContextTree",
    "DanglingReferenceError",
    "Match",
    "NotFoundError",
    "Path",
    "PathSyntaxError",
    "Segment",
    "Shape",
    "TreeEdit",
    "copy_json",
    "field_value",
    "has_fields",
    "json_equal",
]
