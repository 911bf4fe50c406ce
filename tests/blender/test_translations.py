"""Every text that users see can be translated, and is in German."""

from __future__ import annotations

import re

from blender import own_texts
from blender.support import module

FIELD = re.compile(r"{\w*}")


def test_every_text_has_a_german_one() -> None:
    german = module("ui.german").GERMAN
    missing = {text: where for text, where in own_texts.texts().items() if text not in german}
    assert not missing, "add these to ui/german.py: " + "; ".join(
        f"{text!r} ({where})" for text, where in missing.items()
    )


def test_no_german_text_is_left_over() -> None:
    left = set(module("ui.german").GERMAN) - set(own_texts.texts())
    assert not left, f"take these from ui/german.py: {sorted(left)}"


def test_german_texts_have_the_same_fields_and_are_no_descriptions_with_a_full_stop() -> None:
    for text, german in module("ui.german").GERMAN.items():
        assert sorted(FIELD.findall(text)) == sorted(FIELD.findall(german)), text
        assert german.strip() == german, german
        assert german.endswith(".") == text.endswith("."), german


def test_no_text_is_put_together_without_being_looked_up() -> None:
    assert own_texts.put_together() == []


def test_the_texts_are_found_at_all() -> None:
    found = own_texts.texts()
    for text in (
        "Solve",
        "Moved Joints",
        "Search Elsewhere",
        "{length} to go",
        "Report copied",
        "By the Rule",
        "Fully",
    ):
        assert text in found
