from .enums import ColumnSettings, Mode, RowSettings, Units, Verbosity
from .model_statistics import ModelStatistics
from .torchinfo import summary

__all__ = (
    "summary",
    "ColumnSettings",
    "Mode",
    "ModelStatistics",
    "RowSettings",
    "Units",
    "Verbosity",
)
__version__ = "1.8.0"
