"""A mapping whose values are imported when they are looked up."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar

Value = TypeVar("Value")


class LazyMapping(Mapping[str, Value], Generic[Value]):
    """Name -> the object at ``package.module:attribute``; knows its names without importing anything."""

    def __init__(self, addresses: Mapping[str, str]) -> None:
        self._addresses = dict(addresses)

    def __getitem__(self, name: str) -> Value:
        module, _, attribute = self._addresses[name].partition(":")
        value: Value = getattr(import_module(module), attribute)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._addresses)

    def __len__(self) -> int:
        return len(self._addresses)
