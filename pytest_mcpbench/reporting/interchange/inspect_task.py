"""A suite as a task of Inspect: the text of its module, and the dataset that stands beside it."""

import json
import re
from collections.abc import Iterable, Iterator

from pytest_mcpbench.core.reference_lines import reference_lines
from pytest_mcpbench.core.task import Task

_MODULE = '''\
"""Suite {name} of pytest-mcpbench: `inspect eval {identifier}.py --model PROVIDER/MODEL`."""

from inspect_ai import Task, task
from pytest_mcpbench.attempt.inspect_task import suite_task


@task(name="{name}")
def {identifier}(judge: str = "", user: str = "") -> Task:
    return suite_task(__file__, suite="{suite}", root="{root}", judge=judge, user=user)
'''


def identifier_of(name: str) -> str:
    """Return the name of the module, and of its function."""
    return "suite_" + re.sub(r"\W", "_", name)


def module_text(name: str, *, suite: str, root: str) -> str:
    """Return the module of a suite.

    Args:
        name: Name of the suite.
        suite: The same if the suite is installed, or else its path relative to the module.
        root: Root of the project, relative to the module.
    """
    return _MODULE.format(name=name, identifier=identifier_of(name), suite=suite, root=root)


def dataset_lines(tasks: Iterable[Task]) -> Iterator[str]:
    """Yield a sample for each task; the hash tells whether the suite still has the task that was exported."""
    for task in tasks:
        sample = {
            "id": task.id,
            "input": task.turns[0].user,
            "target": list(reference_lines(task)),
            "metadata": {"hash": task.hash, **{f"tag:{name}": value for name, value in task.tags.items()}},
        }
        yield json.dumps(sample, ensure_ascii=False) + "\n"
