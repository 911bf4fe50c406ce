"""xacro: what is expanded, by whom it is allowed, what is said when it fails, and that nothing leaks."""

from __future__ import annotations

import os
import sys
import types
from pathlib import Path
from xml.dom import minidom

import pytest
from linkpose.urdf import UrdfError, XacroNotAllowed, document, expansion, load, xacro_arguments, xacro_expressions
from linkpose.urdf.files import Finder
from linkpose.urdf.notes import Notes

pytest.importorskip("xacro")

MACRO = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:property name="length" value="0.5"/>
<xacro:macro name="arm" params="name parent x:=1">
  <link name="${name}"/>
  <joint name="${name}_joint" type="prismatic"><parent link="${parent}"/><child link="${name}"/>
    <origin xyz="${x * length} 0 0"/>
    <limit lower="0" upper="${2 * length}"/></joint>
</xacro:macro>
</robot>"""

TOP = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="second" default="true"/>
<xacro:arg name="base" default="base"/>
<xacro:include filename="$(find parts)/urdf/arm.xacro"/>
<link name="$(arg base)"/>
<xacro:arm name="a" parent="$(arg base)"/>
<xacro:if value="$(arg second)"><xacro:arm name="b" parent="a" x="4"/></xacro:if>
</robot>"""


@pytest.fixture(autouse=True)
def no_ros(monkeypatch):
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)


@pytest.fixture
def write(tmp_path):
    def write(where: str, text: str) -> Path:
        file = tmp_path / where
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    return write


@pytest.fixture
def robot(write):
    """A robot in two packages that lie beside each other; gives its top file."""
    write("ws/folder/package.xml", "<package><name>parts</name></package>")
    write("ws/folder/urdf/arm.xacro", MACRO)
    return write("ws/robot/urdf/top.xacro", TOP)


def names(read):
    return [link.name for link in read.links]


def test_includes_arguments_properties_macros_and_conditions_are_expanded(robot):
    read = load(robot)
    assert names(read) == ["base", "a", "b"]
    assert [joint.origin[0, 3] for joint in read.joints] == [0.5, 2.0]
    assert [joint.upper for joint in read.joints] == [1.0, 1.0]
    assert read.warnings == ()


@pytest.mark.parametrize("value", [False, "false", 0])
def test_arguments_are_taken_and_written_as_xacro_has_them(robot, value):
    assert names(load(robot, xacro_args={"second": value, "base": "torso"})) == ["torso", "a"]


def test_an_argument_that_nothing_uses_is_warned_about(robot):
    (warning,) = load(robot, xacro_args={"secnod": False}).warnings
    assert "'secnod' is used nowhere" in warning


def test_arguments_for_a_file_that_is_no_xacro_are_warned_about(write):
    (warning,) = load(write("r.urdf", '<robot name="r"><link name="a"/></robot>'), xacro_args={"x": 1}).warnings
    assert "'x' do nothing" in warning


def test_one_map_of_packages_is_used_for_includes_and_meshes(robot, write, tmp_path):
    write("far/parts/urdf/arm.xacro", MACRO.replace("0.5", "3"))
    assert load(robot, packages={"parts": tmp_path / "far" / "parts"}).joints[0].origin[0, 3] == 3.0


def test_packages_beside_an_included_file_are_found_for_its_meshes_too(write, tmp_path):
    write("there/one/package.xml", "<package><name>one</name></package>")
    write("there/two/package.xml", "<package><name>two</name></package>")
    mesh = write("there/two/a.stl", "")
    shape = '<visual><geometry><mesh filename="package://two/a.stl"/></geometry></visual>'
    write("there/two/link.xacro", f'<robot><link name="a">{shape}</link></robot>')
    write("there/one/in.xacro", '<robot><xacro:include filename="$(find two)/link.xacro"/></robot>')
    top = write("here/p/u/top.xacro", '<robot name="r"><xacro:include filename="$(find one)/in.xacro"/></robot>')
    read = load(top, packages={"one": tmp_path / "there" / "one"})
    assert read.links[0].visuals[0].geometry.path == mesh


