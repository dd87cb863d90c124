"""Reading and writing takes a time that grows with the file, not with its square."""

import base64
import json
import time
from pathlib import Path

import numpy as np
import pytest

from gplandmark import Landmarks
from gplandmark.io.landmark_formats.formats import FORMATS, JOINT
from gplandmark.io.scans.content import DamagedError
from gplandmark.io.scans.gltf import read_gltf
from gplandmark.io.scans.point_tables import csv_points
from gplandmark.io.scans.polygons import triangulated
from gplandmark.io.write_landmarks import folder_contents

MORE = 8  # times as much, which takes 64 times as long if the time is quadratic
MOST = 3 * MORE  # times as long: a generous limit, for a busy computer

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::gplandmark.GplandmarkWarning")]


def seconds(work, *arguments):
    """Of the processor, the shortest of three."""
    taken = []
    for _ in range(3):
        begin = time.process_time()
        work(*arguments)
        taken.append(time.process_time() - begin)
    return min(taken)


def check_linear(work, make, size):
    few, many = (seconds(work, make(each)) for each in (size, MORE * size))
    assert many < MOST * max(few, 0.002)


def collection(specimens, landmarks=2):
    points = np.arange(3.0 * landmarks).reshape(-1, 3)
    return [Landmarks.at(points, f"s {number}") for number in range(specimens)]


@pytest.mark.parametrize("extension", JOINT)
def test_many_specimens(extension):
    chosen = FORMATS[extension]
    check_linear(chosen.text, collection, 1500)
    check_linear(lambda text: chosen.parse(text, "a"), lambda n: chosen.text(collection(n)), 1500)


@pytest.mark.parametrize("extension", JOINT)
def test_many_landmarks(extension):
    chosen = FORMATS[extension]
    check_linear(chosen.text, lambda n: collection(2, n), 3000)
    check_linear(
        lambda text: chosen.parse(text, "a"), lambda n: chosen.text(collection(2, n)), 3000
    )


def test_specimens_of_one_name():
    def many(count):
        return [Landmarks.at(np.ones((1, 3)), "?" * (1 + i % 3)) for i in range(count)]

    check_linear(lambda found: folder_contents(found, Path(), ".pts"), many, 500)


def test_many_columns():
    def header(count):
        return ",".join(f"x{i + 1}" for i in range(count)) + "\n" + ",".join("1" * count) + "\n"

    check_linear(lambda text: FORMATS[".csv"].parse(text, "a"), header, 10_000)

    def words(count):
        names = ",".join(f"n{i}" for i in range(count))
        cells = ",".join("1" if i % 2 else "word" for i in range(count))
        return f"{names}\n{cells}\n".encode()

    check_linear(lambda content: csv_points(content, "a.csv"), words, 5_000)


def test_polygons_of_many_corners():
    def star(count):
        angle = np.arange(count) / count * 2 * np.pi
        radius = np.where(np.arange(count) % 2, 1.0, 2.0)
        return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), 0 * angle])

    check_linear(
        lambda points: triangulated(points, np.array([len(points)]), np.arange(len(points))),
        star,
        4_000,
    )


def scene(nodes, roots):
    """A GLTF file with one triangle and these nodes."""
    buffer = np.eye(3, dtype="<f4").tobytes() + np.arange(3, dtype="<u4").tobytes()
    uri = "data:application/octet-stream;base64," + base64.b64encode(buffer).decode()
    views = [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 12}]
    tree = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": roots}], "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5125, "count": 3, "type": "SCALAR"},
        ],
        "bufferViews": views, "buffers": [{"byteLength": 48, "uri": uri}],
    }  # fmt: skip
    return json.dumps(tree).encode()


def chain(count):
    return scene([*({"children": [i + 1]} for i in range(count - 1)), {"mesh": 0}], [0])


def test_nodes_of_a_scene():
    check_linear(
        lambda content: read_gltf(content, Path("a.gltf")),
        lambda count: scene([{"mesh": 0}, *({} for _ in range(count))], list(range(count + 1))),
        500,
    )
    assert len(read_gltf(chain(900), Path("a.gltf")).points) == 3
    with pytest.raises(DamagedError, match="more than 1,000 deep inside each other"):
        read_gltf(chain(200_000), Path("a.gltf"))
    circle = scene([{"mesh": 0, "children": [1, 1]}, {"children": [0]}], [0])
    assert len(read_gltf(circle, Path("a.gltf")).points) == 3  # it ends
