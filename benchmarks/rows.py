"""The rows of the table that the solver is held to: work, share solved per chain, time against others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from judge import LEAST_EXCESS
from measured import Measured, geometric_mean, lowest, mean, share, spread, time_ratio
from process import BLENDER, CCD, FABRIK, LOOPS, OURS, TOOLBOX, TRACIK

Results = dict[tuple[str, str, str], Measured]
Figure = Callable[[Measured], float]

# A budget of so many median times of roboticstoolbox on all poses of the run.
BUDGETS = 25
# Paths that may jump: these chains have little room.
JUMPS, JUMPS_OF = 0.02, {"so100": 0.12, "talos_arm": 0.04}


@dataclass(frozen=True)
class Row:
    """One line.

    Attributes:
        work: what is done.
        asked, found: the line and what came out, as text.
        holds: whether it is met; None where it could not be measured.
        chains: what came out for each chain, in percent.
        n: targets a chain; the fewest where they differ.
    """

    work: str
    asked: str
    found: str
    holds: bool | None
    chains: dict[str, float]
    n: int


def of(results: Results, kind: str, solver: str) -> dict[str, Measured]:
    """By chain."""
    return {chain: one for (k, chain, s), one in results.items() if (k, s) == (kind, solver)}


def pairs(results: Results, kind: str, solver: str, other: str) -> list[tuple[Measured, Measured]]:
    """Both on every chain that both can do."""
    first, second = of(results, kind, solver), of(results, kind, other)
    return [(one, second[chain]) for chain, one in first.items() if chain in second]


def percent(value: float) -> str:
    """With the digits that tell a thousand targets apart."""
    return f"{100.0 * value:.2f} %"


def shares_row(
    work: str,
    measured: dict[str, Measured],
    figure: Figure,
    least: float | dict[str, float],
    least_mean: float | None = None,
    times: Sequence[tuple[str, float, list[tuple[Measured, Measured]]]] = (),
) -> Row:
    """A share that every chain must come to, one that their mean must, and times against others."""
    shares = {chain: figure(one) for chain, one in measured.items()}
    if not shares:
        return Row(work, "", "not measured", None, {}, 0)
    worst, value = lowest(shares)
    asked = [f"≥ {100 * least:g} % every chain"]
    found = [f"{percent(value)} ({worst})"]
    holds = [value >= least]
    if least_mean is not None:
        asked.append(f"mean ≥ {100 * least_mean:g} %")
        found.append(f"mean {percent(mean(shares))}")
        holds.append(mean(shares) >= least_mean)
    for name, limit, both in times:
        asked.append(f"time ≤ {limit:g} × {name}")
        if not both:
            found.append(f"{name} not there")
            continue
        ratio, (low, high) = time_ratio(both), spread(both)
        found.append(f"{ratio:.2f} × {name} ({low:.2f} to {high:.2f})")
        holds.append(ratio <= limit)
    n = min(one.seconds.shape[1] for one in measured.values())
    return Row(work, ", ".join(asked), ", ".join(found), all(holds), {c: 100 * v for c, v in shares.items()}, n)


def budget(results: Results) -> float:
    """25 times the median time of roboticstoolbox over all poses of the run [s]; not a number without it."""
    times = [one.seconds.ravel() for one in of(results, "pose", TOOLBOX).values()]
    return BUDGETS * float(np.median(np.concatenate(times))) if times else math.nan


def jumps_row(results: Results) -> Row:
    """Share of paths with a jump."""
    measured = of(results, "drag", OURS)
    shares = {chain: share(one.jumps) for chain, one in measured.items()}
    over = {chain: value - JUMPS_OF.get(chain, JUMPS) for chain, value in shares.items()}
    exceptions = ", ".join(f"{chain} ≤ {100 * value:g} %" for chain, value in JUMPS_OF.items())
    asked = f"≤ {100 * JUMPS:g} % ({exceptions})"
    if not shares:
        return Row("drag paths with a joint jump > 0.5 rad", asked, "not measured", None, {}, 0)
    worst = max(over, key=lambda chain: over[chain])
    n = max(one.jumps.shape[1] for one in measured.values())
    found = f"{percent(shares[worst])} ({worst}), " + ", ".join(
        f"{chain} {percent(shares[chain])}" for chain in JUMPS_OF if chain in shares and chain != worst
    )
    return Row(
        "drag paths with a joint jump > 0.5 rad",
        asked,
        found.rstrip(", "),
        max(over.values()) <= 1e-12,
        {chain: 100 * value for chain, value in shares.items()},
        n,
    )


def batch_row(results: Results) -> Row:
    """Batches against a loop, by whole time."""
    work = "batch, strict, against a loop over roboticstoolbox"
    asked = "≥ 99.9 % every set, time ≤ 0.35 ×, no set above 0.75 ×"
    shares, ratios, n = {}, {}, 0
    for kind in ("pos", "pose"):
        others = of(results, f"batch {kind}", TOOLBOX)
        for chain, one in of(results, f"batch {kind}", OURS).items():
            shares[f"{chain} {kind}"] = share(one.strict)
            n = max(n, one.strict.shape[1])
            if chain in others:
                ratios[f"{chain} {kind}"] = one.median / others[chain].median
    if not shares:
        return Row(work, asked, "not measured", None, {}, 0)
    worst, value = lowest(shares)
    found = f"{percent(value)} ({worst}), mean {percent(mean(shares))}"
    holds = value >= 0.999
    if ratios:
        slowest = max(ratios, key=lambda each: ratios[each])
        whole = geometric_mean(ratios.values())
        found += f", {whole:.2f} × the loop, at most {ratios[slowest]:.2f} × ({slowest})"
        holds = holds and whole <= 0.35 and ratios[slowest] <= 0.75
    return Row(work, asked, found, holds, {name: 100 * each for name, each in shares.items()}, n)


def limits_row(results: Results) -> Row:
    """Everything of ours, of any method on any set."""
    ours = {key: one for key, one in results.items() if key[2].startswith(OURS)}
    work, asked = "unknowns outside their limits, any method, any set", "none, to 1e-12"
    if not ours:
        return Row(work, asked, "not measured", None, {}, 0)
    worst = max(ours, key=lambda key: ours[key].excess)
    excess = max(0.0, ours[worst].excess)
    found = "none" if excess == 0.0 else f"{excess:.1e} ({' '.join(worst)})"
    return Row(work, asked, found, excess <= LEAST_EXCESS, {}, sum(one.seconds.size for one in ours.values()))


def rows(results: Results) -> list[Row]:
    """All lines, in the order of the requirement."""

    def strict(one: Measured) -> float:
        return share(one.strict)

    def loose(one: Measured) -> float:
        return share(one.loose)

    def against(kind: str, *limits: tuple[str, float]) -> list[tuple[str, float, list[tuple[Measured, Measured]]]]:
        return [(name, limit, pairs(results, kind, OURS, name)) for name, limit in limits]

    seconds = budget(results)
    named = ("panda", "ur5", "iiwa", "talos_leg")
    reaching = {chain: one for chain, one in of(results, "pos", FABRIK).items() if chain in named}
    out = [
        shares_row(
            "one-shot position, strict (1e-5 m)",
            of(results, "pos", OURS),
            strict,
            0.998,
            0.9995,
            against("pos", (BLENDER, 1.0), (TOOLBOX, 2.2)),
        ),
        shares_row(
            "one-shot pose, strict (1e-5 m, 1e-3 rad)",
            of(results, "pose", OURS),
            strict,
            0.995,
            0.999,
            against("pose", (BLENDER, 0.5), (TRACIK, 0.5)),
        ),
    ]
    if seconds == seconds:
        title = f"pose within {BUDGETS} × the run's median time of roboticstoolbox ({1e3 * seconds:.2f} ms)"
        out.append(shares_row(title, of(results, "pose", OURS), lambda one: one.within(seconds), 0.97))
    out += [
        shares_row(
            "drag, each frame warm-started, loose",
            of(results, "drag", OURS),
            loose,
            0.995,
            0.999,
            against("drag", (BLENDER, 0.6)),
        ),
        jumps_row(results),
        shares_row(
            "out of reach, within 1e-3 reach of the best known",
            of(results, "unreach", OURS),
            lambda one: share(one.near),
            0.88,
            0.94,
        ),
        batch_row(results),
        shares_row("CCD, position loose, 200 sweeps", of(results, "pos", CCD), loose, 0.92, 0.96),
        shares_row("constrained FABRIK, position loose, 200 sweeps", reaching, loose, 0.88),
        limits_row(results),
    ]
    return out


def written_out(results: Results) -> list[tuple[str, float, float, float]]:
    """What code written out for a chain buys: set, time of the loops to it, least and largest of the repeats."""
    found = []
    for kind in ("pos", "pose", "drag"):
        both = pairs(results, kind, LOOPS, OURS)
        if both:
            found.append((kind, time_ratio(both), *spread(both)))
    return found
