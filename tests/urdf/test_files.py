"""From names in a description to files on disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from linkpose.urdf.files import Finder


@pytest.fixture(autouse=True)
def no_ros(monkeypatch):
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)


@pytest.fixture
def make(tmp_path):
    """Makes a file below tmp_path; a package.xml is given its name after a colon."""

    def make(where: str) -> Path:
        below, _, name = where.partition(":")
        file = tmp_path / below
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"<package><!-- <name>wrong</name> --><name> {name} </name></package>" if name else "")
        return file

    return make


def same_case_folder(folder: Path) -> bool:
    """Whether the file system tells upper from lower case."""
    (folder / "Case").touch()
    return not (folder / "cASE").exists()


@pytest.mark.parametrize("name", ["m.stl", "./m.stl", "../u/m.stl", ".\\m.stl", "..\\u\\m.stl", " m.stl "])
def test_relative_names_start_at_the_file_and_not_at_the_current_folder(make, tmp_path, monkeypatch, name):
    mesh = make("p/u/m.stl")
    other = make("elsewhere/m.stl")
    monkeypatch.chdir(other.parent)
    assert Finder(tmp_path / "p/u/r.urdf").find(name).path == mesh
    assert Finder(Path("../p/u/r.urdf")).find(name).path == mesh


@pytest.mark.parametrize("pattern", ["{}", "file://{}", "file:{}", "file://localhost{}", "file:///{}"])
def test_absolute_names_are_taken_as_they_are(make, tmp_path, pattern):
    mesh = make("p/m/a.stl")
    found = Finder(tmp_path / "q/r.urdf").find(pattern.format(mesh))
    assert (found.path, found.note) == (mesh, "")


def test_two_slashes_after_file_may_start_a_relative_path(make, tmp_path):
    mesh = make("p/assets/a.stl")
    assert Finder(tmp_path / "p/r.urdf").find("file://assets/a.stl").path == mesh


def test_a_package_is_known_by_the_name_in_its_manifest(make, tmp_path):
    make("a/b/pkgroot/package.xml:hand")
    mesh = make("a/b/pkgroot/meshes/f.obj")
    assert Finder(tmp_path / "a/b/pkgroot/urdf/r.urdf").find("package://hand/meshes/f.obj").path == mesh


def test_a_package_is_known_by_its_folder(make, tmp_path):
    mesh = make("ws/husky/husky_description/meshes/base.dae")
    found = Finder(tmp_path / "ws/husky/husky_description/urdf/r.urdf").find(
        "package://husky_description/meshes/base.dae"
    )
    assert (found.path, found.note) == (mesh, "")


def test_a_package_beside_a_folder_above_is_found(make, tmp_path):
    mesh = make("root/art/meshes/b.stl")
    assert Finder(tmp_path / "root/robots/h/r.urdf").find("package://art/meshes/b.stl").path == mesh


def test_a_package_beside_is_known_by_its_manifest_too(make, tmp_path):
    make("src/other_folder/package.xml:art")
    mesh = make("src/other_folder/meshes/b.stl")
    assert Finder(tmp_path / "src/mine/urdf/r.urdf").find("package://art/meshes/b.stl").path == mesh


def test_a_package_in_a_repository_beside_is_found(make, tmp_path):
    make("src/repository/pkg/package.xml:art")
    mesh = make("src/repository/pkg/b.stl")
    assert Finder(tmp_path / "src/mine/pkg/urdf/r.urdf").find("package://art/b.stl").path == mesh


@pytest.mark.parametrize(
    "give",
    [
        lambda folder: {"art": folder},
        lambda folder: {"art": folder.parent},
        lambda folder: [folder],
        lambda folder: [str(folder.parent)],
        lambda folder: [folder.parent.parent],
        lambda folder: folder,
        str,
    ],
    ids=["mapping", "mapping to the parent", "list", "list of the parent", "list of the workspace", "path", "text"],
)
def test_given_packages_are_searched(make, tmp_path, give):
    make("far/ws/art/package.xml:art")
    mesh = make("far/ws/art/b.stl")
    make("near/p/r.urdf")
    found = Finder(tmp_path / "near/p/r.urdf", give(tmp_path / "far/ws/art")).find("package://art/b.stl")
    assert (found.path, found.note) == (mesh, "")


def test_given_packages_come_before_the_ones_around_the_file(make, tmp_path):
    make("ws/art/b.stl")
    chosen = make("other/art/b.stl")
    assert (
        Finder(tmp_path / "ws/art/r.urdf", {"art": tmp_path / "other/art"}).find("package://art/b.stl").path == chosen
    )


def test_the_folders_of_ros_are_searched(make, tmp_path, monkeypatch):
    one = make("ros1/art/b.stl")
    make("ros1b/folder/package.xml:paint")
    two = make("ros1b/folder/b.stl")
    three = make("ros2/share/clay/b.stl")
    monkeypatch.setenv("ROS_PACKAGE_PATH", os.pathsep.join([str(tmp_path / "ros1"), str(tmp_path / "ros1b"), ""]))
    monkeypatch.setenv("AMENT_PREFIX_PATH", os.pathsep.join(["/nowhere", str(tmp_path / "ros2")]))
    finder = Finder(tmp_path / "x/y/r.urdf")
    assert finder.find("package://art/b.stl").path == one
    assert finder.find("package://paint/b.stl").path == two
    assert finder.find("package://clay/b.stl").path == three


@pytest.mark.parametrize(
    "name",
    [
        "package:///hand/m/a.stl",
        "package://hand//m/a.stl",
        "package:\\\\hand\\m\\a.stl",
        "model://hand/m/a.stl",
        "$(find hand)/m/a.stl",
        "file://$(find hand)/m/a.stl",
    ],
)
def test_other_ways_to_name_a_package_are_understood(make, tmp_path, name):
    make("hand/package.xml:hand")
    mesh = make("hand/m/a.stl")
    found = Finder(tmp_path / "hand/urdf/r.urdf").find(name)
    assert (found.path, found.note) == (mesh, "")


def test_percent_codes_are_decoded_when_the_name_itself_does_not_exist(make, tmp_path):
    mesh = make("p/m y/ä.stl")
    finder = Finder(tmp_path / "p/r.urdf")
    assert finder.find("m%20y/%C3%A4.stl").path == mesh
    assert finder.find(f"file://{tmp_path}/p/m%20y/ä.stl").path == mesh
    literal = make("p/m%20y/ä.stl")
    assert Finder(tmp_path / "p/r.urdf").find("m%20y/ä.stl").path == literal


@pytest.mark.parametrize("name", ["Meshes/A.STL", "package://p/Meshes/A.STL", "../P/meshes/a.Stl"])
def test_other_case_is_the_second_try_and_noted(make, tmp_path, name):
    if not same_case_folder(tmp_path):
        pytest.skip("the file system does not tell upper from lower case")
    mesh = make("p/meshes/a.stl")
    found = Finder(tmp_path / "p/r.urdf").find(name)
    assert found.path == mesh
    assert str(mesh) in found.note


def test_the_exact_case_wins(make, tmp_path):
    if not same_case_folder(tmp_path):
        pytest.skip("the file system does not tell upper from lower case")
    make("p/a.stl")
    exact = make("p/A.STL")
    found = Finder(tmp_path / "p/r.urdf").find("A.STL")
    assert (found.path, found.note) == (exact, "")


def test_accents_may_be_composed_or_not(make, tmp_path):
    mesh = make("p/a\u0308.stl")
    assert Finder(tmp_path / "p/r.urdf").find("ä.stl").path == mesh


@pytest.mark.parametrize(
    "name",
    [
        "C:\\Users\\me\\p\\meshes\\a.dae",
        "file:///C:/Users/me/p/meshes/a.dae",
        "file:///home/nobody/p/meshes/a.dae",
        "/home/nobody/p/meshes/a.dae",
        "package://meshes/a.dae",
        "package://p/p/meshes/a.dae",
        "package://other_name/meshes/a.dae",
    ],
)
def test_a_name_from_another_machine_is_matched_by_its_last_parts_and_noted(make, tmp_path, name):
    make("p/package.xml:p")
    mesh = make("p/meshes/a.dae")
    found = Finder(tmp_path / "p/urdf/r.urdf").find(name)
    assert found.path == mesh
    assert found.note == "" or str(mesh) in found.note


def test_the_search_by_last_parts_stays_in_the_package(make, tmp_path):
    make("p/package.xml:p")
    make("a.dae")
    assert Finder(tmp_path / "p/urdf/r.urdf").find("/home/nobody/a.dae").path is None


def test_a_missing_file_of_a_known_package_is_explained_by_the_path(make, tmp_path):
    make("1/2/3/4/p/package.xml:p")
    found = Finder(tmp_path / "1/2/3/4/p/urdf/r.urdf").find("package://p/m/a.dae")
    assert found.path is None
    assert found.tried == (str(tmp_path / "1/2/3/4/p/m/a.dae"),)
    assert "put the file there" in found.explanation


def test_an_unknown_package_is_explained_with_every_path(make, tmp_path):
    make("p/package.xml:p")
    found = Finder(tmp_path / "p/urdf/r.urdf").find("package://gone/m/a.dae")
    assert found.path is None
    assert str(tmp_path / "gone/m/a.dae") in found.tried
    assert "package 'gone' was not found" in found.explanation
    assert "package:" not in "".join(found.tried)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "package://",
        "package://p",
        "file://",
        "/",
        ".",
        "..",
        "a\0b",
        "x" * 5000,
        "C:",
        "package://p/../../..",
        "$(find )",
    ],
)
def test_names_that_lead_nowhere_are_no_crash(make, tmp_path, name):
    make("p/package.xml:p")
    found = Finder(tmp_path / "p/r.urdf").find(name)
    assert found.path is None
    assert found.explanation


def test_web_addresses_are_refused_by_what_they_are(tmp_path):
    found = Finder(tmp_path / "r.urdf").find("https://example.com/a.stl")
    assert found.path is None
    assert "https: names are not read" in found.explanation


def test_a_colon_in_a_file_name_is_no_scheme(make, tmp_path):
    mesh = make("part:1.stl") if os.name != "nt" else pytest.skip("Windows has no colons in file names")
    assert Finder(tmp_path / "r.urdf").find("part:1.stl").path in (mesh, None)


def test_linked_packages_are_searched_where_the_link_is_and_where_it_leads(make, tmp_path):
    real = make("real/p/urdf/r.urdf")
    beside_real = make("real/q/a.stl")
    beside_link = make("ws/o/a.stl")
    (tmp_path / "ws/p").symlink_to(real.parent.parent, target_is_directory=True)
    finder = Finder(tmp_path / "ws/p/urdf/r.urdf")
    assert finder.find("package://o/a.stl").path == beside_link
    assert finder.find("package://q/a.stl").path == beside_real


def test_a_linked_file_keeps_the_ending_of_its_own_name(make, tmp_path):
    blob = make("store/1234abcd")
    (tmp_path / "p").mkdir()
    (tmp_path / "p/a.stl").symlink_to(blob)
    assert Finder(tmp_path / "p/r.urdf").find("a.stl").path == tmp_path / "p/a.stl"


def test_huge_folders_are_not_searched_through(make, tmp_path, monkeypatch):
    for i in range(300):
        (tmp_path / f"ws/{i}/inner").mkdir(parents=True)
    looked = []
    original = Path.open
    monkeypatch.setattr(
        Path, "open", lambda self, *args, **kwargs: (looked.append(self), original(self, *args, **kwargs))[1]
    )
    monkeypatch.setattr("linkpose.urdf.folders._ENTRIES_LOOKED_AT", 100)
    assert Finder(tmp_path / "ws/p/urdf/r.urdf").find("package://gone/a.stl").path is None
    assert len(looked) < 200
