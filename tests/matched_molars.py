"""Three molars that are matched once for all tests: matching takes seconds.

The second is the mirror image of the first, the third is another molar. Each lies in a pose and a
unit of its own.
"""

import json
import time
from functools import cache

import numpy as np
from click.testing import CliRunner
from scipy.spatial.transform import Rotation

from gplandmark import Landmarks, MolarShape, Surface, make_molar, write
from gplandmark.cli.main import cli
from gplandmark.io.locks import Lock
from gplandmark.io.scans.ply import as_ply

KEYS = ("m0", "m1", "site/m2")
SEEDS = (1, 1, 2)
COUNT = 8
EXPERT = np.array([[0.36, 0.36], [0.3, -0.38], [-0.3, 0.0], [0.0, 0.7], [0.1, -0.8], [0.0, 0.0]])
LABELS = tuple("abcdef")


@cache
def molar(number):
    """The molar of this number, before it is moved."""
    return make_molar(SEEDS[number], vertex_count=1500, shape=MolarShape(variation=0.04))


def moved(points, number):
    """Points in the pose and unit of a molar; those of the second are mirrored."""
    turn = Rotation.random(None, np.random.default_rng(number)).as_matrix() * 10.0**number
    return (points @ turn.T + 5 * number) * [-1 if number == 1 else 1, 1, 1]


def surface(number):
    given = molar(number).surface
    triangles = given.faces()[:, ::-1] if number == 1 else given.faces()
    return Surface(moved(given.points, number), triangles, KEYS[number])


def homologues(number, places=EXPERT):
    """Known places of a molar, where they are after it was moved."""
    return moved(molar(number).homologues(places), number)


def match_molars(folder):
    """Scans, landmarks of an expert on the first one, and what ``match`` writes and says."""
    for number, key in enumerate(KEYS):
        path = folder / "scans" / "teeth" / f"{key}.ply"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_ply(surface(number)))
    (folder / "scans" / "teeth" / "broken.ply").write_text("no scan")
    expert = folder / "scans" / "expert.mrk.json"
    write(Landmarks.at(homologues(0), "m0", labels=LABELS), expert)
    words = ["match", folder / "scans" / "teeth", "-n", COUNT, "-o", folder / "out",
             "--reference", "m0", "--landmarks", expert, "--workers", 0]  # fmt: skip
    done = CliRunner().invoke(cli, list(map(str, words)))
    said = {"exit_code": done.exit_code, "output": done.output, "error": str(done.exception)}
    (folder / "said.json").write_text(json.dumps(said))


def made_once(folder, make):
    """A folder that the first process to ask for it makes; the others wait for it."""
    ready = folder / "ready"
    while not ready.exists():
        try:
            lock = Lock(folder.with_suffix(".lock"))
        except BlockingIOError:
            time.sleep(0.1)
            continue
        if not ready.exists():
            folder.mkdir()
            make(folder)
            ready.touch()
        lock.release()
    return folder
