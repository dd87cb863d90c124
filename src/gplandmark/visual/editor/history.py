# SPDX-License-Identifier: MIT
"""Every state since the beginning, and which of them is the present one."""

from dataclasses import dataclass, field

from gplandmark.landmarks import Record
from gplandmark.visual.editor.state import State

__all__ = ["Entry", "History", "Origin"]


@dataclass(frozen=True)
class Origin:
    """What was there before the first edit.

    Attributes
    ----------
    state : the landmarks as they were opened
    record : what made them
    system : their coordinate system, if it was told
    """

    state: State = field(default_factory=State)
    record: Record = field(default_factory=Record)
    system: str | None = None


@dataclass(frozen=True)
class Entry:
    """A state and the edit that led to it, in words: "move 7"."""

    state: State
    edit: str


@dataclass
class History:
    """A list of states; undo and redo walk along it, and a new edit cuts off what was undone."""

    origin: Origin
    entries: list[Entry]
    present: int = 0
    saved: State | None = None

    @classmethod
    def starting(cls, origin: Origin) -> "History":
        """The history of something that was just opened."""
        return cls(origin, [Entry(origin.state, "")])

    @property
    def state(self) -> State:
        """The present state."""
        return self.entries[self.present].state

    @property
    def is_saved(self) -> bool:
        """Whether landmarks and paint are as they were opened, or saved last."""
        now, then = self.state, self.saved or self.origin.state
        return (now.marks, now.painted) == (then.marks, then.painted)

    def mark_saved(self) -> None:
        """Remember that the present state is on disk; `gplandmark.visual.editor.save` does it."""
        self.saved = self.state

    def push(self, state: State, edit: str, *, joined: bool = False) -> None:
        """Make a state the present one; joined to an equal edit before it, it takes its place."""
        del self.entries[self.present + 1 :]
        if not (joined and self.present and self.entries[-1].edit == edit):
            self.present += 1
        self.entries[self.present :] = [Entry(state, edit)]

    def replace(self, state: State) -> None:
        """Put a state in place of the present one, for what is no edit, as a selection."""
        self.entries[self.present] = Entry(state, self.entries[self.present].edit)

    def step(self, by: int) -> bool:
        """Go back (-1) or forth (+1); False at the end of the list."""
        if not 0 <= self.present + by < len(self.entries):
            return False
        self.present += by
        return True
