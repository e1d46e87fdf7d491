"""Reproducible random samples."""

import random
from collections.abc import Iterable
from typing import TypeVar

Element = TypeVar("Element")


def draw_sample(pool: Iterable[Element], number: int, *, seed: int, key: str) -> tuple[Element, ...]:
    """Draw ``number`` elements of the pool, or all of them if there are fewer.

    Seed and key (a task's id) decide which. What is drawn for a smaller number is among what is drawn for a larger one,
    so that runs with 0, 5 and 10 distractors differ in nothing but the further ones.
    """
    order = list(pool)
    random.Random(f"{seed}/{key}").shuffle(order)
    return tuple(order[:number])