@pytest.mark.parametrize(
    "name", ["package://parts/urdf/arm.xacro", "../../folder/urdf/arm.xacro", "/gone/urdf/arm.xacro"]
)
def test_included_files_are_found_as_meshes_are(robot, name):
    robot.write_text(TOP.replace("$(find parts)/urdf/arm.xacro", name))
    if name.startswith("/gone"):
        (robot.parent / "arm.xacro").write_text(MACRO)
    assert names(load(robot)) == ["base", "a", "b"]


def test_an_optional_include_may_be_absent(write):
    text = '<robot name="r"><xacro:include filename="no.xacro" optional="true"/><link name="a"/></robot>'
    assert names(load(write("r.xacro", text))) == ["a"]


def test_yaml_is_read_as_utf_8_with_units(write):
    write("p/v.yaml", "größe: 2.0\nangle: !degrees 180\nlist: [1, 2]\n")
    text = (
        '<robot name="r"><xacro:property name="v" value="${xacro.load_yaml(\'v.yaml\')}"/>'
        "<link name=\"n${v['größe']}_${round(v.angle, 3)}_${v.list[1]}\"/></robot>"
    )
    assert names(load(write("p/r.xacro", text))) == ["n2.0_3.142_2"]


def test_a_yaml_file_that_is_none_is_named_with_its_line(write):
    write("p/v.yaml", "a: 1\nb: [1, 2\n")
    text = '<robot name="r"><link name="${xacro.load_yaml(\'v.yaml\')}"/></robot>'
    with pytest.raises(UrdfError, match=r"v\.yaml:3: no YAML"):
        load(write("p/r.xacro", text))


@pytest.mark.parametrize(
    "text", ["&a [x, *a]", "".join(f"a{i}: &a{i} [{f'*a{i - 1},' * 9 if i else 0}]\n" for i in range(30))]
)
def test_aliases_that_multiply_or_lead_round_are_refused(write, text):
    write("p/v.yaml", text)
    file = write("p/r.xacro", '<robot name="r"><link name="${xacro.load_yaml(\'v.yaml\')}"/></robot>')
    with pytest.raises(UrdfError, match=r"v\.yaml: holds more than 1000000 values"):
        load(file)


@pytest.mark.parametrize(
    ("inside", "is_one"),
    [
        ('<link name="a"/>', False),
        ('<link name="a"/><!-- <xacro:x/> ${pi} -->', False),
        ('<link name="a"/><gazebo><plugin>${x}</plugin></gazebo>', False),
        ('<link name="a"><visual><geometry><box size="$(optenv SIZE 1 2 3)"/></geometry></visual></link>', True),
        ('<link name="a${1}"/>', True),
        ('<xacro:property name="x" value="1"/><link name="a"/>', True),
    ],
)
def test_xacro_in_a_urdf_is_told_by_elements_and_expressions(write, inside, is_one):
    file = write("r.urdf", f'<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">{inside}</robot>')
    assert load(file).warnings == ()
    if is_one:
        with pytest.raises(XacroNotAllowed, match="allow it if you trust the file"):
            load(file, allow_code=False)
    else:
        load(file, allow_code=False)


def test_no_expression_runs_without_permission(write, tmp_path):
    file = write("r.xacro", '<robot name="r"><link name="${xacro.load_yaml(\'mark.yaml\')}"/></robot>')
    with pytest.raises(XacroNotAllowed) as caught:
        load(file, allow_code=False)
    assert isinstance(caught.value, UrdfError)
    assert caught.value.path == file


def test_leftovers_in_a_urdf_that_cannot_be_expanded_are_ignored_with_a_warning(write):
    read = load(write("r.urdf", '<robot name="r">\n<xacro:gone/><link name="a"/></robot>'))
    (warning,) = read.warnings
    assert "ignored" in warning
    assert "r.urdf:2: " in warning
    assert names(read) == ["a"]


