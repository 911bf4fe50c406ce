"""Whether links and joints make one tree."""

from __future__ import annotations

import pytest
from linkpose.urdf import UrdfError


def fixed(name, parent, child):
    return f'<joint name="{name}" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint>\n'


def links(*names):
    return "".join(f'<link name="{name}"/>\n' for name in names)


def test_links_and_joints_keep_the_order_of_the_file(urdf):
    robot = urdf(fixed("2", "b", "c") + links("c", "a") + fixed("1", "a", "b") + links("b"))
    assert [link.name for link in robot.links] == ["c", "a", "b"]
    assert [joint.name for joint in robot.joints] == ["2", "1"]
    assert robot.root == "a"
    assert set(robot.skeleton().bodies) == {"a", "b", "c"}
    assert robot.skeleton().bodies[0] == "a"


def test_a_link_and_a_joint_may_share_a_name(urdf):
    robot = urdf(links("x", "y") + fixed("y", "x", "y"))
    assert robot.joints[0].name == "y"
    assert robot.skeleton().bodies == ("x", "y")


def test_a_link_needs_no_inertia(urdf):
    assert urdf(links("a")).warnings == ()


def test_an_undeclared_world_is_made_as_the_root_with_a_warning(urdf):
    robot = urdf(links("a") + fixed("1", "world", "a"))
    assert robot.root == "world"
    assert [link.name for link in robot.links] == ["world", "a"]
    assert len(robot.warnings) == 1
    assert ":2: joint '1' hangs from link 'world', which is not declared" in robot.warnings[0]


def test_a_declared_world_is_a_link_like_others(urdf):
    robot = urdf(links("a", "world") + fixed("1", "world", "a"))
    assert ([link.name for link in robot.links], robot.warnings) == (["a", "world"], ())


@pytest.mark.parametrize(
    ("inside", "line", "words"),
    [
        (links("a", "b", "a"), 3, "there is a link 'a' already in line 1"),
        (
            links("a", "b", "c") + fixed("j", "a", "b") + fixed("j", "b", "c"),
            5,
            "there is a joint 'j' already in line 4",
        ),
        (
            links("base", "b") + fixed("j", "bas", "b"),
            3,
            "joint 'j' has the parent link 'bas', which does not exist; did you mean 'base'?",
        ),
        (
            links("a", "b") + fixed("j", "a", "zzz"),
            3,
            "joint 'j' has the child link 'zzz', which does not exist; known are 'a', 'b'",
        ),
        (links("a", "b") + fixed("j", "a", "world"), 3, "the child link 'world', which does not exist"),
        (links("a", "b", "c"), 2, "3 links hang from no joint: 'a' (line 1), 'b' (line 2), 'c' (line 3)"),
        (links("a", "b", "c") + fixed("j", "a", "b"), 3, "2 links hang from no joint: 'a' (line 1), 'c' (line 3)"),
        (
            links("a", "b", "c") + fixed("1", "a", "c") + fixed("2", "b", "c"),
            5,
            "link 'c' hangs from joint '2' and from '1' of line 4",
        ),
        (links("a", "b") + fixed("1", "a", "b") + fixed("2", "b", "a"), None, "form a loop: '"),
        (links("a", "b", "c") + fixed("1", "b", "c") + fixed("2", "c", "b"), None, "form a loop: '"),
        (links("a", "b") + fixed("1", "b", "b"), 3, "form a loop: '1' (line 3)"),
        ("<link/>", 1, "<link>: attribute 'name' is missing"),
    ],
    ids=[
        "link twice",
        "joint twice",
        "parent",
        "child",
        "world as a child",
        "three roots",
        "two roots",
        "two parents",
        "loop of all",
        "loop beside the root",
        "own parent",
        "nameless link",
    ],
)
def test_what_is_no_single_tree_is_refused_with_names_line_and_remedy(urdf, inside, line, words):
    with pytest.raises(UrdfError) as caught:
        urdf(inside)
    text = str(caught.value)
    assert words in text
    assert ";" in text
    if line is not None:
        assert f"robot.urdf:{line}: " in text


def test_a_long_chain_is_checked_without_recursion(urdf):
    count = 3000
    names = [f"l{i}" for i in range(count)]
    robot = urdf(links(*names) + "".join(fixed(f"j{i}", names[i], names[i + 1]) for i in range(count - 1)))
    assert len(robot.joints) == count - 1
