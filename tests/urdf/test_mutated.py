"""Broken descriptions are refused in our own words, or read: never anything else. More of them: see mutated.py."""

from __future__ import annotations

import random

import pytest

from urdf import mutated


@pytest.mark.parametrize("seed", range(4))
def test_changed_descriptions_are_read_or_refused(robots, tmp_path, seed):
    files = sorted((robots / "newton_urdf_tests" / "tests_data").glob("*.urdf"))
    file = tmp_path / "robot.urdf"
    seen = set()
    for _, data in mutated.mutated(files, 50, seed):
        file.write_bytes(data)
        seen.add(mutated.outcome(file))
    assert seen == {"read", "warned", "refused"}


def test_a_seed_gives_the_same_files_again(robots):
    files = sorted((robots / "newton_urdf_tests" / "tests_data").glob("*.urdf"))
    assert mutated.mutated(files, 20, 3) == mutated.mutated(files, 20, 3)
    random.seed(99)
    assert mutated.mutated(files, 20, 3) == mutated.mutated(files, 20, 3)
    assert mutated.mutated(files, 20, 3) != mutated.mutated(files, 20, 4)
