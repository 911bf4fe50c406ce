"""A chain as plain numbers, for loops on Python floats: an array library costs more than it saves at this size."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .law import LawForward, moves_laws
from .step import Handle, Influence, Line, Placed, Step
from .walk import Walk, extent, make_tip, moving_path, nearest_rotation, stretched

if TYPE_CHECKING:
    from .chain import Chain
    from .least_squares import Iteration
    from .run import Tolerance

# What is left of the pace of an unknown that is as good as locked.
LEAST_PACE = 0.01
# Solves after which it is worth the time to write an iteration out.
WORTH_WRITING = 4
# The same for another one for where they all begin.
WORTH_WRITING_FIRST = 20
# A frame at the origin that is not turned.
ORIGIN: Placed = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


class Compiled:
    """Steps from the anchor outwards: each a constant frame, then a turn about, or a slide along, its local Z.

    Everything that the chain does not move is folded into the constants. Uniform scale, mirrored or not, is folded
    into lengths, so that every step's frame is a rotation; unless a joint is scaled unevenly: what hangs on that moves
    on ellipses, which least squares can follow and the other methods cannot.

    Attributes:
        steps: parents before children.
        tips: one a handle.
        dof: number of unknowns.
        lower, upper: limits; infinite for those that wrap.
        scale: a length [m] of the chain's own, positive and finite: the largest reach, where there is one.
        scale2: its square [m²].
        stride: per unknown what counts as one unit of its motion: 1 rad, or ``scale`` for a slide.
        ease: per unknown how willingly it moves: 1, less its stiffness, times its weight; 0 where it is held.
        pace: stride times ease: how far it goes where a free one would go its stride.
        movable: places of the unknowns on the way to a handle that are not held.
        tolerance: the last one that was asked for, kept for the next search.
        start: (dof,) the chain's own values, inside the limits.
        groups: per unknown its steps.
        paths: per tip the steps that move it: place, slides or not, unknown, and how far a pace of that moves the step.
        moved_by: per step the tips that it moves.
        uneven: why only exact forward kinematics will do, in words that begin with a joint or body: scale by different
            factors along a joint's axes, or a law that places a body; None = any method will do.
        law: forward kinematics where bodies are placed by laws, or None.
    """

    def __init__(self, chain: Chain, handles: tuple[Handle, ...], weights: tuple[float, ...] | None = None) -> None:
        """Walk from the roots to the bodies of these handles; see :meth:`Chain.compiled`."""
        walk = Walk(chain)
        hung = [walk.hang(*handle) for handle in handles]
        tips_of: dict[int, list[int]] = {}
        for i, (step, _) in enumerate(hung):
            tips_of.setdefault(step, []).append(i)
        kept = {step.parent for i, step in enumerate(walk.steps) if step.parent != i - 1}
        self.dof = chain.dof
        self.steps: tuple[Step, ...] = tuple(
            step._replace(kept=i in kept, hung=tuple(tips_of.get(i, ()))) for i, step in enumerate(walk.steps)
        )
        self.law = LawForward(chain, handles) if moves_laws(chain, handles) else None
        self.uneven = walk.uneven
        if self.law is not None:
            self.uneven = f"body {self.law.body!r} is placed by limits or scale that other joints have a say in"
        self._iterations: dict[bool, Iteration | None] = {}
        self._firsts: dict[bool, Iteration | None] = {}
        self._wishes = 0
        self._hung = [constant for _, constant in hung]
        self._fixed: list[Placed] = [ORIGIN if step >= 0 else constant for step, constant in hung]
        lower, upper = (chain.lower + 0.0).tolist(), (chain.upper + 0.0).tolist()  # 0 instead of -0
        self.lower = [-math.inf if wraps else v for v, wraps in zip(lower, chain.continuous, strict=True)]
        self.upper = [math.inf if wraps else v for v, wraps in zip(upper, chain.continuous, strict=True)]
        self.tolerance: Tolerance | None = None
        self.start = self.clamp(chain.values.tolist())
        self.groups: tuple[tuple[int, ...], ...] = tuple(
            tuple(i for i, step in enumerate(walk.steps) if step.unknown == unknown) for unknown in range(self.dof)
        )
        ranges = [self._range(step) for step in walk.steps]
        self.tips = tuple(make_tip(walk.steps, ranges, step, constant) for step, constant in hung)
        if self.uneven is not None:
            self.tips = tuple(stretched(walk.steps, tip) for tip in self.tips)
        finite = [tip.reach for tip in self.tips if math.isfinite(tip.reach)]
        self.scale = max(finite, default=0.0) or extent(walk.steps) or 1.0
        self.scale2 = self.scale * self.scale
        if self.law is not None and not self.law.keeps_lengths:
            self.tips = tuple(tip._replace(reach=math.inf, fold=0.0) for tip in self.tips)
        slides = {step.unknown for step in walk.steps if step.slide}
        self.stride = [self.scale if unknown in slides else 1.0 for unknown in range(self.dof)]
        stiff = chain.skeleton.stiffness[list(chain.index)].tolist()
        self.ease = [w * max(1.0 - s, LEAST_PACE) for w, s in zip(weights or [1.0] * self.dof, stiff, strict=True)]
        self.pace = [unit * ease for unit, ease in zip(self.stride, self.ease, strict=True)]
        self.movable = tuple(i for i, group in enumerate(self.groups) if group and self.ease[i] > 0.0)
        moving = tuple(
            tip.path if self.uneven is not None or len(constant) > 3 else moving_path(walk.steps, tip, constant)
            for tip, (_, constant) in zip(self.tips, hung, strict=True)
        )
        self.paths: tuple[tuple[Influence, ...], ...] = tuple(
            tuple((i, s.slide, s.unknown, s.multiplier * self.pace[s.unknown]) for i in path for s in [walk.steps[i]])
            for path in moving
        )
        self.moved_by: tuple[tuple[int, ...], ...] = tuple(
            tuple(i for i, tip in enumerate(self.tips) if step in tip.path) for step in range(len(walk.steps))
        )

    def _range(self, step: Step) -> tuple[float, float]:
        if step.multiplier == 0.0:
            return step.offset, step.offset
        ends = [limit[step.unknown] * step.multiplier + step.offset for limit in (self.lower, self.upper)]
        return min(ends), max(ends)

    def hung(self, tip: int) -> Placed:
        """A handle, and its body's rotation where it is wanted, in the frame of the last step that moves it."""
        return self._hung[tip]

    def iteration(self, turned: bool, *, written: bool) -> Iteration | None:
        """One iteration of least squares, written out, for a single handle; None where, or as long as, there is none.

        Args:
            turned: whether an orientation is asked for.
            written: True to have it now; else it comes when it has been asked for often enough to be worth the time.
        """
        if turned in self._iterations:
            return self._iterations[turned]
        self._wishes += 1
        if not written and self._wishes < WORTH_WRITING:
            return None
        from .generated import iteration

        self._iterations[turned] = iteration(self, turned)
        return self._iterations[turned]

    def first(self, turned: bool) -> Iteration | None:
        """The iteration at :attr:`start`, where solve after solve begins; None where, or as long as, there is none.

        Args:
            turned: whether an orientation is asked for.
        """
        if turned not in self._firsts:
            self._wishes += 1
            if self._wishes < WORTH_WRITING_FIRST or turned not in self._iterations:
                return None
            from .generated import iteration

            self._firsts[turned] = iteration(self, turned, self.start)
        return self._firsts[turned]

    def clamp(self, values: list[float]) -> list[float]:
        """The values moved into the limits; 0 instead of -0, which sums would keep or lose by their order."""
        return [
            low if value < low else high if value > high else value + 0.0
            for value, low, high in zip(values, self.lower, self.upper, strict=True)
        ]

    def place(self, values: list[float]) -> tuple[list[Line], list[Placed]]:
        """Forward kinematics.

        Args:
            values: (dof,) [rad] or [m].

        Returns:
            Per step its axis and a point on it, and per tip its position and, where asked for, its rotation; in
            skeleton space. Of an uneven chain the rotation is the nearest one, and the axes are of no use.
        """
        lines, placed = self._place(values) if self.law is None else ([], self.law.place(values))
        if self.uneven is not None:
            placed = [(*one[:3], *nearest_rotation(one[3:])) if len(one) > 3 else one for one in placed]
        return lines, placed

    def _place(self, values: list[float]) -> tuple[list[Line], list[Placed]]:
        lines: list[Line] = []
        placed = self._fixed.copy()
        kept: dict[int, Placed] = {-1: ORIGIN}
        r00 = r11 = r22 = 1.0
        r01 = r02 = r10 = r12 = r20 = r21 = x = y = z = 0.0
        last = -1
        i = 0
        for (
            c00, c01, c02, c10, c11, c12, c20, c21, c22, tx, ty, tz,
            slide, unknown, multiplier, offset, parent, keep, hung,
        ) in self.steps:  # fmt: skip
            if parent != last:
                x, y, z, r00, r01, r02, r10, r11, r12, r20, r21, r22 = kept[parent]
            x += r00 * tx + r01 * ty + r02 * tz
            y += r10 * tx + r11 * ty + r12 * tz
            z += r20 * tx + r21 * ty + r22 * tz
            a00 = r00 * c00 + r01 * c10 + r02 * c20
            a01 = r00 * c01 + r01 * c11 + r02 * c21
            a10 = r10 * c00 + r11 * c10 + r12 * c20
            a11 = r10 * c01 + r11 * c11 + r12 * c21
            a20 = r20 * c00 + r21 * c10 + r22 * c20
            a21 = r20 * c01 + r21 * c11 + r22 * c21
            r02, r12, r22 = (
                r00 * c02 + r01 * c12 + r02 * c22,
                r10 * c02 + r11 * c12 + r12 * c22,
                r20 * c02 + r21 * c12 + r22 * c22,
            )
            lines.append((r02, r12, r22, x, y, z))
            value = values[unknown] * multiplier + offset
            if slide:
                x += r02 * value
                y += r12 * value
                z += r22 * value
                r00, r01, r10, r11, r20, r21 = a00, a01, a10, a11, a20, a21
            else:
                c = math.cos(value)
                s = math.sin(value)
                r00 = a00 * c + a01 * s
                r01 = a01 * c - a00 * s
                r10 = a10 * c + a11 * s
                r11 = a11 * c - a10 * s
                r20 = a20 * c + a21 * s
                r21 = a21 * c - a20 * s
            if keep:
                kept[i] = (x, y, z, r00, r01, r02, r10, r11, r12, r20, r21, r22)
            if hung:
                for tip in hung:
                    tx, ty, tz, *turn = self._hung[tip]
                    px = x + r00 * tx + r01 * ty + r02 * tz
                    py = y + r10 * tx + r11 * ty + r12 * tz
                    pz = z + r20 * tx + r21 * ty + r22 * tz
                    if not turn:
                        placed[tip] = (px, py, pz)
                        continue
                    c00, c01, c02, c10, c11, c12, c20, c21, c22 = turn
                    placed[tip] = (
                        px, py, pz,
                        r00 * c00 + r01 * c10 + r02 * c20,
                        r00 * c01 + r01 * c11 + r02 * c21,
                        r00 * c02 + r01 * c12 + r02 * c22,
                        r10 * c00 + r11 * c10 + r12 * c20,
                        r10 * c01 + r11 * c11 + r12 * c21,
                        r10 * c02 + r11 * c12 + r12 * c22,
                        r20 * c00 + r21 * c10 + r22 * c20,
                        r20 * c01 + r21 * c11 + r22 * c21,
                        r20 * c02 + r21 * c12 + r22 * c22,
                    )  # fmt: skip
            last = i
            i += 1
        return lines, placed
