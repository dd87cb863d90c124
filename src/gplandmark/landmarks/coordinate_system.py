# SPDX-License-Identifier: MIT
"""Changes of coordinates, each noted in the record.

LPS and RAS are the two frames of medical images. They differ in the signs of x and y: LPS
counts towards the left and the back of the patient, RAS towards the right and the front.
"""

from dataclasses import replace

import numpy as np

from gplandmark.errors import SettingsError, warn
from gplandmark.landmarks.landmarks import SYSTEMS, Landmarks
from gplandmark.mesh.surface import Surface
from gplandmark.numerics.arguments import instance, real_number

OF_MESHES = "LPS"  # of a mesh that states none, as in 3D Slicer


def to_system(landmarks: Landmarks, system: str) -> Landmarks:
    """Return the landmarks in LPS or RAS; the signs of x and y turn if they were in the other.

    Where they state no system, they are taken to be in the other one, with a warning.

    Raises
    ------
    SettingsError
        The system is neither LPS nor RAS, or the landmarks are not points in space.
    """
    instance(landmarks, Landmarks, "Use gplandmark.read_landmarks first.")
    if not isinstance(system, str) or system not in SYSTEMS:
        raise SettingsError(f"The coordinate system must be LPS or RAS, got {system!r}.")
    if landmarks.points.shape[1] != 3:
        raise SettingsError(
            f"{landmarks.specimen} has dimension {landmarks.points.shape[1]}; only points in space "
            "are in LPS or RAS."
        )
    if landmarks.system == system:
        return landmarks
    other = SYSTEMS[1 - SYSTEMS.index(system)]
    note = f"Brought from {other} to {system}: the signs of x and y were turned."
    if landmarks.system is None:
        note = (
            f"{landmarks.specimen} does not state its coordinate system and was taken to be in "
            f"{other}. {note}"
        )
        warn(note)
    turned = landmarks.points * np.array([-1.0, -1.0, 1.0])
    return _noted(replace(landmarks, points=turned, system=system, surface=None), note)


def in_system_of(surface: Surface, landmarks: Landmarks) -> Landmarks:
    """Return the landmarks in the system that the file of a surface states, or else in LPS.

    The signs of x and y turn if they are marked with the other one. Landmarks that do not state
    their system are taken to be in the coordinates of the surface.
    """
    if landmarks.system is None:
        return landmarks if surface.system is None else replace(landmarks, system=surface.system)
    system = surface.system or OF_MESHES
    return landmarks if landmarks.system == system else to_system(landmarks, system)


def scaled(landmarks: Landmarks, factor: float) -> Landmarks:
    """Return the landmarks with every coordinate multiplied by a factor, for another unit.

    Raises
    ------
    SettingsError
        The factor is not a positive number, or takes a coordinate out of range.
    """
    instance(landmarks, Landmarks, "Use gplandmark.read_landmarks first.")
    if not 0 < real_number(factor, "The scale") < np.inf:
        raise SettingsError(f"The scale must be a positive number, got {factor}.")
    with np.errstate(over="ignore"):
        points = landmarks.points * factor
    if np.isinf(points).any():
        raise SettingsError(f"The scale {factor} makes coordinates too large for any file.")
    note = f"All coordinates were scaled by {factor!r}."
    return _noted(replace(landmarks, points=points, surface=None), note)


def _noted(landmarks: Landmarks, note: str) -> Landmarks:
    record = landmarks.record
    return replace(landmarks, record=replace(record, warnings=(*record.warnings, note)))
