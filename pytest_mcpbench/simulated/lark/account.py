"""The account's user and the directory of people that it can look up."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_mcpbench.core.context import ContextTree, Path
from pytest_mcpbench.simulated.engine import Entities, ToolFailure
from pytest_mcpbench.simulated.lark.fields import nest

OPEN_ID = "open_id"
_UNKNOWN_USER = "99992351 The request you send is not a valid {{{kind}}} or not exists: {id}"
_INVALID_FIELDS = "99992402 field validation failed"
_NON_USER_FIELDS = ("calendars", "chats", "users", "scopes")
_MAX_LOOKUPS = 50

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class Account:
    """The account's user and directory, read from the part of the tree that belongs to the account."""

    tree: ContextTree
    prefix: str = ""
    """Path prefix of the account in the tree, ending in a dot; empty if the tree is the account itself."""
    other_paths: tuple[str, ...] = ()
    """Paths of other accounts in the tree, whose users are part of the directory too."""

    def entities(self, collection: str, missing: str) -> Entities:
        """Return one of the account's collections."""
        return Entities(self.tree, f"{self.prefix}{collection}", missing)

    @property
    def me(self) -> Fields:
        """The account's user."""
        return self._user_at(self.prefix)

    def find(self, emails: list[str], mobiles: list[str], id_type: str) -> dict[str, Any]:
        """Look up user ids by mail address and mobile number, in the order of the arguments; an unknown person gets no
        id.
        """
        if not (emails or mobiles) or max(len(emails), len(mobiles)) > _MAX_LOOKUPS:
            raise ToolFailure(_INVALID_FIELDS)
        people = list(self._directory())
        by_email = {str(each.get("email", "")).casefold(): each for each in people}
        by_mobile = {_digits(str(each.get("mobile", ""))): each for each in people}
        lookups = [("email", each, by_email.get(each.casefold())) for each in emails]
        lookups += [("mobile", each, by_mobile.get(_digits(each))) for each in mobiles]
        entries = [{**({"user_id": user[id_type]} if user else {}), key: value} for key, value, user in lookups]
        return {"user_list": entries}

    def profile(self, user_id: str, id_type: str) -> dict[str, Any]:
        """Return a person's directory entry."""
        user = nest(self.user(user_id, id_type))
        leader = user.get("leader_user_id")
        return {"user": {**user, "leader_user_id": self.convert_id(leader, id_type)} if leader else user}

    def user(self, user_id: str, id_type: str) -> Fields:
        """Return the person with the id of the specified type."""
        for each in self._directory():
            if user_id and each.get(id_type) == user_id:
                return each
        raise ToolFailure(_UNKNOWN_USER.format(kind=id_type, id=user_id))

    def convert_id(self, known_id: str, id_type: str) -> str:
        """Convert a person's id to another type; return it unchanged if the person is not in the directory."""
        users = (each for each in self._directory() if known_id in (each.get("user_id"), each.get(OPEN_ID)))
        return str(next(users, {}).get(id_type, known_id))

    def _directory(self) -> Iterator[Fields]:
        yield self.me
        yield from (self._user_at(f"{each}.") for each in self.other_paths)
        yield from (match.value for match in self.tree.matches(f"{self.prefix}users[*]"))

    def _user_at(self, prefix: str) -> Fields:
        (match,) = self.tree.matches(prefix.removesuffix(".") or Path())
        return {name: value for name, value in match.value.items() if name not in _NON_USER_FIELDS}


def _digits(mobile: str) -> str:
    """Return the digits of a number; the prefix +86 of mainland China is optional and therefore removed."""
    return mobile.replace("-", "").replace(" ", "").removeprefix("+86").removeprefix("+")
