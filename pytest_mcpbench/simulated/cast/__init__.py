"""The people, teams, projects, meetings and conversations of the personal worlds, shared by all apps.

An app builds its seed from ``CAST``, so that an agent finds the same people in every app::

    from pytest_mcpbench.simulated.cast import CAST, NOW, talk

    def seed() -> dict[str, Any]:
        members = {each.slack_id: {"id": each.slack_id, "email": each.email} for each in CAST.colleagues}
        ...

* ``CAST.me`` is the user who owns the accounts; ``CAST.manager(CAST.me)`` is "my supervisor".
* ``CAST.people`` contains everyone: ``CAST.colleagues`` (people with a team), ``CAST.friends``, ``CAST.family`` and
  ``CAST.clients``. ``CAST.person("mei.zhao")`` looks up a person by key; ``CAST.teams`` and ``CAST.projects`` refer to
  people by key.
* A person's ids in the common apps are properties (``lark_open_id``, ``slack_id``, ``email``, …). Any other app
  generates ids with ``person.ids("notion").uuid()``: the n-th id depends only on the person and the app's name. Ids
  that belong to no person come from ``CAST.ids("slack/channels")``, which works the same way.
* ``CAST.meetings`` appear in calendars, notes and chats. Times are timezone-aware and in UTC, and lie around ``NOW``,
  the frozen clock of a task that does not set one.
* :mod:`~pytest_mcpbench.simulated.cast.letters` contains the user's work mail and private mail.
* ``talk(subject, people, ids=…, count=…)`` generates the lines of a conversation, oldest first and none after ``NOW``.

A page, note or post about a project takes its facts (name, due date, lead, status, budget) from the project. Mail
addresses end in ``.example``, and the telephone numbers are not assigned to anyone.

The *personal worlds* are the simulated apps (mail, chat, calendar, notes and social media) of one fictional user, whose
accounts and contacts are consistent with each other.
"""

from pytest_mcpbench.core.sandbox import DEFAULT_NOW as NOW
from pytest_mcpbench.simulated.cast.cast import CAST, Cast
from pytest_mcpbench.simulated.cast.people import Person
from pytest_mcpbench.simulated.cast.talk import Line, talk
from pytest_mcpbench.simulated.cast.work import Meeting, Project, Team

__all__ = ["CAST", "NOW", "Cast", "Line", "Meeting", "Person", "Project", "Team", "talk"]
