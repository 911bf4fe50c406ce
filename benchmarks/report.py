"""Tables on the terminal, as Markdown and as JSON, and the picture."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any

import picture
from measured import geometric_mean, lowest, mean, share, spread, time_ratio
from process import OURS, TOOLBOX
from rows import Results, of, pairs, percent, rows, written_out

if TYPE_CHECKING:
    from run import Run

SETS = {
    "pos": "One-shot, position",
    "pose": "One-shot, pose",
    "drag": "Drag, each frame from the one before",
    "unreach": "Out of reach",
    "batch pos": "Batch, position",
    "batch pose": "Batch, pose",
}
# What stands above the tables.
INTRO = Path(__file__).with_name("page.md")


def table(head: list[str], lines: list[list[str]]) -> str:
    """Markdown whose columns also line up on a terminal."""
    cells = [head, *lines]
    widths = [max(len(line[i]) for line in cells) for i in range(len(head))]
    rule = ["-" * width for width in widths]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |"
        for line in [head, rule, *lines]
    )


def requirement_table(results: Results) -> str:
    """The rows that our solver is held to."""
    words = {True: "yes", False: "**no**", None: "–"}
    lines = [[row.work, row.asked, row.found, str(row.n or "–"), words[row.holds]] for row in rows(results)]
    return table(["work", "asked", "found", "n", "holds"], lines)


def chain_table(results: Results) -> str:
    """Every row by chain [%]."""
    listed = [row for row in rows(results) if row.chains and not row.work.startswith("batch")]
    names = list(dict.fromkeys(chain for row in listed for chain in row.chains))
    lines = [
        [row.work, *(f"{row.chains[chain]:.2f}" if chain in row.chains else "–" for chain in names)] for row in listed
    ]
    return table(["solved or jumped, %", *names], lines)


def batch_table(results: Results) -> str:
    """Microseconds a target."""
    lines = []
    for kind in ("pos", "pose"):
        ours, others = of(results, f"batch {kind}", OURS), of(results, f"batch {kind}", TOOLBOX)
        for chain, one in ours.items():
            other = others.get(chain)
            theirs = ["–", "–", "–"]
            if other is not None:
                theirs = [f"{1e6 * other.median:.1f}", percent(share(other.strict)), f"{one.median / other.median:.2f}"]
            lines.append([f"{chain} {kind}", f"{1e6 * one.median:.1f}", percent(share(one.strict)), *theirs])
    return table(["set", f"{OURS} µs", "strict", f"{TOOLBOX} µs", "strict", "time ×"], lines)


def solver_table(results: Results, kind: str) -> str:
    """All solvers on one set."""
    lines = []
    for solver in dict.fromkeys(solver for k, _, solver in results if k == kind):
        measured = of(results, kind, solver)
        line = [solver, str(len(measured))]
        figures = {"strict": lambda one: share(one.strict), "loose": lambda one: share(one.loose)}
        if kind == "unreach":
            figures = {"near": lambda one: share(one.near)}
        for figure in figures.values():
            shares = {chain: figure(one) for chain, one in measured.items()}
            worst, value = lowest(shares)
            line += [f"{percent(value)} ({worst})", percent(mean(shares))]
        both = pairs(results, kind, solver, TOOLBOX)
        line.append("–" if not both else f"{time_ratio(both):.2f} ({'–'.join(f'{r:.2f}' for r in spread(both))})")
        line.append(f"{1e3 * geometric_mean(one.median for one in measured.values()):.3f}")
        line.append(f"{1e3 * geometric_mean(one.p99 for one in measured.values()):.2f}")
        if kind == "drag":
            line.append(percent(sum(share(one.jumps) for one in measured.values()) / len(measured)))
        line.append(str(max(one.seconds.shape[1] for one in measured.values())))
        lines.append(line)
    shares_head = ["near, worst", "near, mean"]
    if kind != "unreach":
        shares_head = ["strict, worst", "strict, mean", "loose, worst", "loose, mean"]
    head = ["solver", "chains", *shares_head, f"time × {TOOLBOX}", "median ms", "p99 ms"]
    return table([*head, *(["jumps"] if kind == "drag" else []), "n"], lines)


def markdown(run: Run, seconds: float) -> str:
    """All tables."""
    results, plan = run.results, run.plan
    parts = [
        INTRO.read_text(encoding="utf-8").rstrip(),
        f"This page: {plan.count} targets a set and {plan.repeats} repeats, batches of {plan.batch}, seed {plan.seed}; "
        f"{seconds / 60.0:.0f} minutes on {os.cpu_count()} cores, Python {platform.python_version()}.",
        "## What the solver is held to",
        requirement_table(results),
        chain_table(results),
    ]
    for kind, title in SETS.items():
        if kind.startswith("batch") or not any(key[0] == kind for key in results):
            continue
        parts += [f"## {title}", solver_table(results, kind)]
    if any(key[0].startswith("batch") for key in results):
        parts += ["## Batches", batch_table(results)]
    bought = written_out(results)
    if bought:
        lines = [[kind, f"{ratio:.2f}", f"{low:.2f} to {high:.2f}"] for kind, ratio, low, high in bought]
        parts += [
            "## What code written out for the chain buys",
            table(["set", "time of the loops ×", "repeats"], lines),
        ]
    parts += ["## Solvers", table(["solver", "version", ""], [[s.name, s.version, s.note] for s in run.solvers])]
    if run.notes:
        parts += ["## Left out", "\n".join(f"- {line}" for line in run.notes)]
    return "\n\n".join(parts) + "\n"


def as_json(run: Run, seconds: float) -> dict[str, Any]:
    """All numbers."""
    plan = run.plan
    return {
        "plan": {"n": plan.count, "repeats": plan.repeats, "batch": plan.batch, "seed": plan.seed, "seconds": seconds},
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "system": platform.system()},
        "solvers": [{"name": s.name, "version": s.version, "note": s.note} for s in run.solvers],
        "notes": run.notes,
        "rows": [vars(row) for row in rows(run.results)],
        "written_out": written_out(run.results),
        "results": [
            {
                "set": kind,
                "chain": chain,
                "solver": solver,
                "n": int(one.seconds.shape[1]),
                "repeats": len(one.seconds),
                "strict": share(one.strict),
                "loose": share(one.loose),
                "near": share(one.near) if one.near.size else None,
                "jumps": share(one.jumps) if one.jumps.size else None,
                "excess": one.excess,
                "median_s": one.median,
                "p99_s": one.p99,
            }
            for (kind, chain, solver), one in run.results.items()
        ],
    }


def write(run: Run, folder: Path, seconds: float) -> str:
    """Everything into the folder; the tables."""
    text = markdown(run, seconds)
    (folder / "benchmarks.md").write_text(text, encoding="utf-8")
    told = json.dumps(as_json(run, seconds), indent=1, ensure_ascii=False)
    (folder / "benchmarks.json").write_text(told + "\n", encoding="utf-8")
    picture.draw(run.results, folder / "benchmarks.png")
    return text
