"""What stands between the bytes of a file and its elements."""

from __future__ import annotations

import os

import pytest
from linkpose.errors import LinkposeError
from linkpose.urdf import UrdfError, load
from linkpose.urdf.document import MAX_DEPTH, read_document

PLAIN = '<robot name="r"><link name="a"/></robot>'


def read(tmp_path, content):
    file = tmp_path / "robot.urdf"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load(file)


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + PLAIN.encode(),
        b'\xef\xbb\xbf<?xml version="1.0" encoding="utf-8"?>' + PLAIN.encode(),
        ('<?xml version="1.0" encoding="utf-16"?>' + PLAIN).encode("utf-16"),
        PLAIN.encode() + b"\0" * 998,
        PLAIN.encode() + b"\r\n\0\0\n",
        f'<!-- made by hand -->\n\n<?xml version="1.0"?>\n{PLAIN}'.encode(),
        f'\n<?xml version="1.0"?>\n{PLAIN}'.encode(),
        f'<?xml version="1.0" encoding="utf-8">\n{PLAIN}'.encode(),
        f'<?xml version="1.0" encoding="no-such-encoding"?>\n{PLAIN}'.encode(),
        f'<?xml version="1.0" encoding="UTF-16"?>\n{PLAIN}'.encode(),
        f'<?xml version="1.0"?>\n<?xml-stylesheet href="x.css"?>\n{PLAIN}'.encode(),
        PLAIN.replace("><", ">\r\n<").encode(),
        PLAIN.replace("><", ">\r<").encode(),
    ],
    ids=[
        "utf-8 mark",
        "utf-8 mark and declaration",
        "utf-16",
        "trailing NULs",
        "trailing NULs and lines",
        "comment before the declaration",
        "line before the declaration",
        "declaration closed like a tag",
        "unknown encoding",
        "declared as utf-16 but is not",
        "processing instruction",
        "CRLF",
        "CR",
    ],
)
def test_what_real_files_get_wrong_is_read(tmp_path, content):
    robot = read(tmp_path, content)
    assert (robot.name, [link.name for link in robot.links], robot.warnings) == ("r", ["a"], ())


def test_declared_latin_1_is_read_as_it_is(tmp_path):
    text = '<?xml version="1.0" encoding="ISO-8859-1"?><robot name="Gerät"><link name="füße"/></robot>'
    robot = read(tmp_path, text.encode("latin-1"))
    assert (robot.name, robot.links[0].name, robot.warnings) == ("Gerät", "füße", ())


def test_undeclared_latin_1_is_read_with_a_warning_that_names_the_line(tmp_path):
    robot = read(tmp_path, '<robot name="r">\n<link name="a"/>\n<!-- ü --></robot>'.encode("latin-1"))
    assert len(robot.warnings) == 1
    assert robot.warnings[0].startswith(f"{tmp_path / 'robot.urdf'}:3: ")
    assert "Latin-1" in robot.warnings[0]


def test_names_keep_every_character(tmp_path):
    names = ["手.left/1 a", "дом", "x" * 200]
    links = "".join(f'<link name="{name}"/>' for name in names)
    joints = "".join(
        f'<joint name="j{i}" type="fixed"><parent link="{names[0]}"/><child link="{names[i]}"/></joint>' for i in (1, 2)
    )
    robot = read(tmp_path, f'<robot name="r">{links}{joints}</robot>')
    assert [link.name for link in robot.links] == names


def test_prefixes_without_a_declaration_are_passed_over(tmp_path):
    robot = read(
        tmp_path,
        '<robot name="r"><gazebo:plugin a:b="c"><x:y/></gazebo:plugin><link name="a"><sensor:ray/></link>'
        "<transmission><joint name='t'/></transmission></robot>",
    )
    assert [link.name for link in robot.links] == ["a"]
    assert robot.joints == ()
    assert robot.warnings == ()


def test_lines_are_counted_over_the_whole_file(tmp_path):
    file = tmp_path / "a.xml"
    file.write_bytes(b'<!-- one -->\n<?xml version="1.0"?>\n<robot>\r\n<link/>\n\n<link\nname="x"/></robot>')
    root, _ = read_document(file)
    assert root.line == 3
    assert [child.line for child in root.children] == [4, 6]


