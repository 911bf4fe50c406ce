"""Runs every solver on the same work, in turns, checks every result, and writes the tables: ``make bench``.

    QUICK=1       few targets: the order of magnitude, in three minutes
    N=1000        targets a set; drags: a fifth of it in paths of 60 frames
    REPEATS=3     of everything, for times
    SEED=…        of the targets; else a new one every run
    CHAINS="…"    some of the chains only
    SETS="…"      some of: pos pose drag unreach batch
    SOLVERS="…"   some of the solvers only, by their names, separated by commas

One process a solver; a block of targets goes to one after the other, in an order that turns from block to block, and
only one works at a time. Results: ``out/bench``.
"""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import report
from chains import Array, Chain
from judge import LEAST_EXCESS, judge, jumped
from measured import Measured
from process import ENTRIES, GoneError, Solver
from sources import COMMON, chains
from work import Work, drags, reachable, unreachable

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "out" / "bench"
KINDS = ("pos", "pose", "drag", "unreach", "batch")
ARMS = ("pr2_arm", "fetch_arm")
# Targets of a block; of them so many are solved beforehand, without the clock.
BLOCK, WARM = 25, 5
# Others' results are allowed the rounding of float32 at their limits.
SLACK = 1e-5
# A solver that has taken so long over one set [s] leaves the rest of it.
LONGEST = 40.0
# Share of the targets out of reach for solvers that go on with restarts there.
FEW = 0.1
NEAR = 1e-3  # of the reach: as near as is known to be possible


@dataclass
class Plan:
    """How much is done."""

    count: int
    repeats: int
    batch: int
    seed: int
    names: list[str]
    kinds: list[str]
    solvers: list[str]
    quick: bool

    @classmethod
    def from_environment(cls) -> Plan:
        """As the variables above say."""
        get = os.environ.get
        quick = get("QUICK", "") not in ("", "0")
        solvers = [name.strip() for name in get("SOLVERS", "").split(",") if name.strip()]
        return cls(
            count=int(get("N") or (40 if quick else 1000)),
            repeats=int(get("REPEATS") or (2 if quick else 3)),
            batch=1000 if quick else 10_000,
            seed=int(get("SEED") or secrets.randbits(32)),
            names=(get("CHAINS") or " ".join(COMMON + ARMS)).split(),
            kinds=(get("SETS") or " ".join(KINDS)).split(),
            solvers=solvers or [entry.name for entry in ENTRIES],
            quick=quick,
        )


