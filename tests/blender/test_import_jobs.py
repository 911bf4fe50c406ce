"""Imports in slices: progress, stopping, what others make meanwhile; the report, the panel and the package folders."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest
from blender import mesh_files
from blender.robots import import_text, robot_file, visuals
from blender.support import api, module
from support import EXTENSION


def _blocks() -> dict[str, list[str]]:
    return {
        member.identifier: sorted(block.name_full for block in getattr(bpy.data, member.identifier))
        for member in bpy.data.bl_rna.properties
        if member.type == "COLLECTION"
    }


def _job(path: Path):
    return module("rig.import_job").import_job(path, module("rig.import_record").ImportOptions())


def _two_meshes(folder: Path) -> Path:
    mesh_files.write_stl(folder / "a.stl")
    mesh_files.write_obj(folder / "b.obj", "newmtl paint\nKd 0.1 0.2 0.3\n")
    shapes = "".join(f'<visual><geometry><mesh filename="{name}"/></geometry></visual>' for name in ("a.stl", "b.obj"))
    path = folder / "made.urdf"
    path.write_text(f'<robot name="made"><link name="a">{shapes}</link></robot>')
    return path


def test_an_import_in_slices_tells_how_far_it_is_and_makes_the_same() -> None:
    path = robot_file("talos")
    api.import_urdf(path)
    whole = _blocks()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    job = _job(path)
    told = []
    while not job.advance(0.0):
        told.append(job.step.done)
    assert len(told) > 20
    assert told == sorted(told)
    assert told[0] == 0.0
    assert 0.9 < told[-1] < 1.0
    assert _blocks() == whole


@pytest.mark.parametrize("slices", range(1, 4))
def test_an_import_that_is_stopped_leaves_nothing(slices: int, tmp_path: Path) -> None:
    before = _blocks()
    job = _job(_two_meshes(tmp_path))
    for _ in range(slices):
        assert not job.advance(0.0)
    job.cancel()
    assert _blocks() == before
    job.cancel()


def test_an_import_that_is_stopped_leaves_what_others_have_made_meanwhile(tmp_path: Path) -> None:
    job = _job(_two_meshes(tmp_path))
    job.advance(0.0)
    job.advance(0.0)
    theirs = bpy.data.materials.new("theirs")
    job.advance(0.0)
    job.cancel()
    assert list(bpy.data.materials) == [theirs]


def test_what_others_make_meanwhile_outlives_a_finished_import_too(tmp_path: Path) -> None:
    job = _job(_two_meshes(tmp_path))
    job.advance(0.0)
    theirs = bpy.data.materials.new("theirs")  # nobody uses it
    job.run()
    assert theirs in set(bpy.data.materials)
    assert "linkpose" not in theirs
    job.cancel()
    assert "made" in bpy.data.objects


def test_what_others_remove_meanwhile_ends_an_import_with_an_error_and_nothing_left(tmp_path: Path) -> None:
    before = _blocks()
    job = _job(_two_meshes(tmp_path))
    for _ in range(3):
        assert not job.advance(0.0)
    bpy.data.meshes.remove(bpy.data.meshes[0])
    with pytest.raises(module("errors").RigError, match="removed meanwhile"):
        job.run()
    assert _blocks() == before


class _Window:
    """Stands in for Blender's window manager, which has no events without a window."""

    def __init__(self) -> None:
        self.said: list[object] = []
        self.percent: list[int] = []
        self.timers = 0
        self.window_manager = self
        self.workspace = self
        self.window = None

    def event_timer_add(self, _step: float, window: object) -> str:
        self.timers += 1
        return "timer"

    def event_timer_remove(self, timer: str) -> None:
        assert timer == "timer"
        self.timers -= 1

    def progress_begin(self, low: int, high: int) -> None:
        assert (low, high) == (0, 100)

    def progress_update(self, percent: int) -> None:
        self.percent.append(percent)

    def progress_end(self) -> None:
        self.percent.append(-1)

    def modal_handler_add(self, _operator: object) -> bool:
        return True

    def status_text_set(self, text: str | None) -> None:
        self.said.append(text)


def _operator(monkeypatch: pytest.MonkeyPatch, *paths: Path):
    running = module("operators.running")
    monkeypatch.setattr(running, "SLICE", 0.0)
    operator = running.RunsJobs()
    operator.told = []
    operator.report = lambda kind, text: operator.told.append((*kind, text))
    window = _Window()
    assert operator.start(window, [(path.name, lambda path=path: _job(path)) for path in paths]) == {"RUNNING_MODAL"}
    return operator, window


