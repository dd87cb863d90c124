# SPDX-License-Identifier: MIT
"""How a volume becomes a surface: the threshold or the label, smoothing, voxel size and budget."""

import math
from dataclasses import dataclass
from typing import Any

from gplandmark.errors import SettingsError

ALL = "all"  # every label of a label map, each as a specimen of its own
MOST_VOXELS = 1_000_000_000  # 2 GB of 16-bit values; larger volumes are reduced


@dataclass(frozen=True)
class VolumeOptions:
    """How a volume becomes a surface.

    Attributes
    ----------
    threshold : voxels with at least this value are inside; by default Otsu's threshold
    label : the label of a label map whose surface is wanted; "all" where each may be a specimen
    smooth : standard deviation of a Gaussian that smooths the volume before the cut, in units of
        the file; by default none, and one voxel for labels
    spacing : (x, y, z) size of a voxel, in place of what the file says
    max_voxels : larger volumes are reduced: voxels are averaged in blocks of 2 x 2 x 2, 3 x 3 x 3
        and so on until there are at most so many; by default a billion

    Raises
    ------
    SettingsError
        A value is out of its range, or there is both a threshold and a label.
    """

    threshold: float | None = None
    label: int | str | None = None
    smooth: float | None = None
    spacing: tuple[float, float, float] | None = None
    max_voxels: int | None = None

    def __post_init__(self) -> None:
        if self.threshold is not None and not _is_finite(self.threshold):
            raise SettingsError(f"The threshold must be a number, got {self.threshold}.")
        if self.threshold is not None and self.label is not None:
            raise SettingsError("Give either a threshold or a label, not both.")
        if self.label is not None and self.label != ALL and not _is_label(self.label):
            raise SettingsError(f"The label must be a whole number but 0, got {self.label!r}.")
        if self.smooth is not None and not (_is_finite(self.smooth) and self.smooth >= 0):
            raise SettingsError(f"The smoothing must be a length of at least 0, got {self.smooth}.")
        if self.spacing is not None and not _is_spacing(self.spacing):
            raise SettingsError(
                f"The spacing must be three positive lengths, e.g. 0.02,0.02,0.05, "
                f"got {', '.join(map(str, self.spacing))}."
            )
        if self.max_voxels is not None and not self.max_voxels >= 1:
            raise SettingsError(f"The voxel budget must be at least 1, got {self.max_voxels}.")

    def as_dict(self) -> dict[str, Any]:
        """Return the options that are given, ready for JSON."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        return given | ({} if self.spacing is None else {"spacing": list(self.spacing)})

    @classmethod
    def of_dict(cls, content: Any) -> "VolumeOptions":
        """Make options of what `as_dict` returned, also after JSON.

        Raises
        ------
        SettingsError
            It is something else.
        """
        try:
            spacing = content.get("spacing")
            given = {**content, "spacing": None if spacing is None else tuple(spacing)}
            return cls(**given)
        except (TypeError, AttributeError):
            raise SettingsError("These are no options of a volume.") from None

    @property
    def budget(self) -> int:
        """How many voxels are meshed at most."""
        return MOST_VOXELS if self.max_voxels is None else self.max_voxels


def _is_finite(value: Any) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)


def _is_label(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value != 0


def _is_spacing(value: Any) -> bool:
    return len(value) == 3 and all(_is_finite(each) and each > 0 for each in value)
