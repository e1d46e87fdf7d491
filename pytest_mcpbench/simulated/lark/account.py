"""The account's user, and the people whom it can look up."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.context import ContextTree, Path
from pytest_mcpbench.simulated.engine import Entities, ToolFailure
from pytest_mcpbench.simulated.lark.fields import nested

OPEN_ID = "open_id"
_NO_USER = "99992351 The request you send is not a valid {{{kind}}} or not exists: {id}"
_BAD_FIELDS = "99992402 field validation failed"
_NOT_OF_THE_USER = ("calendars", "chats", "users", "scopes")
_MOST_AT_ONCE = 50

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class Account:
    """Who the user is and whom the directory knows, in the tree's part that belongs to the account."""

    tree: ContextTree
    at: str = ""
    """Path of the account's part, with a dot behind it; empty where that is the tree itself."""
    others: tuple[str, ...] = ()
    """Paths of other accounts, whose users are in the directory too."""

    def entities(self, collection: str, missing: str) -> Entities:
        """A collection of the account."""
        return Entities(self.tree, f"{self.at}{collection}", missing)

    @property
    def me(self) -> Fields:
        """The account's user."""
        return self._user_at(self.at)

    def find(self, emails: list[str], mobiles: list[str], id_type: str) -> dict[str, Any]:
        """The ids behind addresses and numbers, in their order; an unknown one has no id."""
        if not (emails or mobiles) or max(len(emails), len(mobiles)) > _MOST_AT_ONCE:
            raise ToolFailure(_BAD_FIELDS)
        people = list(self._directory())
        by_email = {str(each.get("email", "")).casefold(): each for each in people}
        by_mobile = {_digits(str(each.get("mobile", ""))): each for each in people}
        found = [("email", each, by_email.get(each.casefold())) for each in emails]
        found += [("mobile", each, by_mobile.get(_digits(each))) for each in mobiles]
        return {"user_list": [_found(key, value, user, id_type) for key, value, user in found]}

    def shown(self, user_id: str, id_type: str) -> dict[str, Any]:
        """One person as the directory shows people."""
        user = nested(self.user(user_id, id_type))
        leader = user.get("leader_user_id")
        return {"user": {**user, "leader_user_id": self.named(leader, id_type)} if leader else user}

    def user(self, user_id: str, id_type: str) -> Fields:
        """The person with an id of some type."""
        for each in self._directory():
            if user_id and each.get(id_type) == user_id:
                return each
        raise ToolFailure(_NO_USER.format(kind=id_type, id=user_id))

    def named(self, known_id: str, id_type: str) -> str:
        """A person's id of another type; where the directory lacks the person, the one that is known."""
        users = (each for each in self._directory() if known_id in (each.get("user_id"), each.get(OPEN_ID)))
        return str(next(users, {}).get(id_type, known_id))

    def _directory(self) -> Iterator[Fields]:
        yield self.me
        yield from (self._user_at(f"{each}.") for each in self.others)
        yield from (match.value for match in self.tree.matches(f"{self.at}users[*]"))

    def _user_at(self, at: str) -> Fields:
        (match,) = self.tree.matches(at.removesuffix(".") or Path())
        return {name: value for name, value in match.value.items() if name not in _NOT_OF_THE_USER}


def _found(key: str, value: str, user: Fields | None, id_type: str) -> dict[str, Any]:
    return {**({"user_id": user[id_type]} if user else {}), key: value}


def _digits(mobile: str) -> str:
    """The number without signs; those of the mainland need no prefix."""
    return mobile.replace("-", "").replace(" ", "").removeprefix("+86").removeprefix("+")
