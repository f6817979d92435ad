"""What opens over the window: `dialogs` opens each from a module of its own, which is imported when it first opens."""
