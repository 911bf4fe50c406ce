"""One iteration of least squares for one chain, written out: a function without loops, made from the chain's numbers.

What :class:`~.least_squares.Plain` does in loops is done here in one straight line of local variables, in the same
order, so that both give the same bits; constants that are 0 or 1 fall out of it. Nothing but numbers gets into the
text: no name, and nothing else that was read from a file.
"""

from __future__ import annotations

import functools
import math
import operator
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .least_squares import FLOOR, LEAST_PIVOT, STEP_CAP, STILL
from .problem import LEAST_PUSH, TURN_WEIGHT
from .terms import Term, add, dot, mul, neg, number, positive, quotient, sub, text
from .turns import rotation_vector

if TYPE_CHECKING:
    from .compiled import Compiled

# Longer chains are not written out: the text grows with them, and the time it takes to compile it.
MOST_STEPS = 40

# Unknowns that move the handle by more than so many reaches, or turn it by more radians, need their pivots watched.
MOST_MOVED = 30.0

_NAME = re.compile(r"\bv\d+\b")


def iteration(compiled: Compiled, turned: bool, start: Sequence[float] | None = None) -> Callable[..., Any] | None:
    """The function for one goal with a position, and with an orientation if ``turned``; see ``Plain`` for what it does.

    Args:
        compiled: a chain compiled for one handle.
        turned: whether an orientation is asked for.
        start: (dof,) for a function that only ever looks at this pose, of which most can be worked out beforehand.

    Returns:
        None for chains that are too long, branch, are scaled unevenly, or have lengths beyond what can be squared; and
        for a start at a limit.
    """
    steps = compiled.steps
    if compiled.uneven is not None or len(steps) > MOST_STEPS or not compiled.dof:
        return None
    if any(step.parent != i - 1 for i, step in enumerate(steps)) or compiled.tips[0].step != len(steps) - 1:
        return None
    if start is not None and not all(map(operator.lt, compiled.lower, start)):
        return None
    if start is not None and not all(map(operator.lt, start, compiled.upper)):
        return None
    try:
        text = _Writer(compiled, turned, start).text()
    except OverflowError:
        return None
    return _compiled(text)


@functools.lru_cache(maxsize=64)
def _compiled(text: str) -> Callable[..., Any]:
    space: dict[str, Any] = {
        "cos": math.cos,
        "sin": math.sin,
        "sqrt": math.sqrt,
        "atan2": math.atan2,
        "rotation_vector": rotation_vector,
    }
    exec(compile(text, "<iteration>", "exec"), space)
    function: Callable[..., Any] = space["iteration"]
    return function