@pytest.mark.parametrize(
    ("inside", "line", "words"),
    [
        ('\n<link name="${nothing}"/>', 2, "name 'nothing' is not defined"),
        ('\n<link name="${1 +}"/>', 2, "correct it"),
        ("\n<xacro:gone/>", 2, "unknown macro name: xacro:gone"),
        ('\n\n<link name="$(arg side)"/>', 3, "argument 'side' has no value; give it as xacro_args={'side': …}"),
        (
            '\n<xacro:include filename="$(find gone)/a.xacro"/>',
            2,
            "package 'gone' was not found; give its folder as one",
        ),
        ('\n<xacro:include filename="gone.xacro"/>', 2, "there is no file"),
        ("\n<xacro:include/>", 2, "missing attribute 'filename'"),
        ('\n<xacro:if value="maybe"/>', 2, "not a boolean"),
        ('<xacro:macro name="m" params="x">\n<link name="${x.y}"/></xacro:macro>\n<xacro:m x="1"/>', 2, "in macro 'm'"),
        ('<xacro:macro name="m" params="x"/>\n<xacro:m/>', 2, "Undefined parameters [x]"),
        ('<xacro:macro name="m"><xacro:m/></xacro:macro>\n<xacro:m/>', 1, "use themselves without end"),
        ('<xacro:property name="a" value="${a}"/>\n<link name="${a}"/>', 2, "circular variable definition"),
        ('\n<link name="${().__class__}"/>', 2, "invalid name"),
        ('\n<link name="${1 / 0}"/>', 2, "division by zero"),
    ],
)
def test_what_cannot_be_expanded_is_refused_with_file_line_and_remedy(write, inside, line, words):
    with pytest.raises(UrdfError) as caught:
        load(write("r.xacro", f'<robot name="r">{inside}</robot>'))
    assert words in str(caught.value)
    assert f"r.xacro:{line}: " in str(caught.value)
    assert ";" in str(caught.value)


def test_an_error_in_an_included_file_names_that_file(robot, write):
    broken = write("ws/folder/urdf/arm.xacro", MACRO.replace("2 * length", "2 * lenght"))
    with pytest.raises(UrdfError, match=r"arm\.xacro:7: in macro 'arm': .*lenght") as caught:
        load(robot)
    assert caught.value.path == broken
    write("ws/folder/urdf/arm.xacro", "<robot>\n<link>\n</robot>")
    with pytest.raises(UrdfError, match=r"arm\.xacro:3: no well-formed XML"):
        load(robot)


def test_what_is_wrong_with_expanded_elements_names_the_line_where_they_were_written(robot, write):
    write("ws/folder/urdf/arm.xacro", MACRO.replace('upper="${2 * length}"', 'upper="${-length}"'))
    warning, _ = load(robot).warnings
    assert "arm.xacro:7: " in warning
    write("ws/folder/urdf/arm.xacro", MACRO.replace("${2 * length}", "${name}"))
    with pytest.raises(UrdfError, match=r"arm\.xacro:7: <limit>: upper='a': 'a' is no number"):
        load(robot)


def test_macros_alone_are_no_robot_and_the_message_says_so(write):
    with pytest.raises(UrdfError, match="only define macros: open the file that uses them"):
        load(write("m.xacro", MACRO))


BOMB = '<!DOCTYPE r [<!ENTITY a "ha">]>\n<robot name="r"><link name="&a;"/></robot>'


def test_entities_are_refused_in_xacro_and_in_what_it_includes(write):
    write("bomb.xacro", BOMB)
    for text in (BOMB, '<robot name="r"><xacro:include filename="bomb.xacro"/></robot>'):
        with pytest.raises(UrdfError, match="DOCTYPE"):
            load(write("r.xacro", text))


def test_macros_that_multiply_end_in_an_error_and_not_in_the_memory(write, monkeypatch):
    monkeypatch.setattr(expansion, "MOST_ELEMENTS", 5000)
    levels = "".join(
        f'<xacro:macro name="m{i}">{f"<xacro:m{i - 1}/>" * 10 if i else "<x/>"}</xacro:macro>' for i in range(12)
    )
    with pytest.raises(UrdfError, match="more than 5000 elements"):
        load(write("r.xacro", f'<robot name="r">{levels}<xacro:m11/></robot>'))


