"""Golden transcripts: each app answers every stored call exactly as before."""

import pytest

from tests.simulated.transcripts import NAMES, played_scenes, stored_scenes


@pytest.mark.parametrize("app", NAMES)
def test_the_answers_are_those_of_the_transcript(app: str) -> None:
    stored = stored_scenes(app)
    assert played_scenes(app, stored) == stored
