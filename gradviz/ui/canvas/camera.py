"""Where the canvas looks: a zoom and the point of the world at the widget's top left corner. Plain numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace

SMALLEST, LARGEST = 0.0001, 6.0
KEPT = 80.0  # pixels of the graph that stay in view however far one goes
FURTHEST = 0.5  # of the zoom at which all is in view: no use in going further away
FIT_MARGIN = 28.0
LARGEST_FIT = 1.7
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Camera:
    """`scale` pixels per world unit; `left`, `top` in world units."""

    scale: float = 1.0
    left: float = 0.0
    top: float = 0.0

    def to_world(self, x: float, y: float) -> tuple[float, float]:
        """The point of the world under a pixel."""
        return self.left + x / self.scale, self.top + y / self.scale

    def to_screen(self, x: float, y: float) -> tuple[float, float]:
        """The pixel of a point of the world."""
        return (x - self.left) * self.scale, (y - self.top) * self.scale

    def world_box(self, box: Box, margin: float = 2.0) -> Box:
        """Left, top, right, bottom in the world of a box of pixels, a little larger."""
        left, top = self.to_world(box[0] - margin, box[1] - margin)
        right, bottom = self.to_world(box[2] + margin, box[3] + margin)
        return left, top, right, bottom

    def moved(self, dx: float, dy: float) -> Camera:
        """Look dx, dy pixels further right and down, on whole pixels, so that what was painted can be reused."""
        left, top = round(self.left * self.scale + dx), round(self.top * self.scale + dy)
        return replace(self, left=left / self.scale, top=top / self.scale)

    def zoomed(self, factor: float, x: float, y: float, smallest: float = SMALLEST) -> Camera:
        """Zoom so that the point under the pixel x, y stays there."""
        scale = min(LARGEST, max(smallest, self.scale * factor))
        world_x, world_y = self.to_world(x, y)
        return Camera(scale, world_x - x / scale, world_y - y / scale).moved(0, 0)

    def centred(self, x: float, y: float, width: float, height: float) -> Camera:
        """Look so that a point of the world is in the middle of a widget of this size."""
        return replace(self, left=x - width / 2 / self.scale, top=y - height / 2 / self.scale).moved(0, 0)


def kept(camera: Camera, extent: Box, width: float, height: float) -> Camera:
    """The same camera, moved no further than needed for some of what there is to stay in view."""
    left = _kept(camera.left, width, camera.scale, extent[0], extent[2])
    top = _kept(camera.top, height, camera.scale, extent[1], extent[3])
    if (left, top) == (camera.left, camera.top):
        return camera
    return replace(camera, left=left, top=top).moved(0, 0)


def _kept(start: float, pixels: float, scale: float, low: float, high: float) -> float:
    some = min(KEPT, pixels / 2, (high - low) * scale) / scale
    return min(max(start, low + some - pixels / scale), high - some)


def furthest(extent: Box, width: float, height: float) -> float:
    """The smallest zoom at which there is still something to see."""
    return max(SMALLEST, min(1.0, fitting(extent, width, height).scale) * FURTHEST)


def on_the_way(start: Camera, target: Camera, part: float) -> Camera:
    """The camera when a part (0 to 1) of the way is done: the zoom changes evenly, and what is at the same pixel in
    both stays there."""
    if abs(start.scale / target.scale - 1) < 1e-6:
        share, scale = part, target.scale
    else:
        scale = start.scale * (target.scale / start.scale) ** part
        share = (1 / scale - 1 / start.scale) / (1 / target.scale - 1 / start.scale)
    left = start.left + (target.left - start.left) * share
    top = start.top + (target.top - start.top) * share
    return Camera(scale, left, top).moved(0, 0)


def within(camera: Camera, extent: Box, width: float, height: float) -> Camera:
    """Do not look past what there is: where all of it fits it is centred, else its edge stays at the edge."""
    margin = FIT_MARGIN / camera.scale
    left = _within(camera.left, width / camera.scale, extent[0] - margin, extent[2] + margin)
    top = _within(camera.top, height / camera.scale, extent[1] - margin, extent[3] + margin)
    return replace(camera, left=left, top=top).moved(0, 0)


def _within(start: float, length: float, low: float, high: float) -> float:
    if high - low <= length:
        return (low + high - length) / 2
    return min(max(start, low), high - length)


def fitting(extent: Box, width: float, height: float, largest: float = LARGEST_FIT) -> Camera:
    """All of an extent in view."""
    across, down = max(extent[2] - extent[0], 1.0), max(extent[3] - extent[1], 1.0)
    room_x, room_y = max(width - 2 * FIT_MARGIN, 20.0), max(height - 2 * FIT_MARGIN, 20.0)
    scale = min(largest, LARGEST, max(SMALLEST, min(room_x / across, room_y / down)))
    return Camera(scale).centred((extent[0] + extent[2]) / 2, (extent[1] + extent[3]) / 2, width, height)
