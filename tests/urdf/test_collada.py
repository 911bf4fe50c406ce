"""COLLADA files."""

from __future__ import annotations

import math

import numpy as np
import pytest
from linkpose.urdf import Material, MeshError
from linkpose.urdf.collada import read
from linkpose.urdf.mesh_data import joined

# A tetrahedron whose turns and mirror images all differ.
POINTS = "0 0 0 3 0 0 0 2 0 0 0 1"
TRIANGLES = "0 2 1 0 1 3 0 3 2 1 2 3"
POSITIONS = np.array(POINTS.split(), float).reshape(-1, 3)

MATERIALS = """
<library_effects>{effects}</library_effects>
<library_materials>{materials}</library_materials>"""


def source(name, numbers, parameters):
    count = len(numbers.split())
    fields = "".join(f'<param name="{p}" type="float"/>' for p in parameters)
    stride = len(parameters)
    return f"""<source id="{name}"><float_array id="{name}-a" count="{count}">{numbers}</float_array><technique_common>
    <accessor source="#{name}-a" count="{count // stride}" stride="{stride}">{fields}</accessor>
    </technique_common></source>"""


def geometry(inside=None, sources="", name="g", points=POINTS):
    if inside is None:
        inside = f'<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>{TRIANGLES}</p></triangles>'
    return f"""<geometry id="{name}" name="{name}"><mesh>{source("s", points, "XYZ")}{sources}
    <vertices id="v"><input semantic="POSITION" source="#s"/></vertices>{inside}</mesh></geometry>"""


def effect(name, diffuse="<color>1 0 0 1</color>", more=""):
    inside = f"<diffuse>{diffuse}</diffuse>" if diffuse else ""
    return f"""<effect id="{name}-e"><profile_COMMON><technique sid="c"><lambert>{inside}{more}</lambert></technique>
    </profile_COMMON></effect>"""


def material(name):
    return f'<material id="{name}" name="{name}"><instance_effect url="#{name}-e"/></material>'


def bind(**symbols):
    inside = "".join(f'<instance_material symbol="{s}" target="#{t}"/>' for s, t in symbols.items())
    return f"<bind_material><technique_common>{inside}</technique_common></bind_material>"


def instance(name="g", binding=""):
    return f'<instance_geometry url="#{name}">{binding}</instance_geometry>'


