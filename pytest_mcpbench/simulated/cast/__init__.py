"""The people, teams, projects, meetings and talk of the personal worlds: the same in every app.

An app builds its seed from ``CAST``, so that whom an agent meets in one app it finds in the others::

    from pytest_mcpbench.simulated.cast import CAST, NOW, talk

    def seed() -> dict[str, Any]:
        members = {each.slack_id: {"id": each.slack_id, "email": each.email} for each in CAST.colleagues}
        ...

* ``CAST.me`` is the user to whom the accounts belong; ``CAST.manager(CAST.me)`` is "my supervisor".
* ``CAST.people`` are all: ``CAST.colleagues`` (with a team), ``CAST.friends``, ``CAST.family`` and ``CAST.clients``.
  ``CAST.person("mei.zhao")`` finds one by key; ``CAST.teams`` and ``CAST.projects`` name their people by key.
* A person's ids in the common apps are properties (``lark_open_id``, ``slack_id``, ``email``, …). An app without one
  makes its own from ``person.ids("notion").uuid()``: the n-th id depends only on the person and the app's name. The
  same goes for what belongs to no person: ``CAST.ids("slack/channels")``.
* ``CAST.meetings`` are in calendars, notes and chats alike. Times are aware, in UTC; everything is grouped around
  ``NOW``, the frozen clock of a task that sets none.
* :mod:`~pytest_mcpbench.simulated.cast.letters` has the user's mail, at work and private.
* ``talk(subject, people, ids=…, count=…)`` are lines of a conversation, the oldest first, none after ``NOW``.

Whatever an app writes about a project (a page, a note, a post) takes its facts from the project: name, due date, lead,
status, budget. Mail addresses end in ``.example``, and nobody has the telephone numbers.
"""

from pytest_mcpbench.core.sandbox import DEFAULT_NOW as NOW
from pytest_mcpbench.simulated.cast.cast import CAST, Cast
from pytest_mcpbench.simulated.cast.people import Person
from pytest_mcpbench.simulated.cast.talk import Line, talk
from pytest_mcpbench.simulated.cast.work import Meeting, Project, Team

__all__ = ["CAST", "NOW", "Cast", "Line", "Meeting", "Person", "Project", "Team", "talk"]
