# SPDX-License-Identifier: MIT
"""Scans in a common pose: rotated and moved so that their landmarks or surfaces coincide."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gplandmark.errors import warn
from gplandmark.io.csv_tables import table_text
from gplandmark.io.scans import as_ply, read
from gplandmark.mesh.surface import Surface
from gplandmark.morphometrics.analysis import Aligned
from gplandmark.morphometrics.matching import SampleMatch
from gplandmark.morphometrics.matching.build_sample import align_prepared
from gplandmark.morphometrics.matching.sampling import sample_surface
from gplandmark.numerics.arrays import FloatArray
from gplandmark.numerics.rotations import kabsch_rotations

POSES = "poses.csv"


@dataclass(frozen=True, eq=False)
class CommonPose:
    """How a specimen comes into the common pose: x becomes scale (x - centre) R.

    Attributes
    ----------
    specimen : its name
    centre : (3,) what becomes the origin, in its file: the centroid of its landmarks, or the centre
        of the reference
    rotation : (3, 3) R; its determinant is -1 for a mirror image
    scale : 1 unless sizes are made equal
    """

    specimen: str
    centre: FloatArray
    rotation: FloatArray
    scale: float

    @property
    def mirrors(self) -> bool:
        """Whether left and right are exchanged."""
        return bool(np.linalg.det(self.rotation) < 0)

    def apply(self, surface: Surface) -> Surface:
        """Return the surface in the common pose; triangles of mirror images are flipped."""
        points = self.scale * (surface.points - self.centre) @ self.rotation
        faces = surface.faces()
        turned = faces[:, ::-1].copy() if self.mirrors else faces
        return replace(surface, points=points, triangles=turned, source=None)


def common_poses(aligned: Aligned, *, equal_sizes: bool = False) -> tuple[CommonPose, ...]:
    """Poses of superimposed specimens; with equal sizes, all have the mean centroid size."""
    found = []
    mean = float(aligned.centroid_sizes.mean())
    for number, name in enumerate(aligned.names):
        centre = aligned.points[number].mean(axis=0)
        moments = (aligned.points[number] - centre).T @ aligned.shapes[number]
        sign = np.float64(-1.0 if aligned.mirrored[number] else 1.0)
        scale = mean / float(aligned.centroid_sizes[number]) if equal_sizes else 1.0
        found.append(CommonPose(name, centre, kabsch_rotations(moments, sign), scale))
    return tuple(found)


def poses_of_match(sample: SampleMatch, *, equal_sizes: bool = False) -> tuple[CommonPose, ...]:
    """Poses that lay matched specimens on the reference, which keeps its orientation.

    The matcher lays u = (x - c) / z, with the centre c and the size z of the specimen, on the
    reference by u -> k u Q + s. With equal sizes all have the mean of z / k.
    """
    factors = [each.size / pose.scale
               for each, pose in zip(sample.specimens, sample.poses, strict=True)]  # fmt: skip
    mean = float(np.mean(factors))
    return tuple(
        CommonPose(
            each.name,
            each.centre - factor * pose.shift @ pose.rotation.T,
            pose.rotation,
            mean / factor if equal_sizes else 1.0,
        )
        for each, pose, factor in zip(sample.specimens, sample.poses, factors, strict=True)
    )


def match_poses(scans: Mapping[str, Path], *, reflect: bool = False) -> SampleMatch:
    """Specimens in a common pose, found by their surfaces alone; warns of doubtful ones."""
    specimens = [sample_surface(replace(read(path), name=name)) for name, path in scans.items()]
    sample = align_prepared(specimens, reflections=reflect)
    for remark in sample.remarks:
        warn(remark)
    return sample


def aligned_scans(
    poses: tuple[CommonPose, ...], scans: Mapping[str, Path], folder: Path
) -> Iterator[dict[Path, str | bytes]]:
    """Yield the content of each scan in the common pose, as PLY, and at last a table of poses."""
    for pose in poses:
        surface = pose.apply(read(scans[pose.specimen]))
        yield {folder / f"{pose.specimen.replace('/', '_')}.ply": as_ply(surface)}
    axes = ("x", "y", "z")
    yield {
        folder / POSES: table_text(
            ("specimen", *(f"centre_{axis}" for axis in axes),
             *(f"rotation_{row}{column}" for row in axes for column in axes), "scale", "mirrored"),
            (
                (each.specimen, *each.centre, *each.rotation.ravel(), each.scale,
                 each.mirrors)
                for each in poses
            ),
        )
    }  # fmt: skip
