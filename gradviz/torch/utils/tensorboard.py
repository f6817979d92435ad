"""`torch.utils.tensorboard`: a writer that writes nothing, as a snippet has no files."""

from __future__ import annotations

from typing import Any

__all__ = ["SummaryWriter"]


class SummaryWriter:
    """Accepts everything and writes nothing."""

    def __init__(self, log_dir: Any = None, comment: str = "", **options: object) -> None:
        self.log_dir = log_dir if log_dir is not None else "runs"

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        pass

    def get_logdir(self) -> str:
        """Return the folder that PyTorch would write to."""
        return self.log_dir


def _ignored(name: str) -> Any:
    def method(self: SummaryWriter, *args: object, **options: object) -> None:
        pass

    method.__name__ = name
    method.__doc__ = "Accepted, but not written."
    return method


for _name in """
add_scalar add_scalars add_histogram add_histogram_raw add_image add_images add_image_with_boxes add_figure add_video
add_audio add_text add_graph add_embedding add_pr_curve add_pr_curve_raw add_custom_scalars add_mesh add_hparams
add_tensor add_onnx_graph flush close
""".split():
    setattr(SummaryWriter, _name, _ignored(_name))
