# SPDX-License-Identifier: MIT
"""What made a set of landmarks: enough to make it again."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Record"]


@dataclass(frozen=True)
class Record:
    """How landmarks came about. It holds no date: equal runs give equal records.

    Attributes
    ----------
    input : the specimen's name, its file and SHA-256, how its vertices are numbered, its size
    settings : the preset and every parameter
    request : the count, the target, the starting landmarks, what was excluded, the seed
    outcome : how many landmarks came out, why it stopped, how far the variance fell
    warnings : what the user was told
    software : versions of the packages that had a hand in it
    """

    input: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    request: Mapping[str, Any] = field(default_factory=dict)
    outcome: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    software: Mapping[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the record as plain dictionaries and lists, ready for JSON."""
        return asdict(self)

    @classmethod
    def of_dict(cls, content: Mapping[str, Any]) -> "Record":
        """Make a record from what `as_dict` returned, after a journey through JSON."""
        sections = {name: content.get(name, {}) for name in cls.__dataclass_fields__}
        return cls(**{**sections, "warnings": tuple(content.get("warnings", ()))})
