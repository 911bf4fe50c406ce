"""Whether links and joints make one tree."""

from __future__ import annotations

import numpy as np
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
        ("<link/>", 1, "<link>: attribute 'name' is missing"),
    ],
    ids=[
        "link twice",
        "joint twice",
        "parent",
        "child",
        "world as a child",
        "nameless link",
    ],
)
def test_what_makes_no_tree_is_refused_with_names_line_and_remedy(urdf, inside, line, words):
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


def built(robot):
    """``{joint: (parent, child)}`` of what is built."""
    return {joint.name: (joint.parent, joint.child) for joint in robot.joints}


def test_several_roots_are_read_with_a_warning_that_names_them_all(urdf):
    robot = urdf(links("a", "b", "c", "d") + fixed("1", "d", "b"))
    assert robot.roots == ("a", "c", "d")
    (warning,) = robot.warnings
    assert "robot.urdf:3: 3 links hang from no joint: 'a' (line 1), 'c' (line 3), 'd' (line 4); each is" in warning
    skeleton = robot.skeleton()
    assert {name for name in skeleton.bodies if skeleton.body(name).parent is None} == {"a", "c", "d"}
    assert all((frame == np.eye(4)).all() for frame in skeleton.forward(skeleton.neutral()).values())


@pytest.mark.parametrize(
    ("joints", "kept", "left_out", "roots"),
    [
        ([("1", "a", "c"), ("2", "b", "c")], {"1"}, {"2": "'2' and from '1' of line 5"}, ("a", "b", "d")),
        ([("2", "b", "c"), ("1", "a", "c")], {"2"}, {"1": "'1' and from '2' of line 5"}, ("a", "b", "d")),
        # The joint that closes the loop is declared before the one that holds it.
        (
            [("close", "d", "b"), ("1", "a", "b"), ("2", "b", "c"), ("3", "c", "d")],
            {"1", "2", "3"},
            {"close": "'close' and from '1' of line 6"},
            ("a",),
        ),
        (
            [("1", "a", "b"), ("2", "a", "c"), ("3", "b", "d"), ("4", "c", "d")],
            {"1", "2", "3"},
            {"4": "link 'd' hangs from joint '4' and from '3' of line 7"},
            ("a",),
        ),
        # Loops that hang from nothing are opened at their first link, wherever what hangs from them is declared.
        (
            [("1", "c", "a"), ("2", "b", "c"), ("3", "c", "b"), ("4", "c", "d")],
            {"1", "2", "4"},
            {"3": "'3' closes a loop"},
            ("b",),
        ),
        (
            [("1", "a", "b"), ("2", "c", "c"), ("3", "b", "c"), ("4", "c", "d")],
            {"1", "3", "4"},
            {"2": "itself"},
            ("a",),
        ),
        ([("1", "a", "b"), ("2", "b", "a"), ("3", "c", "d")], {"1", "3"}, {"2": "'2' closes a loop"}, ("a", "c")),
    ],
    ids=["two parents", "first of the file", "loop", "diamond", "loop of its own", "own parent", "loop of two"],
)
def test_loops_are_built_once_and_the_joint_left_out_is_named(urdf, joints, kept, left_out, roots):
    robot = urdf(links("a", "b", "c", "d") + "".join(fixed(*joint) for joint in joints))
    assert set(built(robot)) == kept
    assert robot.roots == roots
    for name, words in left_out.items():
        (warning,) = [warning for warning in robot.warnings if words in warning]
        assert f"'{name}'" in warning
        assert f"robot.urdf:{5 + [joint[0] for joint in joints].index(name)}: " in warning
    robot.skeleton()


def test_followers_of_a_joint_left_out_are_joints_of_their_own(urdf):
    moving = '<joint name="m" type="continuous"><parent link="b"/><child link="c"/><mimic joint="2"/></joint>'
    robot = urdf(links("a", "b", "c") + fixed("1", "a", "b") + fixed("2", "c", "b") + moving)
    assert robot.skeleton().unknowns == ("m",)
    assert any("'m' mimics '2', which is left out" in warning for warning in robot.warnings)


def test_a_free_base_moves_the_root_by_a_floating_joint_of_its_own(urdf):
    robot = urdf(links("a", "b") + fixed("free_base", "a", "b"))
    skeleton = robot.skeleton(free_base=True)
    assert robot.skeleton().unknowns == ()
    assert skeleton.unknowns == tuple(f"free_base_:{axis}" for axis in ("x", "y", "z", "rx", "ry", "rz"))
    frames = skeleton.forward([1, 2, 3, 0, 0, np.pi / 2])
    np.testing.assert_allclose(frames["a"][:3], [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3]], atol=1e-15)
    np.testing.assert_array_equal(frames["a"], frames["b"])


def test_each_of_several_roots_has_a_free_base(urdf):
    assert urdf(links("a", "b")).base_joints == {"a": "free_base", "b": "free_base_b"}


def test_a_loop_of_a_thousand_links_is_opened_without_recursion(urdf):
    count = 1000
    names = [f"l{i}" for i in range(count)]
    robot = urdf(links(*names) + "".join(fixed(f"j{i}", names[i], names[(i + 1) % count]) for i in range(count)))
    assert len(robot.joints) == count - 1
    assert robot.root == "l0"
