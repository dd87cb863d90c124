"""Folders as `match` and `batch` write them, made quickly: small molars with a few landmarks."""

import hashlib
import json
from dataclasses import replace
from functools import cache

import numpy as np
from conftest import SMALL

from gplandmark import Surface, make_molar, place
from gplandmark.io.csv_tables import table_text
from gplandmark.mesh.synthetic import sphere
from gplandmark.runs.discover import HIDDEN
from gplandmark.runs.journal import Journal, JournalEntry
from gplandmark.runs.place_job import landmark_contents

LANDMARKS = 6


@cache
def molar_with_landmarks(number):
    surface = make_molar(number + 1, vertex_count=700).surface
    landmarks = place(surface, LANDMARKS, settings=SMALL)
    name = f"tooth{number}"
    record = replace(landmarks.record, input={**landmarks.record.input, "specimen": name})
    return surface, replace(landmarks, specimen=name, record=record)


def write_off(path, surface):
    rows = ["OFF", f"{surface.vertex_count} {len(surface.faces())} 0"]
    rows += [" ".join(map(repr, map(float, point))) for point in surface.points]
    rows += ["3 " + " ".join(map(str, corners)) for corners in surface.faces()]
    path.write_text("\n".join(rows) + "\n")


def hollow_ball():
    """A ball in a ball, joined by a narrow tunnel: of the inner one hardly anything is seen."""
    ball = sphere(3).surface
    count, faces = ball.vertex_count, ball.faces()
    a, b, c = faces[0]
    walls = [[x, y, y + count] for x, y in ((a, b), (b, c), (c, a))]
    walls += [[x, y + count, x + count] for x, y in ((a, b), (b, c), (c, a))]
    faces = np.vstack([faces[1:], faces[1:] + count, walls])
    return Surface(np.vstack([ball.points, 0.5 * ball.points]), faces, "ball")


def write_scans(folder, count=3):
    """Scans tooth0.off, tooth1.off, ..."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        write_off(folder / f"tooth{number}.off", molar_with_landmarks(number)[0])
    return folder


def write_results(folder, scans, count=3, command="match"):
    """Results of a command on these scans; of tooth0 it is least certain. The first one failed."""
    (folder / HIDDEN).mkdir(parents=True)
    (folder / HIDDEN / "command").write_text(f"{command}\n")
    journal, errors = Journal(folder), []
    journal.add(JournalEntry("broken", str(scans / "broken.off"), "It has no faces.", "refused"))
    (scans / "broken.off").write_text("OFF\n0 0 0\n")
    for number in range(count):
        key = f"tooth{number}"
        contents = landmark_contents(molar_with_landmarks(number)[1], key, ".mrk.json")
        outputs = {}
        for kind, content in contents.items():
            part, _, extension = kind.partition(".")
            path = folder / part / f"{key}.{extension}"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
            outputs[f"{part}/{path.name}"] = hashlib.sha256(content).hexdigest()
        facts = {
            "area": 4.0, "landmarks": LANDMARKS, "missing": 0, "variance_left": 0.1,
            "curve": [0.1], "vertices": 2562, "repairs": "", "notes": [],
        }  # fmt: skip
        journal.add(JournalEntry(key, str(scans / f"{key}.off"), outputs=outputs, facts=facts))
        radius = 0.3 / (number + 1)
        errors += [(key, str(at + 1), radius / 2, radius, 0.9) for at in range(LANDMARKS)]
    journal.close()
    if command == "match":
        header = ("specimen", "landmark", "expected_error", "radius_90", "confidence")
        (folder / "expected_errors.csv").write_text(table_text(header, errors))
        (folder / "run.json").write_text(json.dumps({"reference": f"tooth{count - 1}"}))
    return folder
