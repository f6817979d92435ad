"""Shows a picture as people with a colour-vision deficiency see it: `python -m tests.ui.colour_vision IN.png OUT`
writes OUT-protan.png, OUT-deutan.png and OUT-tritan.png. For whoever changes the theme: look at what the numbers in
`test_theme` cannot tell. The matrices are those of Machado, Oliveira and Fernandes, "A Physiologically-
based Model for Simulation of Color Vision Deficiency" (2009), for the full deficiency, on linear light."""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MATRICES = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def seen(colours: Floats, deficiency: str) -> Floats:
    """sRGB colours (…, 3) between 0 and 1, as they are seen."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    found = np.clip(linear @ np.array(MATRICES[deficiency]).T, 0.0, 1.0)
    result: Floats = np.where(found <= 0.0031308, found * 12.92, 1.055 * found ** (1 / 2.4) - 0.055)
    return result


def main(source: str, target: str) -> None:
    """Write the three pictures."""
    from PySide6.QtGui import QImage

    image = QImage(source).convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    pixels = rows[:, : image.width() * 3].reshape(image.height(), image.width(), 3) / 255
    for deficiency in MATRICES:
        data = np.ascontiguousarray((seen(pixels, deficiency) * 255).round().astype(np.uint8))
        height, width, _ = data.shape
        QImage(data.data, width, height, width * 3, QImage.Format.Format_RGB888).save(f"{target}-{deficiency}.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
