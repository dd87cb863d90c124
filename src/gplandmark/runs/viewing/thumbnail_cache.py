# SPDX-License-Identifier: MIT
"""Small pictures of specimens that have none in a folder of results."""

import threading

import numpy as np

from gplandmark.errors import GplandmarkError
from gplandmark.io.scans.rules import Rules
from gplandmark.landmarks import Landmarks
from gplandmark.runs.reports.thumbnails import specimen_thumbnail
from gplandmark.runs.viewing.collection import Specimen
from gplandmark.runs.viewing.open_specimen import OpenSpecimen
from gplandmark.runs.viewing.read_specimen import read_specimen

NONE = np.zeros((0, 3))


class ThumbnailCache:
    """Pictures that were drawn already; one is drawn at a time, for the specimen in view counts."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._drawn: dict[str, bytes] = {}
        self._drawing = threading.Lock()

    def draw(self, specimen: Specimen, opened: OpenSpecimen | None) -> bytes:
        """A PNG of a specimen, which may be open; empty if it cannot be drawn."""
        with self._drawing:
            if specimen.key not in self._drawn:
                self._drawn[specimen.key] = self._picture(specimen, opened)
            return self._drawn[specimen.key]

    def _picture(self, specimen: Specimen, opened: OpenSpecimen | None) -> bytes:
        try:
            if opened is None:
                surface, landmarks = read_specimen(specimen, self._rules)
            else:
                surface = opened.surface
                landmarks = Landmarks.at(opened.editor.points, specimen.key)
            return specimen_thumbnail(surface, landmarks or Landmarks.at(NONE, specimen.key)) or b""
        except GplandmarkError:
            return b""
