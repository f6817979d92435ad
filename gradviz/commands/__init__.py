"""One row per command: title, menu, shortcut, when it is enabled, help text, and what it does. No Qt. Start at `table`.

Menus, toolbar, shortcuts, the command palette and the keyboard help are made from these rows."""
