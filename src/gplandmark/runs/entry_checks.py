# SPDX-License-Identifier: MIT
"""What an entry of a journal may hold. Folders of results are passed around: their journals, too.

Names of files stay inside the folder, and every value has the type that reports and plans expect.
"""

import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from gplandmark.errors import LandmarkFileError, SettingsError
from gplandmark.io.volumes.options import VolumeOptions
from gplandmark.landmarks.record import EXPECTED, NOT_ON_FRAGMENT, SHARE

Check = Callable[[Any], bool]
FOLDERS = ("landmarks", "thumbnails", "pictures", "thresholds")  # that files of specimens lie in
DIGEST = re.compile("[0-9a-f]{64}")
LONGEST, LONGEST_PATH = 255, 1000  # bytes of a name that a disk takes; characters of a path


def is_result_name(name: Any) -> bool:
    """Whether this is the path of a file of a specimen inside a folder of results."""
    if not isinstance(name, str) or re.search(r"[\\\x00]", name):
        return False
    path = PurePosixPath(name)
    parts = path.parts
    leads_out = path.is_absolute() or ".." in parts or bool(Path(name).drive)
    is_too_long = len(name) > LONGEST_PATH or any(len(_encoded(each)) > LONGEST for each in parts)
    is_plain = len(parts) > 1 and parts[0] in FOLDERS and str(path) == name
    return is_plain and not leads_out and not is_too_long


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def check_result_name(name: str) -> None:
    """Refuse a name that leads out of the folder of results, whoever gave it.

    Raises
    ------
    LandmarkFileError
        It does, or is no name for a result.
    """
    if not is_result_name(name):
        raise LandmarkFileError(f"{name!r} is not a name for a result. Rename the specimen.")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _is_number(value: Any) -> bool:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    return math.isfinite(value) if isinstance(value, float) else abs(value) < 2**63


def _is_fraction(value: Any) -> bool:
    return _is_number(value) and value >= 0


def _optional(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _list_of(check: Check, length: int | None = None) -> Check:
    return lambda value: (
        isinstance(value, list) and length in (None, len(value)) and all(map(check, value))
    )


def _is_digests(value: Any) -> bool:
    return isinstance(value, dict) and all(
        is_result_name(name) and isinstance(digest, str) and DIGEST.fullmatch(digest)
        for name, digest in value.items()
    )


def _is_identity(value: Any) -> bool:
    return isinstance(value, dict) and _list_of(_is_text)(value.get("landmarks", []))


PICTURE: Mapping[str, Check] = {
    "size": _list_of(_is_number, 2),
    "places": _list_of(_optional(_list_of(_is_number, 2))),
    "shown": _list_of(_is_truth),
    "view": _list_of(_list_of(_is_number, 4), 2),
}


def _is_picture(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == PICTURE.keys()
        and all(check(value[name]) for name, check in PICTURE.items())
        and len(value["places"]) == len(value["shown"])
    )


def _is_volume(value: Any) -> bool:
    try:
        return bool(VolumeOptions.of_dict(value))
    except SettingsError:
        return False


_VALUES = _list_of(_optional(_is_number))
FACTS: Mapping[str, Check] = {
    **dict.fromkeys(("sha256", "repairs", "stopped", "nearest", "aside", "not_bone"), _is_text),
    **dict.fromkeys(("vertices", "landmarks", "missing"), _is_count),
    **dict.fromkeys(("size", "agreement"), _is_number),
    **dict.fromkeys(("variance_left", "nearest_distance", "reference_distance"), _is_fraction),
    SHARE: _is_fraction,
    **dict.fromkeys(EXPECTED, _VALUES),
    **dict.fromkeys([f"mean_{name}" for name in EXPECTED], _is_fraction),
    **dict.fromkeys(("notes", "over", NOT_ON_FRAGMENT), _list_of(_is_text)),
    "area": _optional(_is_fraction),
    "curve": lambda value: bool(value) and _list_of(_is_fraction)(value),
    **dict.fromkeys(("expert", "mirrored"), _is_truth),
    "picture": _is_picture,
    "volume": _is_volume,
}
NEEDED = {"vertices", "repairs", "landmarks", "notes"}  # of every specimen with landmarks
TOGETHER = (
    {"nearest", "nearest_distance"},
    {"mean_expected_error", "mean_radius_90"},
    {"curve", "variance_left"},
)


def is_facts(value: Any) -> bool:
    """Whether these are facts of a specimen that reports can show."""
    return (
        isinstance(value, dict)
        and all(name in FACTS and FACTS[name](each) for name, each in value.items())
        and all(names <= value.keys() or not names & value.keys() for names in TOGETHER)
    )


ENTRY: Mapping[str, Check] = {
    **dict.fromkeys(("key", "file", "reason", "kind"), _is_text),
    "identity": _is_identity,
    "outputs": _is_digests,
    "facts": is_facts,
    "seconds": _is_fraction,
    "attempts": _is_count,
}


def is_entry(content: Any) -> bool:
    """Whether a value from JSON is an entry that can be trusted."""
    if not isinstance(content, dict) or content.keys() != ENTRY.keys():
        return False
    if not all(check(content[name]) for name, check in ENTRY.items()):
        return False
    own = f"{content['key']}."
    if not all(name.partition("/")[2].startswith(own) for name in content["outputs"]):
        return False  # files of another specimen would be removed with this one
    if content["kind"]:
        return True  # it failed, and may have neither files nor facts
    first = next(iter(content["outputs"]), "")
    return first.startswith("landmarks/") and content["facts"].keys() >= NEEDED