TIMER = SimpleNamespace(type="TIMER", value="NOTHING")


def test_the_operator_shows_progress_and_finishes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    operator, window = _operator(monkeypatch, _two_meshes(tmp_path))
    results = [operator.modal(window, TIMER) for _ in range(4)]
    assert results == [{"RUNNING_MODAL"}] * 3 + [{"FINISHED"}]
    assert "made" in bpy.data.objects
    assert any("b.obj" in text and "Esc" in text for text in window.said if text)
    assert window.said[-1] is None
    assert window.percent[-1] == -1
    assert max(window.percent) > 0
    assert window.timers == 0
    ((kind, text),) = operator.told
    assert kind == "INFO"
    assert text == "made: 1 link"


def test_esc_stops_it_and_nothing_half_built_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _blocks()
    operator, window = _operator(monkeypatch, _two_meshes(tmp_path))
    operator.modal(window, TIMER)
    operator.modal(window, TIMER)
    assert operator.modal(window, SimpleNamespace(type="Z", value="PRESS")) == {"RUNNING_MODAL"}
    assert operator.modal(window, SimpleNamespace(type="ESC", value="PRESS")) == {"CANCELLED"}
    assert _blocks() == before
    assert window.timers == 0
    assert window.said[-1] is None
    assert operator.told[0][0] == "WARNING"


def test_a_bad_file_does_not_keep_the_next_from_being_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad.urdf").write_text("<robot>")
    operator, window = _operator(monkeypatch, tmp_path / "bad.urdf", _two_meshes(tmp_path))
    while (result := operator.modal(window, TIMER)) == {"RUNNING_MODAL"}:
        pass
    assert result == {"FINISHED"}
    assert "made" in bpy.data.objects
    assert [kind for kind, _ in operator.told] == ["INFO", "ERROR"]
    assert "bad.urdf" in operator.told[1][1]


def test_what_ends_it_from_outside_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _blocks()
    operator, window = _operator(monkeypatch, _two_meshes(tmp_path))
    operator.modal(window, TIMER)
    operator.modal(window, TIMER)
    module("operators.running").end(window)
    assert _blocks() == before
    assert window.timers == 0


