"""Where the parts of a drawing are, and what is under a point."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF
from pytestqt.qtbot import QtBot

from gradviz.document.arranging import extents
from gradviz.document.code.parse import parse
from gradviz.document.drawing import Drawing, Group, Leaf, Number, Operation, Ref
from gradviz.ui.canvas.ink import Ink
from gradviz.ui.drawing.geometry import NOTHING, Geometry, Hit
from gradviz.ui.launch import application
from gradviz.ui.theme import LIGHT
from tests.ui.drawn_fixtures import ADD, COMMENT, GROUP, MUL, NOISE, OPEN, POW, SUM, B, W, X, everything, shown


def geometry(drawing: Drawing) -> Geometry:
    application()
    return Geometry(drawing, Ink(LIGHT))


def test_the_place_of_a_node_is_the_middle_of_its_card_or_circle(qtbot: QtBot) -> None:
    places = geometry(everything())
    assert places.cards[Ref(W)].center() == QPointF(0, 0)
    assert places.circles[ADD].center() == QPointF(560, 160)
    result = places.cards[Ref(ADD)]
    assert result.left() > places.circles[ADD].right() and result.center().y() == 160
    assert places.box(ADD).contains(result) and places.box(ADD).contains(places.circles[ADD])


def test_a_run_moves_nothing(qtbot: QtBot) -> None:
    """Anchors stay; a card may grow to the right, up and down. A leaf knows its size beforehand."""
    before = geometry(everything())
    after = shown(qtbot)[0].world_geometry
    for ref, card in before.cards.items():
        assert after.cards[ref].center().y() == card.center().y()
        if ref.node in before.circles:
            assert after.cards[ref].left() == card.left()
        else:
            assert after.cards[ref] == card
    assert before.circles == after.circles


def test_each_thing_is_hit_where_it_is(qtbot: QtBot) -> None:
    places = geometry(everything())
    assert places.hit(QPointF(0, 0), 6) == Hit("node", W)
    assert places.hit(places.circles[MUL].center(), 4) == Hit("node", MUL)
    assert places.hit(places.port_in(MUL, 1) - QPointF(2, 0), 6) == Hit("in", MUL, 1)
    assert places.hit(places.port_out(Ref(B)) + QPointF(3, 0), 6) == Hit("out", B, 0)
    assert places.hit(places.wire(ADD, 1).pointAtPercent(0.5), 4) == Hit("wire", ADD, 1)
    assert places.hit(places.boxes[COMMENT].center(), 6) == Hit("comment", COMMENT)
    assert places.hit(places.boxes[COMMENT].bottomRight() - QPointF(4, 4), 6) == Hit("corner", COMMENT)
    assert places.hit(places.boxes[GROUP].topLeft() + QPointF(60, 8), 4) == Hit("group", GROUP)
    assert places.hit(places.call_mark(0).center(), 6) == Hit("call", SUM, 0)
    assert places.hit(places.number_box(POW, 1).center(), 2) == Hit("in", POW, 1)
    assert places.hit(QPointF(-500, 900), 6) is NOTHING and not NOTHING


def test_the_nearest_of_two_ports_is_hit(qtbot: QtBot) -> None:
    places = geometry(everything())
    upper, lower = places.port_in(MUL, 0), places.port_in(MUL, 1)
    assert upper.y() < lower.y()
    assert places.hit(upper, 40).index == 0
    assert places.hit(lower, 40).index == 1


def test_open_ports_are_there_too(qtbot: QtBot) -> None:
    places = geometry(everything())
    assert places.hit(places.port_in(OPEN, 1), 5) == Hit("in", OPEN, 1)
    assert places.wire(OPEN, 1).isEmpty()
    assert places.cubic(OPEN, 1) is None


def test_a_closed_group_is_one_box_with_its_outer_wires(qtbot: QtBot) -> None:
    drawing = everything()
    closed = replace(drawing, groups=(Group(GROUP, "line", frozenset((MUL, ADD)), closed=True),))
    places = geometry(closed)
    box = places.box(GROUP)
    assert places.box(MUL) == box == places.box(ADD)
    assert places.hit(box.center(), 4) == Hit("group", GROUP)
    assert places.port_in(MUL, 0).x() == box.left() and places.port_in(ADD, 1).x() == box.left()
    assert places.port_out(Ref(ADD)).x() == box.right()
    assert (ADD, 0) not in places.cubics, "a wire inside is not seen"
    heights = {places.port_in(node, port).y() for node, port in ((MUL, 0), (MUL, 1), (ADD, 1))}
    assert len(heights) == 3


def test_a_variadic_operation_has_one_port_more_than_wires(qtbot: QtBot) -> None:
    leaves = (Leaf(1, "a", (1.0, 2.0)), Leaf(2, "b", (3.0, 4.0)))
    places = geometry(Drawing((*leaves, Operation(3, "cat", (Ref(1), Ref(2)), x=300)), next_id=4))
    assert places.hit(places.port_in(3, 2), 3) == Hit("in", 3, 2)


def test_outputs_stand_over_each_other(qtbot: QtBot) -> None:
    leaf = Leaf(1, "a", (1.0, 2.0))
    many = Operation(2, "max", (Ref(1),), params=(("dim", 0),), names=("values", "indices"), x=300)
    places = geometry(Drawing((leaf, many), next_id=3))
    first, second = places.cards[Ref(2, 0)], places.cards[Ref(2, 1)]
    assert first.bottom() < second.top()
    assert places.hit(places.port_out(Ref(2, 1)), 5) == Hit("out", 2, 1)


def test_the_extent_is_around_everything(qtbot: QtBot) -> None:
    places = geometry(everything())
    extent = places.extent()
    assert all(extent.contains(places.box(thing)) for thing in (W, X, B, NOISE, COMMENT, GROUP, POW))
    assert geometry(Drawing()).extent() == QRectF()


def test_an_unknown_operation_is_a_node_like_others(qtbot: QtBot) -> None:
    leaf = Leaf(1, "a", 1.0)
    places = geometry(Drawing((leaf, Operation(2, "no.such", (Ref(1), Number(2.0)), x=200)), next_id=3))
    assert places.hit(QPointF(200, 0), 3) == Hit("node", 2)
    assert places.hit(places.port_in(2, 0), 3) == Hit("in", 2, 0)


def test_first_places_know_about_how_large_cards_become() -> None:
    drawing = everything()
    cards, known = Geometry(drawing, Ink(LIGHT)).cards, extents(drawing)
    for node in drawing.nodes:
        if isinstance(node, Leaf):
            width, height = known[node.id]
            assert abs(width - cards[Ref(node.id)].width()) <= 34, node
            assert abs(height - cards[Ref(node.id)].height()) <= 6, node


def test_wires_that_are_kept_from_the_drawing_before_are_where_they_would_be_anyway(qtbot: QtBot) -> None:
    application()
    ink, drawing = Ink(LIGHT), everything()
    moved = [replace(node, x=node.x + 35) if node.id in (B, MUL) else node for node in drawing.nodes]
    cut = [replace(node, inputs=(*node.inputs[:1], None)) if isinstance(node, Operation) else node for node in moved]
    closed = replace(drawing, groups=tuple(replace(group, closed=not group.closed) for group in drawing.groups))
    before = Geometry(drawing, ink)
    for nodes in (moved, cut, drawing.nodes):
        for changed in (replace(drawing, nodes=tuple(nodes)), replace(closed, nodes=tuple(nodes))):
            places = Geometry(changed, ink, None, before)
            assert places.cubics == Geometry(changed, ink).cubics
            before = places


def test_results_under_each_other_do_not_lie_on_the_node_below(qtbot: QtBot) -> None:
    text = "a = torch.randn(16, 16)\nb = torch.randn(16, 16)\nd = torch.linalg.svd(a)\ne = torch.linalg.qr(b)\n"
    view, _ = shown(qtbot, parse(f"import torch\n{text}"))
    cards = list(view.world_geometry.cards.values())
    assert len(cards) == 7
    assert not [1 for nth, one in enumerate(cards) for other in cards[nth + 1 :] if one.intersects(other)]
