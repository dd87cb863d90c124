# SPDX-License-Identifier: MIT
"""The history of an editor: every state, which of them is the present one, and all as text."""

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from gplandmark.landmarks import Record
from gplandmark.landmarks.curves import Curve
from gplandmark.landmarks.landmarks import KINDS
from gplandmark.mesh.surface import Surface
from gplandmark.visual.editor.state import AUTHORS, Location, Mark, State


@dataclass(frozen=True)
class Origin:
    """The landmarks as they were opened, what made them, and their coordinate system if known."""

    state: State = field(default_factory=State)
    record: Record = field(default_factory=Record)
    system: str | None = None


@dataclass(frozen=True)
class HistoryEntry:
    """A state and the edit that led to it, in words: "move 7"."""

    state: State
    edit: str


LANDMARKS = ("marks", "painted", "curves")  # what the landmark file and its record keep


@dataclass
class History:
    """A list of states; undo and redo walk along it, and a new edit cuts off what was undone.

    `saved` is the state that `gplandmark.visual.editor.save` wrote last.
    """

    origin: Origin
    entries: list[HistoryEntry]
    present: int = 0
    saved: State | None = None

    @classmethod
    def starting(cls, origin: Origin) -> "History":
        """The history of something that was just opened."""
        return cls(origin, [HistoryEntry(origin.state, "")])

    @property
    def state(self) -> State:
        """The present state."""
        return self.entries[self.present].state

    @property
    def is_saved(self) -> bool:
        """Whether landmarks, curves and paint are as they were opened, or saved last."""
        return self.has_saved((*LANDMARKS, "not_bone"))

    def has_saved(self, parts: Sequence[str]) -> bool:
        """Whether these parts of the state are as they were opened, or saved last."""
        now, then = self.state, self.saved or self.origin.state
        return all(getattr(now, each) == getattr(then, each) for each in parts)

    def push(self, state: State, edit: str, *, joined: bool = False) -> None:
        """Make a state the present one; joined to an equal edit before it, it takes its place."""
        del self.entries[self.present + 1 :]
        if not (joined and self.present and self.entries[-1].edit == edit):
            self.present += 1
        self.entries[self.present :] = [HistoryEntry(state, edit)]

    def replace(self, state: State) -> None:
        """Put a state in place of the present one, for what is no edit, as a selection."""
        self.entries[self.present] = HistoryEntry(state, self.entries[self.present].edit)

    def step(self, by: int) -> bool:
        """Go back (-1) or forth (+1); False at the end of the list."""
        if not 0 <= self.present + by < len(self.entries):
            return False
        self.present += by
        return True


KEPT = 100  # states that can still be undone after an interruption


def text_of(history: History) -> str:
    """The origin, the present state and up to 100 before it, as one line of JSON.

    States share most of their landmarks: each is written once and then named by its number.
    """
    first = max(0, history.present - KEPT)
    entries = history.entries[first : history.present + 1]
    states = [history.origin.state, *(entry.state for entry in entries)]
    # All marks live in the history for now, so that no two have the same id().
    marks = {id(mark): mark for state in states for mark in state.marks}
    numbers = {key: number for number, key in enumerate(marks)}
    paints = list(dict.fromkeys(each for s in states for each in (s.painted, s.not_bone)))
    content = {
        "marks": [_as_dict(mark) for mark in marks.values()],
        "paints": [base64.b64encode(zlib.compress(paint)).decode() for paint in paints],
        "states": [
            {
                "marks": [numbers[id(mark)] for mark in state.marks],
                "painted": paints.index(state.painted),
                "not_bone": paints.index(state.not_bone),
                "selected": sorted(state.selected),
                "following": state.following,
                "curves": [asdict(curve) for curve in state.curves],
            }
            for state in states
        ],
        "edits": [entry.edit for entry in entries],
        "record": history.origin.record.as_dict(),
        "system": history.origin.system,
    }
    return json.dumps(content)


def history_of(text: str, surface: Surface) -> History:
    """The history in a text.

    Raises
    ------
    ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError, RecursionError
        It has none, or not one of this surface.
    """
    content = json.loads(text)
    marks = [_mark(each, surface) for each in content["marks"]]
    most = -(-surface.vertex_count // 8)
    paints = [_paint(each, most) for each in content["paints"]]
    origin, *states = [_state(each, marks, paints) for each in content["states"]]
    edits = [str(edit) for edit in content["edits"]]
    entries = [HistoryEntry(state, edit) for state, edit in zip(states, edits, strict=True)]
    record = Record.of_dict(content["record"])
    if not entries or content["system"] not in (None, "LPS", "RAS"):
        raise ValueError(content["system"])
    return History(Origin(origin, record, content["system"]), entries, len(entries) - 1)


def _as_dict(mark: Mark) -> dict[str, Any]:
    """A landmark as the file has it, which calls the barycentric weights shares."""
    content = asdict(mark)
    if mark.place is not None:
        content["place"]["shares"] = content["place"].pop("barycentric")
    return content


def _mark(content: dict[str, Any], surface: Surface) -> Mark:
    place = None if content["place"] is None else _place(content["place"], surface)
    mark = Mark(**{**content, "place": place})
    if mark.kind not in ("", *KINDS) or mark.author not in AUTHORS:
        raise ValueError(mark)
    return mark


def _place(content: dict[str, Any], surface: Surface) -> Location:
    place = Location(
        tuple(map(float, content["point"])),
        int(content["vertex"]),
        int(content["triangle"]),
        tuple(map(float, content["shares"])),
    )
    triangles = 0 if surface.triangles is None else len(surface.triangles)
    if (
        len(place.point) != surface.points.shape[1]
        or not 0 <= place.vertex < surface.vertex_count
        or not -1 <= place.triangle < triangles
        or len(place.barycentric) != (0 if place.triangle < 0 else 3)
    ):
        raise ValueError(place)
    return place


def _paint(text: str, most: int) -> bytes:
    # No more is decompressed than a mask takes, whatever the text says.
    paint = zlib.decompressobj().decompress(base64.b64decode(text), most + 1)
    if len(paint) not in (0, most):
        raise ValueError(text)
    return paint


def _state(content: dict[str, Any], marks: list[Mark], paints: list[bytes]) -> State:
    held = tuple(marks[number] for number in content["marks"])
    curves = tuple(
        Curve(str(each["name"]), tuple(map(int, each["members"])), bool(each["is_closed"]))
        for each in content.get("curves", ())
    )
    if not {member for curve in curves for member in curve.members} <= {m.identity for m in held}:
        raise ValueError(curves)
    return State(
        held,
        paints[content["painted"]],
        frozenset(map(int, content["selected"])),
        int(content["following"]),
        curves,
        paints[content["not_bone"]] if "not_bone" in content else b"",
    )