def test_the_report_is_kept_with_the_armature_and_shown_in_lines(tmp_path: Path) -> None:
    shape = '<visual><geometry><mesh filename="nowhere.stl"/></geometry></visual>'
    report = import_text(tmp_path, f'<link name="a">{shape}</link>', packages=[tmp_path], collision=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    warnings, name = report.warnings, report.armature.name
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    record = module("rig.import_record").read(bpy.data.objects[name])
    assert record.warnings == warnings
    assert record.source == (tmp_path / "made.urdf").as_posix()
    assert record.options.collision
    assert record.options.packages == (str(tmp_path),)
    assert "1 link, 0 shapes" in record.summary
    (lines,) = module("ui.import_panel").shown(record, 40)
    assert all(len(line) <= 40 for line in lines)
    assert " ".join(lines).startswith("line 1: ")
    assert "nowhere.stl" in "".join(lines)
    assert module("rig.import_record").read(None) is None


def test_many_warnings_are_shown_as_the_first_ones_and_a_count() -> None:
    record = module("rig.import_record").ImportRecord("r.urdf", warnings=tuple(f"r.urdf:{i}: odd" for i in range(40)))
    lines = module("ui.import_panel").shown(record, 30)
    assert lines[0] == ["line 0: odd"]
    assert lines[-1][0].startswith("28 more")
    assert len(lines) == 13


def test_package_folders_of_the_dialog_and_of_the_preferences_are_looked_in(tmp_path: Path) -> None:
    for number in (1, 2):
        folder = tmp_path / f"ws{number}" / f"p{number}"
        folder.mkdir(parents=True)
        mesh_files.write_stl(folder / "a.stl")
    (tmp_path / "robot").mkdir()
    path = tmp_path / "robot" / "made.urdf"
    shapes = "".join(
        f'<visual><geometry><mesh filename="package://p{number}/a.stl"/></geometry></visual>' for number in (1, 2)
    )
    path.write_text(f'<robot name="made"><link name="a">{shapes}</link></robot>')
    folders = bpy.context.preferences.addons[EXTENSION].preferences.package_folders
    for index in range(len(folders)):
        folders.remove(index)
    bpy.ops.linkpose.add_package_folder(directory=str(tmp_path / "ws2"))
    assert [folder.path for folder in folders] == [str(tmp_path / "ws2")]
    bpy.ops.linkpose.add_package_folder(directory=str(tmp_path / "ws2"))
    assert len(folders) == 1
    bpy.ops.linkpose.import_urdf(filepath=str(path), package_folders=f"{tmp_path / 'ws1'}; ")
    armature = bpy.context.object
    assert len(visuals(armature)["a"]) == 2
    bpy.ops.linkpose.remove_package_folder(index=0)
    assert len(folders) == 0
    bpy.ops.linkpose.reload_urdf()  # with the folders of the import
    assert len(visuals(armature)["a"]) == 2


def test_a_folder_that_is_added_to_the_preferences_is_looked_in_when_a_robot_is_read_again(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere" / "parts"
    folder.mkdir(parents=True)
    mesh_files.write_stl(folder / "a.stl")
    (tmp_path / "robot").mkdir()
    path = tmp_path / "robot" / "made.urdf"
    shape = '<visual><geometry><mesh filename="package://parts/a.stl"/></geometry></visual>'
    path.write_text(f'<robot name="made"><link name="a">{shape}</link></robot>')
    bpy.ops.linkpose.import_urdf(filepath=str(path))
    armature = bpy.context.object
    assert "package 'parts' was not found" in module("rig.import_record").read(armature).warnings[0]
    assert not visuals(armature).get("a")
    bpy.ops.linkpose.add_package_folder(directory=str(tmp_path / "elsewhere"))
    bpy.ops.linkpose.reload_urdf()
    assert len(visuals(armature)["a"]) == 1
    assert not module("rig.import_record").read(armature).warnings
    bpy.ops.linkpose.remove_package_folder(index=0)


def test_reloading_is_one_undo_step(tmp_path: Path) -> None:
    path = _two_meshes(tmp_path)
    bpy.ops.ed.undo_push(message="before")
    empty = _blocks()
    bpy.ops.linkpose.import_urdf("EXEC_DEFAULT", True, filepath=str(path))
    before = _blocks()
    path.write_text(path.read_text().replace("</robot>", '<link name="b"/><joint name="j" type="fixed">'
                    '<parent link="a"/><child link="b"/></joint></robot>'))  # fmt: skip
    bpy.ops.linkpose.reload_urdf("EXEC_DEFAULT", True)
    assert "b" in bpy.data.armatures["made"].bones
    bpy.ops.ed.undo()
    assert "b" not in bpy.data.armatures["made"].bones
    assert _blocks() == before
    bpy.ops.ed.undo()
    assert _blocks() == empty
    bpy.ops.ed.redo()
    bpy.ops.ed.redo()
    assert "b" in bpy.data.armatures["made"].bones


XACRO = """<robot name="made" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="tool" default="cup"/>
<link name="$(arg tool)"/></robot>"""


def test_the_operator_passes_on_arguments_of_xacro(tmp_path: Path) -> None:
    path = tmp_path / "made.xacro"
    path.write_text(XACRO)
    bpy.ops.linkpose.import_urdf(filepath=str(path), xacro_args="tool:='a fork'", allow_code=True)
    assert [bone.name for bone in bpy.context.object.data.bones] == ["a fork"]
    for wrong in ("tool=fork", ":=fork", "tool:='fork"):
        with pytest.raises(RuntimeError, match="write name:=value"):
            bpy.ops.linkpose.import_urdf(filepath=str(path), xacro_args=wrong, allow_code=True)


def test_code_in_a_file_runs_only_after_a_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "made.xacro"
    path.write_text(XACRO)
    running, asked = module("operators.running"), []
    job = module("rig.import_job").import_job(path, module("rig.import_record").ImportOptions(), allow_code=False)
    operator = running.RunsJobs()
    operator.ask_again = asked.extend
    operator.report = lambda *_: pytest.fail("nothing is to be reported")
    window = _Window()
    operator.start(window, [("made.xacro", lambda: job)])
    while (result := operator.modal(window, TIMER)) == {"RUNNING_MODAL"}:
        pass
    assert result == {"CANCELLED"}
    assert asked == ["made.xacro"]
    assert not bpy.data.armatures
