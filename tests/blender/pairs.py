"""Pairwise covering arrays: few cases in which every two choices of different questions meet."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from typing import Any


def pairwise(questions: Mapping[str, Sequence[Any]], seed: int = 1) -> list[dict[str, Any]]:
    """Cases, each with an answer to every question, such that all pairs of answers occur.

    A greedy cover: each case takes a pair that is still missing, and then, question by question in an order drawn
    anew, the answer that covers most of the missing pairs.
    """
    draw = random.Random(seed)
    names = list(questions)
    missing = {
        ((a, i), (b, j))
        for a, b in itertools.combinations(names, 2)
        for i in range(len(questions[a]))
        for j in range(len(questions[b]))
    }
    place = {name: i for i, name in enumerate(names)}

    def pair(a: tuple[str, int], b: tuple[str, int]) -> tuple[tuple[str, int], tuple[str, int]]:
        return (a, b) if place[a[0]] < place[b[0]] else (b, a)

    cases = []
    while missing:
        first = min(missing, key=lambda two: (place[two[0][0]], place[two[1][0]], two[0][1], two[1][1]))
        chosen = dict(first)
        rest = [name for name in names if name not in chosen]
        draw.shuffle(rest)
        for name in rest:
            gains = [
                sum(pair((name, i), other) in missing for other in chosen.items()) for i in range(len(questions[name]))
            ]
            best = max(gains)
            chosen[name] = draw.choice([i for i, gain in enumerate(gains) if gain == best])
        missing -= {pair(a, b) for a, b in itertools.combinations(chosen.items(), 2)}
        cases.append({name: questions[name][chosen[name]] for name in names})
    return cases
