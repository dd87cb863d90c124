"""Collections of scans with experts' landmarks, and what other programs answered on them."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from landmarks_carried_across_teeth import calcanei, teeth
from specimens import FOLDER

from gplandmark import (
    GplandmarkWarning,
    Landmarks,
    Surface,
    check,
    read,
    read_collection,
    read_landmarks,
)
from gplandmark.landmarks.on_surface import distances_off

DATA = FOLDER / "data"
SKULL_TEMPLATES = ("BALB_CJ", "C57BLKS", "LG")
MANY = 7  # templates of mandibles whose median is taken; three of them stand alone, too


@dataclass(frozen=True, eq=False)
class Collection:
    """Specimens with the same landmarks.

    Attributes
    ----------
    surfaces : in the order of their names
    points : (s, k, 3) the experts' landmarks, in the units of the files
    templates : numbers of the specimens that landmarks are carried from, one at a time
    many : numbers of the templates whose median is taken
    answers : of other programs, by name, (s, k, 3)
    groups : of every specimen, None where unknown
    reflections : whether one may be the mirror image of another
    """

    name: str
    surfaces: list[Surface]
    points: np.ndarray
    templates: tuple[int, ...] = ()
    many: tuple[int, ...] = ()
    answers: dict[str, np.ndarray] = field(default_factory=dict)
    groups: list[str | None] = field(default_factory=list)
    reflections: bool = False

    def __len__(self) -> int:
        return len(self.surfaces)

    @property
    def off(self) -> np.ndarray:
        """How far the experts' landmarks lie off the surfaces, (s, k)."""
        rows = zip(self.surfaces, self.points, strict=True)
        return np.array([distances_off(surface, points) for surface, points in rows])


def mouse_skulls() -> Collection:
    paths = sorted((DATA / "mouse_skulls").glob("*.ply"))
    paths = sorted([*paths, *(DATA / "skull").glob("CAST_EIJ.ply")], key=lambda path: path.stem)
    surfaces = [read(path) for path in paths]
    landmarks = [read_landmarks(path.with_suffix(".mrk.json")) for path in paths]
    names = [surface.name for surface in surfaces]
    templates = tuple(names.index(name) for name in SKULL_TEMPLATES)
    points = np.array([checked(*pair) for pair in zip(surfaces, landmarks, strict=True)])
    return Collection("mouse skulls", surfaces, points, templates, templates)


def mandibles() -> Collection:
    paths = sorted((DATA / "mandibles").glob("*.ply"), key=lambda path: path.stem)
    surfaces = [read(path) for path in paths]
    names = [surface.name for surface in surfaces]
    landmarks = by_specimen(DATA / "mandibles" / "landmarks.csv", names)
    points = np.array([checked(*pair) for pair in zip(surfaces, landmarks, strict=True)])
    many = tuple(int(each) for each in np.linspace(0, len(paths) - 1, MANY).round())
    answers = by_specimen(DATA / "mandibles" / "malpaca.csv", names)
    malpaca = np.array([each.points for each in answers])
    templates = (many[0], many[MANY // 2], many[-1])
    return Collection("mandibles", surfaces, points, templates, many, {"MALPACA": malpaca})


def across_species(name: str, found, *, reflections: bool) -> Collection:
    """Specimens that are all compared with all, with landmarks on vertices."""
    surfaces, vertices, groups = found
    points = np.array(
        [surface.points[each] for surface, each in zip(surfaces, vertices, strict=True)]
    )
    return Collection(name, surfaces, points, groups=groups, reflections=reflections)


def by_specimen(table: Path, names: list[str]) -> list[Landmarks]:
    found = {each.specimen: each for each in read_collection(table)}
    return [found[name] for name in names]


def checked(surface: Surface, landmarks: Landmarks) -> np.ndarray:
    """The landmarks' points, if they lie on the surface: no other unit, pose or system."""
    found = check(surface, landmarks)
    if not found.fits:
        raise SystemExit(f"{surface.name}: {found}")
    return landmarks.points


READERS: dict[str, tuple[str, Callable[[], Collection]]] = {
    "skulls": ("mouse_skulls", mouse_skulls),
    "mandibles": ("mandibles", mandibles),
    "teeth": ("teeth", lambda: across_species("teeth", teeth(), reflections=True)),
    "calcanei": ("calcaneus", lambda: across_species("calcanei", calcanei(), reflections=False)),
}


def collection(name: str) -> Collection | None:
    """One of the collections; None, said aloud, where its files are not at hand."""
    folder, reader = READERS[name]
    if not (DATA / folder).is_dir():
        print(f"{name}: skipped, there is no folder {folder}\n")
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GplandmarkWarning)
        return reader()
