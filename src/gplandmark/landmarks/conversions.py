# SPDX-License-Identifier: MIT
"""What landmarks become elsewhere: tables of pandas and xarray, files, pictures, notebooks."""

from collections.abc import Sequence
from os import PathLike
from typing import Any

from gplandmark.errors import SettingsError
from gplandmark.landmarks.html_table import axis_names, landmark_table
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arguments import extra
from gplandmark.numerics.arrays import FloatArray, IndexArray
from gplandmark.numerics.public import public


class Conversions:
    """Methods of `Landmarks` that need nothing but these fields."""

    specimen: str
    points: FloatArray
    vertices: IndexArray
    variances: FloatArray
    labels: tuple[str, ...]
    classes: Sequence[str]
    kinds: tuple[str, ...]
    surface: Surface | None

    def _repr_html_(self) -> str:
        """A table, and a picture where the surface is known: what a notebook shows."""
        png = public("visual.pictures.notebook_png")(self)
        title = f"{self.specimen}: {len(self.points)} landmarks"
        return landmark_table(title, self.labels, self.points, self.classes, png)

    def columns(self) -> dict[str, Any]:
        """Return what is known of each landmark by name, one entry per landmark each."""
        axes = axis_names(self.points.shape[1])
        optional = {"class": [str(each) for each in self.classes], "kind": list(self.kinds)}
        return {
            "specimen": [self.specimen] * len(self.points),
            "landmark": list(self.labels),
            **dict(zip(axes, self.points.T.copy(), strict=True)),
            "vertex": self.vertices.copy(),
            "variance": self.variances.copy(),
            **{name: values for name, values in optional.items() if values},
        }

    def to_dataframe(self) -> Any:
        """Return a table of pandas with a row for each landmark."""
        return extra("pandas").DataFrame(self.columns())

    def to_xarray(self) -> Any:
        """Return the points as an array of xarray, with the dimensions landmark and axis."""
        return extra("xarray").DataArray(
            self.points.copy(),
            dims=("landmark", "axis"),
            coords={
                "landmark": list(self.labels),
                "axis": axis_names(self.points.shape[1]),
                "variance": ("landmark", self.variances.copy()),
            },
            name=self.specimen,
        )

    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write a landmark file and its record, as `gplandmark.write` does."""
        public("write")(self, path, overwrite=overwrite)

    def picture(self, **options: Any) -> Any:
        """Draw them on their surface, as `gplandmark.picture` does."""
        return public("picture")(self._surface(), self, **options)

    def show(self, **options: Any) -> Any:
        """Show them on their surface in a notebook, as `gplandmark.show` does."""
        return public("show")(self._surface(), self, **options)

    def _surface(self) -> Surface:
        if self.surface is None:
            raise SettingsError(
                f"The surface of {self.specimen} is not known: its landmarks come from a file, or "
                "their coordinates were changed. Use the function with the surface."
            )
        return self.surface