class _Writer:
    """Writes the function. Every assignment is to a new name, so that what is never read can be left out."""

    def __init__(self, compiled: Compiled, turned: bool, start: Sequence[float] | None = None) -> None:
        self._compiled = compiled
        self._turned = turned
        self._values: list[Term] = [f"q{i}" for i in range(compiled.dof)] if start is None else list(start)
        self._at_start = start is not None
        self._safe = _moves_little(compiled)
        self._lines: list[str] = []
        self._names = 0
        self._known: dict[str, str] = {}

    def text(self) -> str:
        """The whole function."""
        dof = range(self._compiled.dof)
        target = ["tx", "ty", "tz", *(f"t{i}{j}" for i in range(3) for j in range(3) if self._turned)]
        self._lines = [
            "def iteration(values, numbers, before, good, bad, cap, "
            "cos=cos, sin=sin, sqrt=sqrt, atan2=atan2, rotation_vector=rotation_vector):",
            *([] if self._at_start else [f"{', '.join(f'q{i}' for i in dof)}, = values"]),
            f"{', '.join(target)}, fine, fine_angle = numbers",
        ]
        axes, tip = self._forward()
        errors = self._errors(tip)
        columns = self._columns(axes, tip[:3])
        self._hold(columns, errors)
        self._shorten(errors)
        self._write(f"damping = (good if error < before else bad) * error + {number(FLOOR * self._compiled.scale2)}")
        change = self._dual(columns, errors) if self._few(errors) else self._normal(columns, errors)
        self._move(change)
        head, *lines = _needed(self._lines)
        return "\n    ".join([head, *_few_names(lines)]) + "\n"

    def _write(self, line: str) -> None:
        self._lines.append(line)

    def _let(self, term: Term) -> Term:
        """A name, with its sign, for a term that is more than a number or a name; the same for the same term."""
        if not isinstance(term, str) or positive(term).isidentifier():  # type: ignore[union-attr]
            return term
        if term.startswith("-"):
            return neg(self._let(neg(term)))
        name = self._known.get(term)
        if name is None:
            self._names += 1
            name = self._known[term] = f"v{self._names}"
            self._write(f"{name} = {term}")
        return name

    def _forward(self) -> tuple[list[list[Term]], list[Term]]:
        """Per step its axis (3) and a point on it (3); the handle (3) and, if turned, the rotation (9)."""
        let = self._let
        r: list[list[Term]] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        at: list[Term] = [0.0, 0.0, 0.0]
        axes = []
        for step in self._compiled.steps:
            constant = (step[0:3], step[3:6], step[6:9])
            at = [let(add(x, dot(row, step.translation))) for x, row in zip(at, r, strict=True)]
            turned = [[dot(row, [line[k] for line in constant]) for k in range(3)] for row in r]
            r = [[let(term) for term in row] for row in turned]
            axes.append([row[2] for row in r] + at)
            value = let(add(mul(self._values[step.unknown], step.multiplier), step.offset))
            if step.slide:
                at = [let(add(x, mul(row[2], value))) for x, row in zip(at, r, strict=True)]
                continue
            if isinstance(value, str):
                c, s = let(f"cos({value})"), let(f"sin({value})")
            else:
                c, s = math.cos(value), math.sin(value)
            r = [[let(add(mul(x, c), mul(y, s))), let(sub(mul(y, c), mul(x, s))), z] for x, y, z in r]
        hung = self._compiled.hung(0)
        tip = [let(dot(row, hung[:3], x)) for x, row in zip(at, r, strict=True)]
        if self._turned:
            tip += [let(dot(row, hung[3 + k :: 3])) for row in r for k in range(3)]
        return axes, tip

    def _errors(self, tip: list[Term]) -> list[Term]:
        """The weighted errors; the function returns here when there is nothing left to improve."""
        turn_weight = TURN_WEIGHT * self._compiled.scale
        for name, target, x in zip("xyz", ("tx", "ty", "tz"), tip, strict=False):
            self._write(f"e{name} = {text(sub(target, x))}")
        self._write("distance2 = error = ex * ex + ey * ey + ez * ez")
        handle = f"(({', '.join(map(text, tip[:3]))}),)"
        if not self._turned:
            self._write("if distance2 <= fine:")
            self._write(f"    return None, error, distance2, 0.0, False, {handle}, ()")
            self._write(f"handle = {handle}")
            return ["ex", "ey", "ez"]
        t = [[f"t{i}{k}" for k in range(3)] for i in range(3)]
        r = [tip[3:6], tip[6:9], tip[9:12]]
        for i in range(3):
            for j in range(3):
                self._write(f"m{i}{j} = {text(dot(t[i], r[j]))}")
        for name, a, b in (("ax", "m21", "m12"), ("ay", "m02", "m20"), ("az", "m10", "m01")):
            self._write(f"{name} = 0.5 * ({a} - {b})")
        self._write("sine = sqrt(ax * ax + ay * ay + az * az)")
        self._write("cosine = 0.5 * (m00 + m11 + m22 - 1.0)")
        self._write("if sine > 1e-6:")
        self._write("    factor = atan2(sine, cosine) / sine")
        self._write("    ax *= factor; ay *= factor; az *= factor")
        self._write("elif not cosine > 0.0:")
        turned = ", ".join(f"t{i}{k}" for i in range(3) for k in range(3))
        placed = ", ".join(map(text, tip))
        self._write(f"    ax, ay, az = rotation_vector(({turned}), ({placed}))")
        self._write("angle2 = ax * ax + ay * ay + az * az")
        self._write(f"error += angle2 * {number(turn_weight)} * {number(turn_weight)}")
        for name in "xyz":
            self._write(f"o{name} = a{name} * {number(turn_weight)}")
        self._write("if distance2 <= fine and angle2 <= fine_angle:")
        self._write(f"    return None, error, distance2, angle2, False, {handle}, ()")
        self._write(f"handle = {handle}")
        return ["ex", "ey", "ez", "ox", "oy", "oz"]

    def _columns(self, axes: list[list[Term]], tip: list[Term]) -> list[list[Term]]:
        """Per unknown its slopes, a row an error; empty where it moves nothing."""
        found: list[list[list[Term]]] = [[] for _ in range(self._compiled.dof)]
        turn_weight = TURN_WEIGHT * self._compiled.scale
        for i, slide, unknown, factor in self._compiled.paths[0]:
            axis, origin = axes[i][:3], axes[i][3:]
            if slide:
                column = [mul(x, factor) for x in axis]
            else:
                arm = [self._let(sub(x, o)) for x, o in zip(tip, origin, strict=True)]
                column = []
                for a, b in ((1, 2), (2, 0), (0, 1)):
                    column.append(mul(sub(mul(axis[a], arm[b]), mul(axis[b], arm[a])), factor))
            if self._turned:
                column += [0.0 if slide else mul(x, factor * turn_weight) for x in axis]
            found[unknown].append(column)
        columns: list[list[Term]] = []
        for unknown, parts in enumerate(found):
            held = not parts or self._compiled.pace[unknown] == 0.0
            rows = [] if held else [functools.reduce(add, terms) for terms in zip(*parts, strict=True)]
            columns.append([self._named(f"c{unknown}{name}", row) for name, row in zip("xyzuvw", rows, strict=False)])
        return columns

    def _name_of(self, i: int, term: str) -> str:
        if term.isidentifier():
            return term
        self._write(f"d{i} = {term}")
        return f"d{i}"

    def _named(self, name: str, term: Term) -> Term:
        if term == 0.0:
            return 0.0
        self._write(f"{name} = {text(term)}")
        return name

    def _hold(self, columns: list[list[Term]], errors: list[Term]) -> None:
        """Let go of unknowns at a limit that the error pushes outwards."""
        self._write("held = ()")
        if self._at_start:  # which is at no limit
            return
        for i, names in enumerate(columns):
            low, high = self._compiled.lower[i], self._compiled.upper[i]
            ends = [f"q{i} >= {number(high)}"] if high < math.inf else []
            ends += [f"q{i} <= {number(low)}"] if low > -math.inf else []
            slopes = [name for name in names if isinstance(name, str)]
            if not slopes or not ends:
                continue
            least = number(LEAST_PUSH * self._compiled.scale2)
            outward = [f"(push > {least} and {ends[0]})"] if high < math.inf else []
            outward += [f"(push < -{least} and {ends[-1]})"] if low > -math.inf else []
            self._write(f"if {' or '.join(ends)}:")
            self._write(f"    push = {text(dot(names, errors))}")
            self._write(f"    if {' or '.join(outward)}:")
            self._write(f"        {' = '.join(slopes)} = 0.0")
            self._write(f"        held += ({i},)")

    def _shorten(self, errors: list[Term]) -> None:
        self._write("if error > cap:")
        self._write("    factor = sqrt(cap / error)")
        for name in errors:
            self._write(f"    {name} = {name} * factor")

    def _few(self, errors: list[Term]) -> bool:
        return len(errors) == 3 or len(errors) <= self._compiled.dof

    def _dual(self, columns: list[list[Term]], errors: list[Term]) -> list[Term]:
        """Fewer errors than unknowns: ``(J Jᵀ + damping) y = e``, and the change is ``Jᵀ y``."""
        used = [names for names in columns if names]
        rows = [[names[k] for names in used] for k in range(len(errors))]
        weights = self._solve(rows, list(errors), first=len(errors) == 3)
        return [self._let(dot(names, weights)) if names else 0.0 for names in columns]

    def _normal(self, columns: list[list[Term]], errors: list[Term]) -> list[Term]:
        """More errors than unknowns: ``(Jᵀ J + damping) x = Jᵀ e``."""
        zeros: list[Term] = [0.0] * len(errors)
        rows = [names or zeros for names in columns]
        return self._solve(rows, [self._let(dot(names, errors)) for names in rows], first=False)

    def _solve(self, rows: list[list[Term]], b: list[Term], *, first: bool) -> list[Term]:
        """Solve with the products of the rows by L D Lᵀ; ``first``: the damping begins the sums on the diagonal."""
        a: list[list[Term]] = []
        for i, row in enumerate(rows):
            products = [self._let(dot(row, other)) for other in rows[:i]]
            own = dot(row, row, "damping") if first else add(dot(row, row), "damping")
            a.append([*products, self._let(own)])
        size = len(b)
        for i in range(size):
            for j in range(i):
                value = a[i][j]
                for k in range(j):
                    value = sub(value, mul(a[i][k], a[j][k]))
                a[i][j] = self._let(value)
            pivot = a[i][i]
            for j in range(i):
                scaled = self._let(quotient(a[i][j], a[j][j]))
                pivot = sub(pivot, mul(scaled, a[i][j]))
                a[i][j] = scaled
            a[i][i] = self._let(pivot)
            if i and not self._safe:
                self._write(f"if not {a[i][i]} > {LEAST_PIVOT!r} * damping: {a[i][i]} = damping")
        for i in range(size):
            value = b[i]
            for k in range(i):
                value = sub(value, mul(a[i][k], b[k]))
            b[i] = self._let(value)
        for i in range(size - 1, -1, -1):
            last = quotient(b[i], a[i][i])
            for k in range(i + 1, size):
                last = sub(last, mul(a[k][i], b[k]))
            b[i] = self._let(last)
        return b

    def _move(self, change: list[Term]) -> None:
        ways = {i: self._name_of(i, term) for i, term in enumerate(change) if isinstance(term, str)}
        moved = list(ways.values())
        self._write(f"length2 = {text(dot(moved, moved))}")
        if moved:
            self._write(f"if length2 > {STEP_CAP * STEP_CAP!r}:")
            both = ", ".join([*moved, *(f"-{name}" for name in moved)])
            self._write(f"    factor = {STEP_CAP!r} / max({STEP_CAP!r}, {both})")
            for name in moved:
                self._write(f"    {name} = {name} * factor")
        for i, name in ways.items():
            self._write(f"q{i} = {text(add(self._values[i], mul(name, self._compiled.pace[i])))}")
            low, high = self._compiled.lower[i], self._compiled.upper[i]
            if low > -math.inf:
                self._write(f"if q{i} < {number(low)}: q{i} = {number(low)}")
            if high < math.inf:
                self._write(f"{'el' if low > -math.inf else ''}if q{i} > {number(high)}: q{i} = {number(high)}")
        # The sum with the 0 by which others do not move makes 0 of -0, as in the loops.
        still = [f"{value} + 0.0" if isinstance(value, str) else number(value + 0.0) for value in self._values]
        values = ", ".join(f"q{i}" if i in ways else still[i] for i in range(self._compiled.dof))
        angle2 = "angle2" if self._turned else "0.0"
        self._write(f"return [{values}], error, distance2, {angle2}, length2 < {STILL * STILL!r}, handle, held")


