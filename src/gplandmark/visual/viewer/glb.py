# SPDX-License-Identifier: MIT
"""A painted mesh as the bytes of a GLB file, the only coloured mesh that viser accepts.

A vertex carries its position on the colour bar, as a texture coordinate, and not a colour. So
colours between vertices are those of the bar, as in our pictures. Positions and triangles are
encoded once; only the values change from step to step.
"""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from gplandmark.numerics.arrays import BoolArray, FloatArray, IndexArray

FLOAT, SHORT, INTEGER, BYTE = 5126, 5123, 5125, 5121  # codes of types in glTF
LINEAR, CLAMP = 9729, 33071
VERTEX_BUFFER, INDEX_BUFFER = 34962, 34963
LEVELS = 2**16 - 1  # of a position in a compact mesh
SHADES = 2**8 - 1  # of a value in a compact mesh


@dataclass(frozen=True, eq=False)
class EncodedMesh:
    """Positions and triangles in the layout of a GLB file, to which values and colours are added.

    Attributes
    ----------
    positions : in floats, or in 16 bits each if compact
    triangles : numbers of corners, in 16 bits where they suffice
    count : number of vertices
    corners : number of triangles times 3
    low, high : the box of the positions as stored
    scale, shift : what stored positions are multiplied by, and moved by
    is_compact : whether to round positions and values to save bytes
    """

    positions: bytes
    triangles: bytes
    count: int
    corners: int
    low: list[float]
    high: list[float]
    scale: float
    shift: list[float]
    is_compact: bool

    def painted(
        self, positions: FloatArray, colours: bytes, excluded: BoolArray | None = None
    ) -> bytes:
        """The GLB file with the values (n,), 0 to 1, painted by a PNG of one row of colours.

        Where vertices are excluded (n,), the PNG has a second row, which is theirs.
        """
        places = _places(positions, self.is_compact, excluded)
        parts = [self.positions, self.triangles, places.tobytes(), colours]
        return _file(self._header(parts, places.shape[1] * places.itemsize), parts)

    def _header(self, parts: list[bytes], stride: int) -> dict[str, Any]:
        lengths = [len(part) for part in parts]
        starts = np.append(0, np.cumsum([_padded(length) for length in lengths]))
        views = [
            {"buffer": 0, "byteOffset": int(start), "byteLength": length}
            for start, length in zip(starts, lengths, strict=False)
        ]
        views[0] |= {"target": VERTEX_BUFFER, "byteStride": 8 if self.is_compact else 12}
        views[1] |= {"target": INDEX_BUFFER}
        views[2] |= {"target": VERTEX_BUFFER, "byteStride": stride}
        position, place = (SHORT, BYTE) if self.is_compact else (FLOAT, SHORT)
        indices = SHORT if len(self.triangles) == 2 * self.corners else INTEGER
        header: dict[str, Any] = {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0, "scale": [self.scale] * 3, "translation": self.shift}],
            "meshes": [
                {
                    "primitives": [
                        {"attributes": {"POSITION": 0, "NORMAL": 3, "TEXCOORD_0": 2}, "indices": 1,
                         "material": 0}
                    ]
                }
            ],
            "accessors": [
                {"bufferView": 0, "componentType": position, "count": self.count,
                 "type": "VEC3", "min": self.low, "max": self.high},
                {"bufferView": 1, "componentType": indices, "count": self.corners,
                 "type": "SCALAR"},
                {"bufferView": 2, "componentType": place, "count": self.count,
                 "type": "VEC2", "normalized": True},
                # Without bytes: the browser works normals out, but only where some are announced
                # does it shade smoothly.
                {"componentType": FLOAT, "count": self.count, "type": "VEC3"},
            ],
            "materials": [
                {
                    "doubleSided": True,
                    # No gloss: it has the colour of the light and would tint the values.
                    "extensions": {"KHR_materials_specular": {"specularFactor": 0}},
                    "pbrMetallicRoughness": {
                        "baseColorTexture": {"index": 0}, "metallicFactor": 0,
                        "roughnessFactor": 1,
                    },
                }
            ],
            "textures": [{"source": 0, "sampler": 0}],
            "samplers": [
                {"magFilter": LINEAR, "minFilter": LINEAR, "wrapS": CLAMP, "wrapT": CLAMP}
            ],
            "images": [{"bufferView": 3, "mimeType": "image/png"}],
            "bufferViews": views,
            "buffers": [{"byteLength": int(starts[-1])}],
        }  # fmt: skip
        header["extensionsUsed"] = ["KHR_materials_specular"]
        if self.is_compact:
            header["extensionsUsed"].append("KHR_mesh_quantization")
            header["extensionsRequired"] = ["KHR_mesh_quantization"]
        return header


def encode_mesh(
    points: FloatArray, triangles: IndexArray, *, is_compact: bool = False
) -> EncodedMesh:
    """Lay out points (n, 3) and triangles (m, 3); compact ones are exact to 1/65535 of the box."""
    shift, scale = np.zeros(3), 1.0
    stored = np.ascontiguousarray(points, dtype=np.float32)
    if is_compact:
        shift = points.min(axis=0)
        scale = float(np.ptp(points, axis=0).max()) / LEVELS
        stored = np.zeros((len(points), 4), dtype=np.uint16)  # rows of a multiple of 4 bytes
        stored[:, :3] = np.round((points - shift) / scale)
    kind = np.uint16 if len(points) <= LEVELS else np.uint32
    return EncodedMesh(
        stored.tobytes(),
        triangles.astype(kind).tobytes(),
        len(points),
        triangles.size,
        [float(each) for each in stored[:, :3].min(axis=0)],
        [float(each) for each in stored[:, :3].max(axis=0)],
        scale,
        [float(each) for each in shift],
        is_compact,
    )


def _places(positions: FloatArray, is_compact: bool, excluded: BoolArray | None) -> Any:
    """Texture coordinates (n, 2) or, padded, (n, 4); the second is the middle of either row."""
    levels, kind = (SHADES, np.uint8) if is_compact else (LEVELS, np.uint16)
    places = np.zeros((len(positions), 4 if is_compact else 2), dtype=kind)
    places[:, 0] = np.round(np.clip(positions, 0, 1) * levels)
    places[:, 1] = levels // 4
    if excluded is not None:
        places[excluded, 1] = 3 * levels // 4
    return places


def _padded(length: int) -> int:
    return -(-length // 4) * 4


def _chunk(data: bytes, kind: bytes, filler: bytes) -> bytes:
    data += filler * (_padded(len(data)) - len(data))
    return len(data).to_bytes(4, "little") + kind + data


def _file(header: dict[str, Any], parts: list[bytes]) -> bytes:
    body = b"".join(part + b"\0" * (_padded(len(part)) - len(part)) for part in parts)
    text = json.dumps(header, separators=(",", ":")).encode()
    chunks = _chunk(text, b"JSON", b" ") + _chunk(body, b"BIN\0", b"\0")
    return b"glTF" + (2).to_bytes(4, "little") + (12 + len(chunks)).to_bytes(4, "little") + chunks