def test_texts_that_multiply_end_in_an_error_too(write):
    doubled = "".join(f'<xacro:property name="p{i + 1}" value="${{p{i}}}${{p{i}}}"/>' for i in range(40))
    text = f'<robot name="r"><xacro:property name="p0" value="abc"/>{doubled}<link name="${{p40}}"/></robot>'
    with pytest.raises(UrdfError, match="more than 1000000 characters"):
        load(write("r.xacro", text))


def test_an_expansion_that_takes_too_long_ends(write, monkeypatch):
    monkeypatch.setattr(expansion, "MOST_SECONDS", -1.0)
    with pytest.raises(UrdfError, match="takes longer"):
        load(write("r.xacro", '<robot name="r"><link name="${1}"/></robot>'))


@pytest.mark.parametrize(
    "text",
    [
        "${9**9**9}",
        "${int(pow(9, 9)) ** int(pow(9, 9))}",
        "${1 &lt;&lt; 10**12}",
        "${len([0] * 10**9)}",
        "${len('ab' * 10**9)}",
        "${len(10**9 * 'ab')}",
        "${'%9000000000d' % 1}",
        "${'1'.zfill(9000000000)}",
        "${len(list(range(10**12)))}",
        "${len(list(python.range(10**12)))}",
        "${len([1 for a in range(10**5) for b in range(10**5)])}",
        "${len([[0] * 10**6 for a in range(10**5)])}",
        "${math.factorial(10**8)}",
        "$(eval 9**9**9)",
        "$(eval [1 for a in b'ab' * 10**9])",
        "${(lambda f: f(f, 99))(lambda f, n: 1 if n &lt; 2 else f(f, n - 1) + f(f, n - 2))}",
    ],
)
def test_an_expression_that_computes_for_ever_ends_with_its_file_and_line(text, write, monkeypatch):
    monkeypatch.setattr(expansion, "MOST_SECONDS", 1.0)
    file = write("r.xacro", f'<robot name="r" xmlns:xacro="x">\n<link name="{text}"/></robot>')
    with pytest.raises(UrdfError, match=r"r\.xacro:2: ") as caught:
        load(file)
    assert "the expression" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${2**3 * 4 % 5 + (1 &lt;&lt; 3)}", "10"),
        ("${'%05.1f' % 2.25}", "002.2"),
        ("${'%s-%s' % ('a', 3) * 2}", "a-3a-3"),
        ("${[i * j for i in range(3) for j in range(4) if j != i]}", "[0, 0, 0, 0, 2, 3, 0, 2, 6]"),
        ("${(lambda n: n * 2)(4)}", "8"),
        ("${dict(a=1, **dict(b=2))['b']}", "2"),
        ("${max(*[1, 5], 3)}", "5"),
        ("${round(sin(pi / 6) * 10**2)}", "50"),
        ("$(eval 2**5 * 3)", "96"),
        ("${2.5**2 * -1}", "-6.25"),
        ("${list(range(9, 0, -4))}", "[9, 5, 1]"),
    ],
)
def test_expressions_are_worth_what_python_says(text, value, write):
    file = write("r.xacro", f'<robot name="r"><xacro:arg name="a" default="abc"/><link name="{text}"/></robot>')
    assert load(file).links[0].name == value


def test_texts_with_numbers_put_in_are_fenced_too():
    """Not to be written in XML by all readers, but by those that come."""
    for text in ("'{:9000000000}'.format(1)", "f'{1:9000000000}'", "bytes(10**11)", "pow(9, 9**9)"):
        fence = xacro_expressions.Fence(lambda: None)
        symbols = {"bytes": bytes, "pow": pow, **fence._functions}
        with pytest.raises(xacro_expressions.TooMuch, match="the expression"):
            fence._evaluated(text, symbols, None)
    assert fence._evaluated("f'{0.5:.{2}f}' + '{:>4}|{}'.format(7, 'x')", symbols, None) == "0.50   7|x"


