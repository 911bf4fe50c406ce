"""Work that makes data-blocks in steps: a window can show how far it is and stop it, and then nothing of it stays."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import bpy

from ..errors import RigError
from .transaction import Blocks, data_blocks, made_since

Result = TypeVar("Result")


class Step(NamedTuple):
    """How far a job is.

    Attributes:
        done: from 0 to 1.
        doing: what comes next, in a few words.
    """

    done: float
    doing: str


Steps: TypeAlias = Generator[Step, None, Result]


class Job(Generic[Result]):
    """Runs steps all at once or in slices; all data-blocks that they make, or none.

    Attributes:
        step: the last one.
        result: what the steps return; None until they are through.
    """

    def __init__(self, start: Callable[[Blocks], Steps[Result]]) -> None:
        """Begin, without doing anything yet.

        Args:
            start: gives the steps; called with the data-blocks that are there already. What others make between two
                slices is added to them.
        """
        self._before = data_blocks()
        self._paused_with = set(self._before)
        self._steps = start(self._before)
        self.step = Step(0.0, "")
        self.result: Result | None = None

    def advance(self, seconds: float = math.inf) -> bool:
        """Go on for about so long. On an exception, all that was made is removed before it goes on upwards.

        Returns:
            Whether the job is done.

        Raises:
            RigError: others have removed what the job works on since it was paused.
        """
        end = time.perf_counter() + seconds
        self._spare_what_others_made()
        try:
            while True:
                self.step = next(self._steps)
                if time.perf_counter() >= end:
                    break
        except StopIteration as returned:
            self.result = returned.value
            self.step = Step(1.0, "")
            return True
        except ReferenceError as error:
            self._remove()
            raise RigError("what was being worked on has been removed meanwhile; begin again") from error
        except BaseException:
            self._remove()
            raise
        self._paused_with = set(data_blocks())
        return False

    def run(self) -> Result:
        """Go on to the end."""
        while not self.advance():
            pass
        assert self.result is not None
        return self.result

    def cancel(self) -> None:
        """End it here and remove all that it has made. Once it is done, that stays."""
        if self.result is not None:
            return
        self._spare_what_others_made()
        self._steps.close()
        self._remove()

    def _spare_what_others_made(self) -> None:
        for uid, block in data_blocks().items():
            if uid not in self._paused_with:
                self._before[uid] = block

    def _remove(self) -> None:
        bpy.data.batch_remove(made_since(self._before))
