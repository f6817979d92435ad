"""What a window holds: a snippet that was written, or a drawing. Both have `text`, the code that runs."""

from __future__ import annotations

from gradviz.document.drawing import Drawing
from gradviz.document.snippet import Snippet

Document = Snippet | Drawing
