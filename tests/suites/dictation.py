"""Words by which a request dictates calls instead of saying what somebody wants."""

import re

ORDER = re.compile(
    r"先.+(再|然后|接着|最后)|依次|次序|[①-⑳]|[Ff]irst .+ then |\bin this order\b|after that|finally", re.DOTALL
)
"""Words with which a request says in which order things are looked up or done."""
QUOTATION = re.compile(r"[\"“”«»「」]")
QUOTED = re.compile(r"[\"“«「]([^\"”»」]+)[\"”»」]")
SELECTOR = re.compile(r"(?<![\w/])[#.][a-z][\w-]*")
"""Selector of CSS; names of channels (``#general``) and endings of files (``.csv``) look the same."""
COORDINATE = re.compile(r"-?\d{1,3}\.\d{3,}")
