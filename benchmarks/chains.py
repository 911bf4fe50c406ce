"""The chains of the benchmark, and the one forward kinematics that every result is checked with.

A chain is numbers: per joint a fixed 4×4 ``T``, then a turn about (or a slide along) local Z; at the end a fixed 4×4
``tip``. Where the numbers come from: :mod:`sources`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Chain:
    """A serial chain.

    Attributes:
        name: of the chain.
        fixed: (dof, 4, 4) what lies before each joint.
        kinds: (dof,) "revolute", "continuous" or "prismatic".
        lower, upper: (dof,) limits [rad] or [m]; a continuous joint has those of its set of poses, half a turn.
        tip: (4, 4) from the last joint to the end effector.
        reach: largest distance [m] of the tip from the first joint.
    """

    name: str
    fixed: Array
    kinds: tuple[str, ...]
    lower: Array
    upper: Array
    tip: Array
    reach: float

    @property
    def dof(self) -> int:
        """How many joints there are."""
        return len(self.kinds)

    @property
    def limited(self) -> NDArray[np.bool_]:
        """(dof,) whether the joint has limits."""
        return np.array([kind != "continuous" for kind in self.kinds])

    @property
    def middle(self) -> Array:
        """(dof,) the middle of the limits."""
        return 0.5 * (self.lower + self.upper)

    def forward(self, q: Array) -> Array:
        """(n, 4, 4) frames of the tip for values (n, dof)."""
        return self.frames(q)[-1] @ self.tip

    def frames(self, q: Array) -> list[Array]:
        """Per joint (n, 4, 4), after its own motion, for values (n, dof)."""
        frame = np.broadcast_to(np.eye(4), (len(q), 4, 4))
        found = []
        for fixed, kind, value in zip(self.fixed, self.kinds, q.T, strict=True):
            motion = np.tile(np.eye(4), (len(q), 1, 1))
            if kind == "prismatic":
                motion[:, 2, 3] = value
            else:
                motion[:, 0, 0] = motion[:, 1, 1] = np.cos(value)
                motion[:, 1, 0] = np.sin(value)
                motion[:, 0, 1] = -motion[:, 1, 0]
            frame = frame @ fixed @ motion
            found.append(frame)
        return found

    def random(self, random: np.random.Generator, count: int) -> Array:
        """(count, dof) values drawn uniformly inside the limits."""
        return random.uniform(self.lower, self.upper, (count, self.dof))

    def told(self) -> dict[str, Any]:
        """The numbers for a worker."""
        joints = zip(self.fixed, self.kinds, self.lower, self.upper, strict=True)
        listed = [{"T": t.tolist(), "type": kind, "lo": float(lo), "hi": float(hi)} for t, kind, lo, hi in joints]
        return {"joints": listed, "tip": self.tip.tolist(), "reach": self.reach}

    def urdf(self) -> str:
        """The same as a URDF from link ``l0`` by joints ``j0`` … to link ``tip``; every link has some mass."""
        mass = (
            '<inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>'
        )
        lines = [f'<robot name="{self.name}">', '<link name="l0"/>']
        lines += [f'<link name="{link}">{mass}</link>' for link in [*(f"l{i + 1}" for i in range(self.dof)), "tip"]]
        for i, (fixed, kind) in enumerate(zip(self.fixed, self.kinds, strict=True)):
            limits = f'lower="{float(self.lower[i])!r}" upper="{float(self.upper[i])!r}" effort="100" velocity="100"'
            lines.append(
                f'<joint name="j{i}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/>{_origin(fixed)}'
                f'<axis xyz="0 0 1"/><limit {limits}/></joint>'
            )
        ends = f'<parent link="l{self.dof}"/><child link="tip"/>'
        lines.append(f'<joint name="jtip" type="fixed">{ends}{_origin(self.tip)}</joint>')
        return "\n".join([*lines, "</robot>", ""])


def _origin(frame: Array) -> str:
    x, y, z = frame[:3, 3].tolist()
    pitch = math.atan2(-frame[2, 0], math.hypot(frame[0, 0], frame[1, 0]))
    if abs(math.cos(pitch)) > 1e-9:
        roll, yaw = math.atan2(frame[2, 1], frame[2, 2]), math.atan2(frame[1, 0], frame[0, 0])
    else:
        roll, yaw = 0.0, math.atan2(-frame[0, 1], frame[1, 1])
    return f'<origin xyz="{x!r} {y!r} {z!r}" rpy="{roll!r} {pitch!r} {yaw!r}"/>'
