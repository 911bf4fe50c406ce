"""The other side of a bone, by its name; where names leave a choice, by where the bones rest."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator

import bpy
import numpy as np
from numpy.typing import NDArray

# Words for a side and for the other one; case does not count.
_OTHER = {"l": "r", "left": "right", "lt": "rt", "lft": "rgt", "左": "右"}
_OTHER |= {right: left for left, right in _OTHER.items()}
# Words, written as kinds of characters: U upper case, l lower case, d digit, o other letter, S a letter that is a word.
# "LHipJoint" has the words L, Hip and Joint, "lHand" l and Hand, "Bip01" Bip and 01.
_WORD = re.compile("U+(?!l)|U?l+|d+|o+|S")
# A rest position that is mirrored to this share of its distance from the origin confirms a pair.
_CONFIRMED = 1e-2

Places = Callable[[str], NDArray[np.float64]]


class Sides:
    """The bones of an armature as far as they come in pairs.

    Blender's own rule (``bpy.utils.flip_name``) goes first. Beyond it, two names make a pair when they differ in
    nothing but one word for the side, or all such words: "left" and "right", "l" and "r" and the like, set off by
    separators, digits or a change of case; and 左 and 右 anywhere. Where several bones come into question, the one that
    rests mirrored is taken, then the one whose name is written alike; a rest that is not symmetric makes no pair wrong.
    """

    def __init__(self, names: Iterable[str], places: Places | None = None) -> None:
        """Take the names of all bones.

        Args:
            names: of all bones.
            places: (k, 3) points at rest of the bone of a name, mirrored at x = 0; None = names alone decide.
        """
        self._names: dict[str, list[str]] = {}
        for name in names:
            self._names.setdefault(_folded(name), []).append(name)
        self._places = places

    def other(self, name: str) -> str:
        """The bone on the other side, "" where there is none; whose other side in turn is the named bone."""
        found = self._best(name)
        return found if found and self._best(found) == name else ""

    def _best(self, name: str) -> str:
        flipped = bpy.utils.flip_name(name)
        if flipped != name and flipped in self._names.get(_folded(flipped), ()):
            return flipped
        own = _folded(name)
        found = [
            (candidate, alike)
            for alike in _flipped_names(name)
            for candidate in self._names.get(alike.casefold(), ())
            if any(back.casefold() == own for back in _flipped_names(candidate))
        ]
        return min(found, key=lambda one: self._rank(name, *one))[0] if found else ""

    def _rank(self, name: str, candidate: str, alike: str) -> tuple[bool, bool, float]:
        unlike = unicodedata.normalize("NFKC", candidate) != alike
        if self._places is None:
            return True, unlike, 0.0
        one, two = self._places(name), self._places(candidate)
        off = float(np.abs(two - one * (-1.0, 1.0, 1.0)).max())
        return off > _CONFIRMED * float(np.abs(one).max()), unlike, off


def of_armature(data: bpy.types.Armature) -> Sides:
    """The pairs of an armature's bones. Valid until Blender changes the armature."""

    def ends(name: str) -> NDArray[np.float64]:
        bone = data.bones[name]
        return np.array((bone.head_local, bone.tail_local), dtype=np.float64)

    return Sides((bone.name for bone in data.bones), ends)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _flipped_names(name: str) -> Iterator[str]:
    """What the other side may be called: with one word for a side replaced, or all of them, each in its own case."""
    text = unicodedata.normalize("NFKC", name)
    words = [match.span() for match in _WORD.finditer("".join(map(_kind, text)))]
    sided = [span for span in words if text[slice(*span)].casefold() in _OTHER]
    for chosen in [*([span] for span in sided), *([sided] if len(sided) > 1 else [])]:
        if len({text[slice(*span)].casefold() for span in chosen}) > 1:
            continue
        flipped, end = "", 0
        for start, stop in chosen:
            flipped += text[end:start] + _flipped(text[start:stop])
            end = stop
        yield flipped + text[end:]


def _kind(character: str) -> str:
    if character in "左右":
        return "S"
    if character.isupper():
        return "U"
    if character.islower():
        return "l"
    if character.isdigit():
        return "d"
    return "o" if character.isalpha() else " "


def _flipped(word: str) -> str:
    other = _OTHER[word.casefold()]
    if word.isupper():
        return other.upper()
    return other.capitalize() if word[0].isupper() else other
