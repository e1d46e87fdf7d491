"""Splitting of texts with numbered steps: ``Step 1: … Step 2: …``, in English or Chinese."""

import re

_STEP = re.compile(r"(?<!\w)(?:step\s*(\d+)|第\s*(\d+)\s*步|步骤\s*(\d+))\s*[:.：]", re.IGNORECASE)
_BEFORE_MARKER = re.compile(r"(?:^|\n)[ \t…*#>-]*$")


def split_steps(text: str) -> tuple[str, ...]:
    """Return the numbered steps; a text with fewer than two is returned as one.

    A marker begins a step where its number is the next one, or where it begins a line and its number is greater than
    the last (shortened records leave steps out), so that a mention of an earlier step does not split one.
    """
    starts: list[re.Match[str]] = []
    last = 0
    for marker in _STEP.finditer(text):
        number = int(marker[1] or marker[2] or marker[3])
        if number == last + 1 or (starts and number > last and _BEFORE_MARKER.search(text, 0, marker.start())):
            starts.append(marker)
            last = number
    if len(starts) < 2:
        return (text,)
    ends = [*(marker.start() for marker in starts[1:]), len(text)]
    parts = (text[start.end() : end].rstrip(" \n\t…*#>-").strip() for start, end in zip(starts, ends, strict=True))
    return tuple(part for part in parts if part)