def test_text_is_collected_without_blanks(tmp_path):
    file = tmp_path / "a.xml"
    file.write_text("<a>\n <b/> one &amp; <b/>two<![CDATA[ <3 ]]></a>")
    root, _ = read_document(file)
    assert root.text == "one & two <3"


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ('<robot name="r">\n<link name="a">\n</robot>', 3, "close <link name='a'> of line 2 first"),
        ('<robot name="r">\n<link name="a"/>\n', 2, "<robot name='r'> of line 1 is never closed"),
        ('<robot name="r">\n<link name=a/></robot>', 2, "not well-formed"),
        ('<robot name="r">\n<link name="a" name="b"/></robot>', 2, "duplicate attribute"),
        ('<robot name="r">\n&nbsp;</robot>', 2, "undefined entity"),
        ("", 1, "empty"),
        ("# not XML", 1, "well-formed"),
        (PLAIN + "\n<robot/>", 2, "junk after document element"),
    ],
    ids=["tag open", "cut off", "no quotes", "attribute twice", "entity", "empty", "text", "two roots"],
)
def test_broken_xml_is_refused_with_its_line(tmp_path, content, line, words):
    with pytest.raises(UrdfError) as caught:
        read(tmp_path, content)
    assert str(caught.value).startswith(f"{tmp_path / 'robot.urdf'}:{line}: ")
    assert words in str(caught.value)
    assert (caught.value.path, caught.value.line) == (tmp_path / "robot.urdf", line)


BOMB = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>
<robot name="r"><link name="&c;"/></robot>"""

OUTSIDE = """<?xml version="1.0"?>

<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/hostname">]>
<robot name="r"><link name="&x;"/></robot>"""


@pytest.mark.parametrize(("content", "line"), [(BOMB, 2), (OUTSIDE, 3), ("<!DOCTYPE robot>" + PLAIN, 1)])
def test_document_types_and_entities_are_refused(tmp_path, content, line):
    with pytest.raises(UrdfError, match=rf":{line}: <!DOCTYPE .*delete it"):
        read(tmp_path, content)


def test_a_bomb_in_utf_16_is_refused_too(tmp_path):
    with pytest.raises(UrdfError, match="DOCTYPE"):
        read(tmp_path, BOMB.encode("utf-16"))


def test_endless_nesting_is_refused(tmp_path):
    deep = "<x>" * 100_000
    with pytest.raises(UrdfError, match=f"{MAX_DEPTH} elements deep"):
        read(tmp_path, f'<robot name="r">{deep}')


def test_a_lone_surrogate_is_an_error_and_no_crash(tmp_path):
    with pytest.raises(UrdfError):
        read(tmp_path, b'<robot name="r">&#xD800;<link name="a"/></robot>')


@pytest.mark.parametrize("missing", ["nothing.urdf", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path, missing):
    with pytest.raises(LinkposeError, match="cannot be read") as caught:
        load(tmp_path / missing)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize(
    ("root", "words"),
    [
        ("<sdf version='1.6'/>", "is SDF, not URDF"),
        ("<mujoco/>", "is MuJoCo, not URDF"),
        ("<test name='t'/>", "<test name='t'> is no robot"),
        ("<robot name='r'/>", "describes no link"),
        ("<robot name='r' xmlns:xacro='x'><xacro:macro name='m'/></robot>", "open the file that uses them"),
    ],
)
def test_a_file_of_another_kind_is_refused_by_what_it_is(tmp_path, root, words):
    with pytest.raises(UrdfError, match=words):
        read(tmp_path, root)


def test_leftovers_of_xacro_are_ignored_with_a_warning(tmp_path):
    robot = read(tmp_path, '<robot name="r">\n<xacro:property name="x"/><xacro:if/><link name="a"/></robot>')
    assert len(robot.warnings) == 1
    assert ":2: " in robot.warnings[0]
    assert "xacro" in robot.warnings[0]


def test_a_robot_without_a_name_is_called_after_its_file(tmp_path):
    robot = read(tmp_path, '<robot><link name="a"/></robot>')
    assert robot.name == "robot"
    assert "has no name" in robot.warnings[0]


def test_the_robot_knows_its_file_as_an_absolute_path(tmp_path, monkeypatch):
    (tmp_path / "robot.urdf").write_text(PLAIN)
    monkeypatch.chdir(tmp_path)
    assert load("robot.urdf").path == tmp_path / "robot.urdf"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names on this system")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "robot.urdf")
    with pytest.raises(UrdfError, match=r"robot\.urdf: is no file"):
        load(tmp_path / "robot.urdf")
