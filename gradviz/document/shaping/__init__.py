"""The changes that can be made to a drawing: pure functions from a drawing to another, all of them here. What can't be
is refused with a UserError, a sentence for the person who tried, before anything changes. Not how a change is asked for
(`ui.drawing`), kept or undone (`session.store`). Start at `nodes` and `wires`; `names` has the rule that all keep."""

from gradviz.document.shaping.calls import add_call, change_call, check_root, remove_call
from gradviz.document.shaping.names import free_name, identifier, is_name, rename, tidy
from gradviz.document.shaping.nodes import (
    KEEP,
    change_leaf,
    delete,
    duplicate,
    new_leaf,
    new_operation,
    part,
    set_param,
    take_in,
)
from gradviz.document.shaping.places import (
    SIDES,
    align,
    change_comment,
    distribute,
    group,
    move,
    move_to,
    new_comment,
    pin,
    set_group_closed,
    set_group_title,
    ungroup,
)
from gradviz.document.shaping.queries import ancestors, label, uses
from gradviz.document.shaping.wires import check_no_circle, connect, disconnect, insert_on_wire, set_number

__all__ = [
    "KEEP",
    "SIDES",
    "add_call",
    "align",
    "ancestors",
    "change_call",
    "change_comment",
    "change_leaf",
    "check_no_circle",
    "check_root",
    "connect",
    "delete",
    "disconnect",
    "distribute",
    "duplicate",
    "free_name",
    "group",
    "identifier",
    "insert_on_wire",
    "is_name",
    "label",
    "move",
    "move_to",
    "new_comment",
    "new_leaf",
    "new_operation",
    "part",
    "pin",
    "remove_call",
    "rename",
    "set_group_closed",
    "set_group_title",
    "set_number",
    "set_param",
    "take_in",
    "tidy",
    "ungroup",
    "uses",
]
