# SPDX-License-Identifier: MIT
"""Bilateral symmetry: the plane of a specimen, and landmarks in pairs and on the midline."""

from gplandmark.landmarks.symmetry.paired_landmarks import PairedLandmarks, place_pairs
from gplandmark.landmarks.symmetry.plane import Plane, find_plane, plane_through

__all__ = ["PairedLandmarks", "Plane", "find_plane", "place_pairs", "plane_through"]