@dataclass
class Run:
    """A run under way.

    Attributes:
        plan: how much is done.
        solvers: those that came up and have not ended.
        results: by set, chain, solver.
        notes: what was left out, and why.
    """

    plan: Plan
    solvers: list[Solver] = field(default_factory=list)
    results: dict[tuple[str, str, str], Measured] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def note(self, line: str) -> None:
        """Say what was left out."""
        self.notes.append(line)
        print(f"bench: {line}", file=sys.stderr, flush=True)

    def start(self, logs: Path) -> None:
        """Bring the solvers up, one by one."""
        for entry in ENTRIES:
            if entry.name not in self.plan.solvers:
                continue
            try:
                self.solvers.append(Solver(entry, logs))
            except GoneError as error:
                self.note(f"{entry.name} left out: {error}")

    def drop(self, solver: Solver, why: GoneError) -> None:
        """Go on without a solver that has ended."""
        self.solvers.remove(solver)
        self.note(f"{solver.name} ended: {why}")

    def chain(self, chain: Chain, folder: Path) -> None:
        """All sets of one chain."""
        file = folder / f"{chain.name}.urdf"
        file.write_text(chain.urdf(), encoding="utf-8")
        able = []
        for solver in list(self.solvers):
            try:
                told = solver.ask(do="chain", chain=chain.told(), urdf=str(file))
            except GoneError as error:
                self.drop(solver, error)
                continue
            if "cannot" in told:
                self.note(f"{solver.name} {told['cannot']}: left out on {chain.name}")
            else:
                able.append(solver)
        random = np.random.default_rng([self.plan.seed, *chain.name.encode()])
        for kind in self.plan.kinds:
            able = [solver for solver in able if solver in self.solvers]
            begin = time.perf_counter()
            if kind == "batch":
                self._batches(chain, able, random)
            else:
                work = self._work(chain, kind, random)
                if work is not None:
                    self._set(chain, work, able)
            print(f"bench: {chain.name} {kind} {time.perf_counter() - begin:.1f} s", file=sys.stderr, flush=True)

    def _work(self, chain: Chain, kind: str, random: np.random.Generator) -> Work | None:
        if kind in ("pos", "pose"):
            return reachable(chain, kind, self.plan.count, random)
        if kind == "drag":
            return drags(chain, max(2, self.plan.count // 5), random)
        work = unreachable(chain, max(20, self.plan.count // 5))
        if work is None:
            self.note(f"no targets out of reach for {chain.name}: the common work has none")
        return work

    def _set(self, chain: Chain, work: Work, able: list[Solver]) -> None:
        size = len(work.p)
        block = BLOCK if work.kind != "drag" else max(1, BLOCK // 12)
        wanted = {}
        for solver in able:
            part = solver.entry.share if work.kind == "pos" else solver.entry.beside
            if work.kind == "unreach" and not solver.entry.nearest:
                part = min(part, FEW)
            wanted[solver] = max(1, round(size * part))
        found: dict[Solver, list[list[tuple[Array, Array]]]] = {solver: [] for solver in able}
        spent = dict.fromkeys(able, 0.0)
        for repeat in range(self.plan.repeats):
            for number, first in enumerate(range(0, size, block)):
                for turn in range(len(able)):
                    solver = able[(turn + number + repeat) % len(able)]
                    last = min(first + block, wanted[solver])
                    if solver not in found or repeat >= solver.entry.repeats or first >= last:
                        continue
                    told = self._ask(solver, work, first, last)
                    if told is None:
                        del found[solver]
                        continue
                    if first == 0:
                        found[solver].append([])
                    found[solver][repeat].append(told)
                    spent[solver] += float(told[1].sum())
                    if repeat == 0 and spent[solver] > LONGEST:
                        wanted[solver] = last
        for solver, repeats in found.items():
            self.results[work.kind, chain.name, solver.name] = self._judged(chain, work, solver, repeats)

    def _ask(self, solver: Solver, work: Work, first: int, last: int) -> tuple[Array, Array] | None:
        some = slice(first, last)
        try:
            if work.start is not None:
                told = solver.ask(do="paths", p=work.p[some].tolist(), q0=work.start[some].tolist())
            else:
                turned = None if work.rotation is None else work.rotation[some].tolist()
                told = solver.ask(do="solve", p=work.p[some].tolist(), R=turned, warm=WARM)
        except GoneError as error:
            self.drop(solver, error)
            return None
        return None if "cannot" in told else (np.array(told["q"]), np.array(told["t"]))

    def _judged(self, chain: Chain, work: Work, solver: Solver, repeats: list[list[tuple[Array, Array]]]) -> Measured:
        slack = LEAST_EXCESS if solver.name.startswith("linkpose") else SLACK
        seconds, strict, loose, jumps, near, excess = [], [], [], [], [], 0.0
        for blocks in repeats:
            q = np.concatenate([one for one, _ in blocks])
            count = len(q)
            flat = q.reshape(-1, chain.dof)
            turned = None if work.rotation is None else work.rotation[:count]
            verdict = judge(chain, flat, work.p[:count].reshape(-1, 3), turned)
            seconds.append(np.concatenate([one for _, one in blocks]).ravel())
            strict.append(verdict.strict(slack))
            loose.append(verdict.loose(slack))
            excess = max(excess, float(verdict.excess.max()))
            if work.start is not None:
                jumps.append(jumped(chain, np.concatenate((work.start[:count, None], q), axis=1)))
            if work.best is not None:
                there = verdict.distance <= work.best[:count] + NEAR * chain.reach
                near.append(there & verdict.allowed(slack))
        return Measured(np.array(seconds), np.array(strict), np.array(loose), excess, np.array(jumps), np.array(near))

    def _batches(self, chain: Chain, able: list[Solver], random: np.random.Generator) -> None:
        for kind in ("pos", "pose"):
            work = reachable(chain, kind, self.plan.batch, random)
            turned = None if work.rotation is None else work.rotation.tolist()
            for solver in [each for each in able if each.entry.batch]:
                verdicts, seconds = [], []
                for _ in range(self.plan.repeats if solver.name == "linkpose" else 1):
                    told = solver.ask(do="batch", p=work.p.tolist(), R=turned)
                    verdicts.append(judge(chain, np.array(told["q"]), work.p, work.rotation))
                    seconds.append([told["t"] / len(work.p)])
                slack = LEAST_EXCESS if solver.name.startswith("linkpose") else SLACK
                self.results[f"batch {kind}", chain.name, solver.name] = Measured(
                    np.array(seconds),
                    np.array([one.strict(slack) for one in verdicts]),
                    np.array([one.loose(slack) for one in verdicts]),
                    max(float(one.excess.max()) for one in verdicts),
                    np.array([]),
                    np.array([]),
                )


def known_chains(run: Run) -> Iterator[Chain]:
    """Those that can be had; a line for each other."""
    for chain in chains(run.plan.names):
        if isinstance(chain, Chain):
            yield chain
        else:
            run.note(chain)


def main() -> int:
    """Run, write, show."""
    folder = OUT / "work"
    folder.mkdir(parents=True, exist_ok=True)
    run = Run(Plan.from_environment())
    begin = time.perf_counter()
    run.start(folder)
    up = time.perf_counter()
    print(f"bench: {len(run.solvers)} solvers are up after {up - begin:.0f} s", file=sys.stderr, flush=True)
    text = ""
    for chain in known_chains(run):
        run.chain(chain, folder)
        text = report.write(run, OUT, time.perf_counter() - up)  # what there is so far, should the run be stopped
    for solver in run.solvers:
        solver.close()
    print(text or "bench: no chain could be had")
    print(f"written: {OUT}/benchmarks.md, benchmarks.json, benchmarks.png", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
