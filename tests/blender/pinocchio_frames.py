"""Run by a test in a process of its own: ``pinocchio_frames.py robot.urdf poses.json`` prints link frames as JSON."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pinocchio


def main() -> None:
    model = pinocchio.buildModelFromUrdf(sys.argv[1])
    data = model.createData()
    result = []
    for pose in json.loads(Path(sys.argv[2]).read_text()):
        q = pinocchio.neutral(model)
        for name, value in pose.items():
            joint = model.joints[model.getJointId(name)]
            # Continuous joints are (cos, sin) there.
            q[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else (math.cos(value), math.sin(value))
        pinocchio.framesForwardKinematics(model, data, q)
        result.append(
            {
                frame.name: data.oMf[i].homogeneous.tolist()
                for i, frame in enumerate(model.frames)
                if frame.type == pinocchio.FrameType.BODY
            }
        )
    print(json.dumps(result))


main()
