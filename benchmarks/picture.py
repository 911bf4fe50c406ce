"""The picture: what share of the targets each solver has solved within a time."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from chains import Array
from process import CCD, FABRIK, LOOPS, OURS
from rows import Results, of

TITLES = {"pos": "position, 1e-5 m", "pose": "pose, 1e-5 m and 1e-3 rad"}
# Where a loose line is drawn as well: the solver cannot be asked for more.
LOOSER = 0.02


def solved_within(results: Results, kind: str, solver: str, budgets: Array, *, strict: bool) -> Array:
    """Mean over the chains of the share solved within each budget [s], in percent."""
    lines = []
    for one in of(results, kind, solver).values():
        good = one.strict if strict else one.loose
        times = np.sort(one.seconds[good])
        lines.append(np.searchsorted(times, budgets, side="right") / good.size)
    return 100.0 * np.mean(lines, axis=0)


def draw(results: Results, file: Path) -> None:
    """One panel a set, one line a solver."""
    kinds = [kind for kind in TITLES if of(results, kind, OURS)]
    if not kinds:
        return
    budgets = np.geomspace(1e-5, 0.1, 400)
    figure, axes = plt.subplots(1, len(kinds), figsize=(6.2 * len(kinds), 4.6), sharey=True, squeeze=False)
    colours = plt.get_cmap("tab10")
    solvers = [s for s in dict.fromkeys(key[2] for key in results) if s not in (CCD, FABRIK)]
    for axis, kind in zip(axes[0], kinds, strict=True):
        for number, solver in enumerate(solvers):
            if not of(results, kind, solver):
                continue
            style = {"color": colours(number), "linewidth": 2.6 if solver == OURS else 1.6}
            if solver == LOOPS:
                style["linewidth"] = 1.0
            strict = solved_within(results, kind, solver, budgets, strict=True)
            axis.plot(1e3 * budgets, strict, label=solver, **style)
            loose = solved_within(results, kind, solver, budgets, strict=False)
            if loose[-1] - strict[-1] > 100.0 * LOOSER:
                axis.plot(1e3 * budgets, loose, linestyle=":", **style)
        axis.set_xscale("log")
        axis.set_xticks([0.01, 0.1, 1.0, 10.0, 100.0], ["0.01", "0.1", "1", "10", "100"])
        axis.set_xlim(0.01, 100.0)
        axis.set_ylim(0.0, 101.0)
        axis.set_xlabel("time for one target, ms")
        axis.set_title(f"One target, {TITLES[kind]}")
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel("targets solved, % (mean of the chains)")
    handles = {}
    for axis in axes[0]:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    handles["dotted: to 0.1 % of the reach"] = plt.Line2D([], [], color="grey", linestyle=":")
    figure.legend(handles.values(), handles.keys(), loc="lower center", ncols=4, frameon=False)
    figure.tight_layout(rect=(0.0, 0.12, 1.0, 1.0))
    figure.savefig(file, dpi=110)
    plt.close(figure)