def test_warnings_of_the_author_are_warnings_of_the_robot(write, capfd):
    text = (
        '<robot name="r"><xacro:property name="w" value="${xacro.warning(\'old hand\')}"/><link name="a${w}"/></robot>'
    )
    (warning,) = load(write("r.xacro", text)).warnings
    assert "r.xacro: xacro warns: old hand" in warning
    assert capfd.readouterr() == ("", "")


def test_an_expansion_leaves_nothing_behind(robot):
    writer, modules, path = minidom.Element.writexml, set(sys.modules), list(sys.path)
    environment = dict(os.environ)
    first = load(robot, xacro_args={"base": "x"})
    with pytest.raises(UrdfError):
        load(robot, xacro_args={"second": "perhaps"})
    assert names(load(robot)) == ["base", "a", "b"]
    assert names(first)[0] == "x"
    assert minidom.Element.writexml is writer
    assert not {name for name in set(sys.modules) - modules if "xacro" in name}
    assert (sys.path, dict(os.environ)) == (path, environment)
    yaml = pytest.importorskip("yaml")
    assert "!degrees" not in yaml.SafeLoader.yaml_constructors


def test_arguments_are_listed_without_running_anything(robot, write):
    write("ws/folder/urdf/arm.xacro", '<robot><xacro:arg name="inner" default="${1/0}"/></robot>')
    assert xacro_arguments(robot) == {"second": "true", "base": "base", "inner": "${1/0}"}


def test_arguments_are_listed_though_includes_are_gone_broken_or_round(write):
    write("broken.xacro", "<robot")
    names = ("gone.xacro", "broken.xacro", "r.xacro", "${x}.xacro", "$(find no)/x.xacro")
    includes = "".join(f'<xacro:include filename="{name}"/>' for name in names)
    assert xacro_arguments(write("r.xacro", f'<robot>{includes}<xacro:arg name="a" default="1"/></robot>')) == {
        "a": "1"
    }


def expanded(file: Path, packages=None):
    root, warnings = document.read_document(file)
    return expansion.expand(root, file, Finder(file, packages), {}, Notes(file, warnings))


def shape_of(element):
    """Tag, attributes and text, with files named by their last parts: folders differ from machine to machine."""
    attributes = {name: value for name, value in element.attributes.items() if not name.startswith("xmlns")}
    return element.tag, attributes, " ".join(element.text.split()), [shape_of(child) for child in element.children]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (
            "robotiq/robotiq_2f_85_gripper_visualization/urdf/robotiq_arg2f_85_model.xacro",
            "robotiq/_expanded/robotiq_2f_85.urdf",
        ),
        ("urdf_tutorial_r2d2/urdf_tutorial/urdf/08-macroed.urdf.xacro", "urdf_tutorial_r2d2/_expanded/macroed.urdf"),
    ],
)
def test_published_xacro_is_expanded_as_published(robots, source, target):
    assert shape_of(expanded(robots / source)) == shape_of(document.read_document(robots / target)[0])


def test_every_published_xacro_is_expanded_as_pypis_xacro_does_it(robots, monkeypatch, tmp_path):
    xacro = pytest.importorskip("xacro")
    writer = minidom.Element.writexml
    compared = 0
    for file in sorted(robots.rglob("*.xacro")):
        try:
            ours = expanded(file)
        except UrdfError:
            continue
        finder = Finder(file)
        packages = types.ModuleType("ament_index_python.packages")
        packages.get_package_share_directory = lambda name, finder=finder: finder.package(name).as_posix()
        monkeypatch.setitem(sys.modules, "ament_index_python", types.ModuleType("ament_index_python"))
        monkeypatch.setitem(sys.modules, "ament_index_python.packages", packages)
        try:
            text = xacro.process_file(str(file), verbosity=0).toprettyxml()
        except Exception:
            continue
        (tmp_path / "theirs.urdf").write_text(text, encoding="utf-8")
        theirs, _ = document.read_document(tmp_path / "theirs.urdf")
        assert shape_of(ours) == shape_of(theirs), file
        compared += 1
    minidom.Element.writexml = writer
    assert compared > 25