def document(geometries=None, nodes=None, asset="", libraries="", version="1.4.1", scene=True):
    nodes = f"<node>{instance()}</node>" if nodes is None else nodes
    shown = '<scene><instance_visual_scene url="#scene"/></scene>' if scene else ""
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="{version}"><asset>{asset}</asset>{libraries}
<library_geometries>{geometry() if geometries is None else geometries}</library_geometries>
<library_visual_scenes><visual_scene id="scene">{nodes}</visual_scene></library_visual_scenes>{shown}</COLLADA>"""


@pytest.fixture
def dae(tmp_path):
    """Writes a file and reads it as one mesh."""

    def read_text(content, **options):
        file = tmp_path / "m.dae"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return joined(read(file, **options))

    return read_text


def polygons(mesh):
    return [
        mesh.vertices[mesh.loop_vertex[s : s + t]].tolist()
        for s, t in zip(mesh.polygon_start, mesh.polygon_total, strict=True)
    ]


def cycle(points):
    """A polygon from its smallest corner on: equal for equal polygons of equal winding."""
    first = points.index(min(points))
    return points[first:] + points[:first]


@pytest.mark.parametrize("version", ["1.4.0", "1.4.1", "1.5.0"])
def test_every_version_is_read(dae, version):
    mesh = dae(document(version=version))
    np.testing.assert_array_equal(mesh.vertices, POSITIONS)
    assert mesh.polygon_total.tolist() == [3, 3, 3, 3]
    assert (mesh.normals, mesh.uv, mesh.materials) == (None, None, ())


def test_another_namespace_is_read(dae):
    text = document().replace(
        "http://www.collada.org/2005/11/COLLADASchema", "http://www.collada.org/2008/03/COLLADASchema"
    )
    assert len(dae(text).vertices) == 4


@pytest.mark.parametrize(
    ("unit", "factor"),
    [
        ("", 1.0),
        ('<unit meter="0.01"/>', 0.01),
        ('<unit meter="0.0254" name="inch"/>', 0.0254),
        ('<unit name="meter"/>', 1.0),
        ('<unit meter="0"/>', 1.0),
        ('<unit meter="nan"/>', 1.0),
    ],
)
def test_the_unit_is_applied(dae, unit, factor):
    np.testing.assert_allclose(dae(document(asset=unit)).vertices, POSITIONS * factor, rtol=1e-6)


@pytest.mark.parametrize("tag", ["", "<up_axis>Z_UP</up_axis>", "<up_axis>Y_UP</up_axis>", "<up_axis>X_UP</up_axis>"])
def test_the_up_axis_is_ignored(dae, tag):
    np.testing.assert_array_equal(dae(document(asset=tag)).vertices, POSITIONS)


@pytest.mark.parametrize(("axis", "up"), [("X_UP", 0), ("Y_UP", 1), ("Z_UP", 2)])
def test_the_up_axis_can_be_obeyed(dae, axis, up):
    mesh = dae(document(asset=f"<up_axis>{axis}</up_axis>"), obey_up_axis=True)
    np.testing.assert_allclose(mesh.vertices[:, 2], POSITIONS[:, up])
    assert signed_volume(mesh) == pytest.approx(1.0, rel=1e-6)


def signed_volume(mesh):
    return sum(np.linalg.det(np.array(p[:3], float)) / 6.0 for p in polygons(mesh))


def test_node_transforms_are_applied_in_order_and_through_nested_nodes(dae):
    nodes = f"""<node><translate>1 2 3</translate><rotate>0 0 1 90</rotate>
    <node><scale>2 2 2</scale>{instance()}</node></node>"""
    expected = POSITIONS * 2 @ np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]]) + (1, 2, 3)
    np.testing.assert_allclose(dae(document(nodes=nodes)).vertices, expected, atol=1e-6)


def test_unit_and_node_scale_multiply_once(dae):
    nodes = f"<node><scale>0.1 0.1 0.1</scale>{instance()}</node>"
    mesh = dae(document(nodes=nodes, asset='<unit meter="0.01"/>'))
    np.testing.assert_allclose(mesh.vertices, POSITIONS * 0.001, rtol=1e-6)


def test_a_mirroring_node_keeps_faces_outwards(dae):
    nodes = f"<node><matrix>1 0 0 0 0 -1 0 0 0 0 1 0 0 0 0 1</matrix>{instance()}</node>"
    assert signed_volume(dae(document())) == pytest.approx(1.0, rel=1e-6)
    assert signed_volume(dae(document(nodes=nodes))) == pytest.approx(1.0, rel=1e-6)


def test_a_geometry_may_be_instantiated_twice(tmp_path):
    file = tmp_path / "m.dae"
    file.write_text(document(nodes=f"<node>{instance()}</node><node><translate>9 0 0</translate>{instance()}</node>"))
    first, second = read(file)
    np.testing.assert_allclose(second.vertices, first.vertices + np.array((9, 0, 0)))


def test_library_nodes_are_followed(dae):
    library = f'<library_nodes><node id="n"><translate>0 0 5</translate>{instance()}</node></library_nodes>'
    text = document(nodes='<node><translate>1 0 0</translate><instance_node url="#n"/></node>').replace(
        "<library_visual", f"{library}<library_visual"
    )
    np.testing.assert_allclose(dae(text).vertices, POSITIONS + np.array((1, 0, 5)))


def test_nodes_that_multiply_without_end_are_refused(dae):
    inside = [instance(), *(f'<instance_node url="#n{i}"/>' * 20 for i in range(11))]
    levels = "".join(f'<node id="n{i}">{text}</node>' for i, text in enumerate(inside))
    text = document(nodes='<node><instance_node url="#n11"/></node>').replace(
        "<library_visual", f"<library_nodes>{levels}</library_nodes><library_visual"
    )
    with pytest.raises(MeshError, match="without end"):
        dae(text)


@pytest.mark.parametrize("where", ["<scene>", "scene", "nodes"])
def test_without_a_usable_scene_the_geometries_count_as_they_are(dae, where):
    text = {
        "<scene>": document(scene=False),
        "scene": document(nodes=""),
        "nodes": document(nodes="<node><instance_geometry url='#gone'/></node>"),
    }[where]
    np.testing.assert_array_equal(dae(text).vertices, POSITIONS)


VERTEX = '<input semantic="VERTEX" source="#v" offset="0"/>'
NORMAL = '<input semantic="NORMAL" source="#n" offset="1"/>'
POLYLIST = f'<polylist count="2">{VERTEX}<vcount>4 3</vcount><p>0 1 2 3 0 3 1</p></polylist>'
POLYGONS = f'<polygons count="2">{VERTEX}<p>0 1 2 3</p><p>0 3 1</p></polygons>'


@pytest.mark.parametrize("inside", [POLYLIST, POLYGONS], ids=["polylist", "polygons"])
def test_polygons_stay_polygons(dae, inside):
    mesh = dae(document(geometry(inside)))
    assert mesh.polygon_total.tolist() == [4, 3]
    assert mesh.polygon_start.tolist() == [0, 4]
    p = POSITIONS.tolist()
    assert polygons(mesh) == [[p[0], p[1], p[2], p[3]], [p[0], p[3], p[1]]]


@pytest.mark.parametrize(
    ("tag", "indices", "expected"),
    [("tristrips", "0 1 2 3", [[0, 1, 2], [1, 3, 2]]), ("trifans", "0 1 2 3", [[0, 1, 2], [0, 2, 3]])],
)
def test_strips_and_fans_become_triangles_of_one_winding(dae, tag, indices, expected):
    inside = f'<{tag} count="1">{VERTEX}<p>{indices}</p></{tag}>'
    mesh = dae(document(geometry(inside)))
    p = POSITIONS.tolist()
    assert [cycle(face) for face in polygons(mesh)] == [cycle([p[i] for i in face]) for face in expected]


def test_lines_are_left_alone(dae):
    lines = f'<lines count="1">{VERTEX}<p>0 1</p></lines>'
    triangle = f'<triangles count="1">{VERTEX}<p>0 1 2</p></triangles>'
    mesh = dae(document(geometry(lines + triangle)))
    assert mesh.polygon_total.tolist() == [3]
    assert len(mesh.vertices) == 3


def test_normals_and_texture_coordinates_are_read_for_every_corner(dae):
    inside = f"""<triangles count="1">{VERTEX}{NORMAL}
    <input semantic="TEXCOORD" source="#t" offset="2" set="0"/><p>0 1 0 1 0 1 2 1 2</p></triangles>"""
    sources = source("n", "0 0 1 0 3 4", "XYZ") + source("t", "0 0 0.5 0 1 1", "ST")
    mesh = dae(document(geometry(inside, sources)))
    np.testing.assert_allclose(mesh.normals, [(0, 0.6, 0.8), (0, 0, 1), (0, 0.6, 0.8)], atol=1e-6)
    np.testing.assert_allclose(mesh.uv, [(0, 0), (0.5, 0), (1, 1)])


def test_normals_turn_with_the_node_and_keep_their_length(dae):
    inside = f"""<triangles count="1">{VERTEX}{NORMAL}
    <p>0 0 1 0 2 0</p></triangles>"""
    slanted = geometry(inside, source("n", "0.6 0 0.8", "XYZ"))
    mesh = dae(document(slanted, nodes=f"<node><scale>2 1 1</scale>{instance()}</node>"))
    expected = np.array([0.3, 0, 0.8]) / math.hypot(0.3, 0.8)
    np.testing.assert_allclose(mesh.normals[0], expected, atol=1e-6)


def test_polygons_without_normals_beside_others_have_zero_ones(dae):
    with_normals = f"""<triangles count="1">{VERTEX}{NORMAL}
    <p>0 0 1 0 2 0</p></triangles>"""
    without = f'<triangles count="1">{VERTEX}<p>0 1 3</p></triangles>'
    mesh = dae(document(geometry(with_normals + without, source("n", "0 0 1", "XYZ"))))
    np.testing.assert_allclose(mesh.normals, [(0, 0, 1)] * 3 + [(0, 0, 0)] * 3)


@pytest.mark.parametrize(("normal", "kept"), [("0 0 1", True), ("0 0 -1", False)])
def test_normals_that_contradict_the_faces_are_left_out_with_a_message(dae, normal, kept):
    inside = f'<triangles count="1">{VERTEX}{NORMAL}<p>0 0 1 0 2 0</p></triangles>'
    messages = []
    mesh = dae(document(geometry(inside, source("n", normal, "XYZ"))), warn=messages.append)
    assert (mesh.normals is not None) is kept
    assert [message for message in messages if "contradict" not in message] == []
    assert bool(messages) is not kept


def triangles(symbol, indices="0 1 2"):
    return f'<triangles count="1" material="{symbol}">{VERTEX}<p>{indices}</p></triangles>'


def test_colours_are_read_by_symbol_and_equal_ones_are_one(dae):
    libraries = MATERIALS.format(
        effects=effect("red") + effect("rouge") + effect("blue", "<color>0 0 1 1</color>"),
        materials=material("red") + material("rouge") + material("blue"),
    )
    inside = triangles("A") + triangles("B", "0 1 3") + triangles("C", "1 2 3")
    nodes = f"<node>{instance(binding=bind(A='red', B='blue', C='rouge'))}</node>"
    mesh = dae(document(geometry(inside), nodes, libraries=libraries))
    assert mesh.materials == (Material("red", (1.0, 0.0, 0.0, 1.0)), Material("blue", (0.0, 0.0, 1.0, 1.0)))
    assert mesh.material_index.tolist() == [0, 1, 0]


def test_polygons_without_material_beside_others_have_one_that_says_nothing(dae):
    libraries = MATERIALS.format(effects=effect("red"), materials=material("red"))
    nodes = f"<node>{instance(binding=bind(A='red'))}</node>"
    mesh = dae(document(geometry(triangles("A") + triangles("B", "0 1 3")), nodes, libraries=libraries))
    assert mesh.materials == (Material("red", (1.0, 0.0, 0.0, 1.0)), Material(""))
    assert mesh.material_index.tolist() == [0, 1]


def test_a_broken_material_reference_costs_the_colour_and_not_the_place(dae):
    nodes = f"<node><translate>0 0 7</translate>{instance(binding=bind(A='gone'))}</node>"
    messages = []
    mesh = dae(document(geometry(triangles("A")), nodes), warn=messages.append)
    np.testing.assert_allclose(mesh.vertices[:, 2], 7.0)
    assert mesh.materials == ()
    assert len(messages) == 1
    assert "gone" in messages[0]


def test_an_unknown_part_of_a_mesh_costs_no_geometry(dae):
    strange = f'<linestrips count="1">{VERTEX}<p>0 1 2</p></linestrips><!-- remark -->'
    assert dae(document(geometry(strange + triangles("A")))).polygon_total.tolist() == [3]


FULL = "<transparency><float>1</float></transparency>"
OPACITY = [
    ("", 1.0),
    ("<transparency><float>0.25</float></transparency>", 0.25),
    ("<transparent><color>1 1 1 1</color></transparent><transparency><float>0.25</float></transparency>", 0.25),
    ('<transparent opaque="A_ONE"><color>0 0 0 0.4</color></transparent>', 0.4),
    (
        '<transparent opaque="RGB_ZERO"><color>0 0 0 1</color></transparent>' + FULL,
        1.0,
    ),
    (
        '<transparent opaque="RGB_ZERO"><color>0.25 0.25 0.25 1</color></transparent>' + FULL,
        0.75,
    ),
    ("<transparent><color>1 1 1 1</color></transparent><transparency><float>0</float></transparency>", 1.0),
    (
        '<transparent opaque="RGB_ZERO"><color>1 1 1 1</color></transparent>' + FULL,
        1.0,
    ),
]


@pytest.mark.parametrize(("more", "alpha"), OPACITY)
def test_opacity_follows_the_mode_and_nothing_becomes_invisible(dae, more, alpha):
    libraries = MATERIALS.format(effects=effect("m", more=more), materials=material("m"))
    mesh = dae(document(geometry(triangles("A")), f"<node>{instance(binding=bind(A='m'))}</node>", libraries=libraries))
    assert mesh.materials[0].color == pytest.approx((1.0, 0.0, 0.0, alpha), abs=1e-4)


def textured(path):
    params = """<newparam sid="surf"><surface type="2D"><init_from>img</init_from></surface></newparam>
    <newparam sid="samp"><sampler2D><source>surf</source></sampler2D></newparam>"""
    libraries = MATERIALS.format(
        effects=effect("m", '<texture texture="samp" texcoord="UV"/>'), materials=material("m")
    )
    libraries = libraries.replace("<profile_COMMON>", f"<profile_COMMON>{params}")
    images = f'<library_images><image id="img"><init_from>{path}</init_from></image></library_images>'
    return document(
        geometry(triangles("A")), f"<node>{instance(binding=bind(A='m'))}</node>", libraries=images + libraries
    )


@pytest.mark.parametrize(
    "name", ["a b.png", "a%20b.png", "./a b.png", "file:///home/nobody/a b.png", "tex\\..\\a b.png"]
)
def test_textures_are_found_beside_the_file(dae, tmp_path, name):
    (tmp_path / "tex").mkdir()
    (tmp_path / "a b.png").touch()
    assert dae(textured(name)).materials == (Material("m", None, tmp_path / "a b.png"),)


def test_a_missing_texture_is_told(dae):
    messages = []
    mesh = dae(textured("gone.png"), warn=messages.append)
    assert mesh.materials == (Material("m"),)
    assert any("texture 'gone.png' was not found" in message for message in messages)


def test_what_follows_the_end_is_cut_off(dae):
    mesh = dae(document().encode() + b"\0" * 998 + b"</node></COLLADA>")
    assert len(mesh.vertices) == 4


def test_vertices_that_no_polygon_uses_are_dropped(dae):
    mesh = dae(document(geometry(triangles("A", "0 1 3"), points="0 0 0 1 0 0 99 99 99 0 1 0")))
    np.testing.assert_array_equal(mesh.vertices, [(0, 0, 0), (1, 0, 0), (0, 1, 0)])


def test_degenerate_polygons_are_dropped_and_repeated_corners_merged(dae):
    inside = (
        f'<polylist count="5">{VERTEX}<vcount>3 4 2 4 4</vcount><p>0 0 1  0 1 1 2  0 1  0 1 0 2  0 1 2 3</p></polylist>'
    )
    messages = []
    mesh = dae(document(geometry(inside)), warn=messages.append)
    assert mesh.polygon_total.tolist() == [3, 4]
    p = POSITIONS.tolist()
    assert polygons(mesh)[0] == [p[0], p[1], p[2]]
    assert any("touch themselves; 1 left out" in message for message in messages)


BAD = [
    ("not XML", b"solid x"),
    ("cut off", document().encode()[:700]),
    ("empty", b""),
    ("no geometry", document("", nodes="").encode()),
    (
        "lines only",
        document(geometry(f'<lines count="1">{VERTEX}<p>0 1</p></lines>')).encode(),
    ),
    ("index beyond the source", document(geometry(triangles("A", "0 1 99"))).encode()),
    ("negative index", document(geometry(triangles("A", "0 1 -1"))).encode()),
    ("index without offset", document(geometry(triangles("A").replace('offset="0"', ""))).encode()),
    ("too few indices", document(geometry(triangles("A", "0 1"))).encode()),
    ("counts that do not fit", document(geometry(POLYLIST.replace("4 3<", "4 4<"))).encode()),
    ("no positions", document().replace("POSITION", "NORMAL").encode()),
    ("words for numbers", document(geometry(triangles("A", "zero one two"))).encode()),
    ("entities", document().replace("?>", '?><!DOCTYPE x [<!ENTITY a "b">]>', 1).encode()),
    ("another root", b"<html/>"),
]


@pytest.mark.parametrize("content", [content for _, content in BAD], ids=[name for name, _ in BAD])
def test_a_broken_file_is_refused_with_path_and_reason(dae, tmp_path, content):
    with pytest.raises(MeshError) as caught:
        dae(content)
    assert str(caught.value).startswith(f"{tmp_path / 'm.dae'}: ")
    assert caught.value.path == tmp_path / "m.dae"
    assert len(str(caught.value)) > len(f"{tmp_path / 'm.dae'}: ")


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(MeshError, match="cannot be read"):
        read(tmp_path / "gone.dae")


def test_coordinates_that_are_not_finite_become_zero_with_a_message(dae):
    messages = []
    mesh = dae(document(geometry(points="0 0 0 inf 0 0 0 nan 0 0 0 1")), warn=messages.append)
    assert np.isfinite(mesh.vertices).all()
    assert any("not finite" in message for message in messages)
