"""What OBJ files say of their materials beside what Blender's importer makes of them."""

from __future__ import annotations

from pathlib import Path

from linkpose.urdf.obj_materials import read_obj_materials


def _write(folder: Path, obj: str, **libraries: str) -> Path:
    for name, text in libraries.items():
        (folder / f"{name}.mtl").write_text(text)
    (folder / "a.obj").write_text(obj)
    return folder / "a.obj"


def test_a_file_that_defines_what_it_uses_has_nothing_to_say(tmp_path: Path) -> None:
    path = _write(tmp_path, "mtllib a.mtl\r\nusemtl red paint \r\nf 1 2 3\r\n", a="newmtl red paint\nKd 1 0 0\n")
    found = read_obj_materials(path)
    assert (found.undefined, found.glass, found.notes) == (frozenset(), frozenset(), ())


def test_several_libraries_on_one_line_and_names_with_spaces_are_read(tmp_path: Path) -> None:
    path = _write(tmp_path, "mtllib a.mtl b.mtl\nusemtl x\nusemtl y\n", a="newmtl x\n", b="\tnewmtl y\nillum 7\n")
    assert not read_obj_materials(path).undefined
    assert read_obj_materials(path).glass == {"y"}
    (tmp_path / "with space.mtl").write_text("newmtl x\nillum 4\nnewmtl y\nillum 2\n")
    path.write_text("mtllib with space.mtl\nusemtl x\nusemtl y\n")
    assert not read_obj_materials(path).undefined
    assert read_obj_materials(path).glass == {"x"}


def test_what_is_defined_nowhere_is_named_with_the_reason(tmp_path: Path) -> None:
    path = _write(tmp_path, "mtllib lost.mtl\nusemtl x\n")
    found = read_obj_materials(path)
    assert found.undefined == {"x"}
    assert "lost.mtl" in found.notes[0]
    path = _write(tmp_path, "mtllib a.mtl\nusemtl x\n", a="newmtl y\n")
    found = read_obj_materials(path)
    assert found.undefined == {"x"}
    assert "'x'" in found.notes[0]


def test_names_that_no_system_takes_are_names_that_are_not_there(tmp_path: Path) -> None:
    for name in ("x" * 5000, "a\0b", "\ud800"):
        path = tmp_path / "a.obj"
        path.write_bytes(f"mtllib {name}\nusemtl x\n".encode("utf-8", "surrogatepass"))
        assert read_obj_materials(path).undefined == {"x"}


def test_a_lost_library_whose_materials_nobody_uses_is_no_matter(tmp_path: Path) -> None:
    found = read_obj_materials(_write(tmp_path, "mtllib lost.mtl\nf 1 2 3\n"))
    assert (found.undefined, found.notes) == (frozenset(), ())


def test_long_lines_of_blanks_take_no_time(tmp_path: Path) -> None:
    blanks = " " * 200_000
    path = _write(tmp_path, f"mtllib a.mtl\nusemtl a{blanks}b\n", a=f"newmtl a{blanks}b\n" + "newmtl \n" * 1000)
    assert not read_obj_materials(path).undefined
