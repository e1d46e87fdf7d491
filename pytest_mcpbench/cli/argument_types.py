"""Types of command-line arguments."""

import argparse


def positive(text: str) -> int:
    """Return a whole number from 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return number