def _moves_little(compiled: Compiled) -> bool:
    """True when rounding is far below the floor of the damping, so that no pivot can come out below that."""
    most = [0.0] * compiled.dof
    for _, slide, unknown, factor in compiled.paths[0]:
        most[unknown] += abs(factor) / compiled.scale if slide else abs(factor)
    return math.isfinite(compiled.tips[0].reach) and max(most) <= MOST_MOVED


def _needed(lines: list[str]) -> list[str]:
    """The lines without assignments to names that nothing after them reads."""
    kept: list[str] = []
    read: set[str] = set()
    for line in reversed(lines):
        name, equals, _ = line.partition(" = ")
        if equals and _NAME.fullmatch(name) and name not in read:
            continue
        kept.append(line)
        read.update(_NAME.findall(line.partition(" = ")[2] if equals else line))
    return kept[::-1]


def _few_names(lines: list[str]) -> list[str]:
    """The lines with names used again once nothing reads them any more.

    A number whose name is taken is freed, and the next one gets its place, which is in the cache: a tenth of the time.
    """
    last: dict[str, int] = {}
    for i, line in enumerate(lines):
        last.update(dict.fromkeys(_NAME.findall(line), i))
    names: dict[str, str] = {}
    free: list[str] = []
    kept = []
    for i, line in enumerate(lines):
        name, equals, right = line.partition(" = ")
        made = name if equals and name not in names and _NAME.fullmatch(name) else None
        read = right if made else line
        text = _NAME.sub(lambda found: names[found[0]], read)
        free += [names[used] for used in dict.fromkeys(_NAME.findall(read)) if last[used] == i]
        if made:
            names[made] = free.pop() if free else f"v{len(set(names.values())) + 1}"
            text = f"{names[made]} = {text}"
        kept.append(text)
    return kept
