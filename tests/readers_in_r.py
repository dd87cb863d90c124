"""How geomorph and Morpho read landmark files, as rules: independent of our own readers.

Each function keeps to what the R function of that name does with the text of a file, its traps
included: words searched in every line, labels cut at white space, codes found inside numbers.
"""

import csv
import json
import re
from io import StringIO

import numpy as np


def r_lines(text):
    """Lines that R's scan and readLines give."""
    return re.split(r"\r\n|\n", text.removesuffix("\n"))


def r_number(word):
    try:
        return float(word)
    except ValueError:
        return np.nan  # as.numeric("NA"), or anything else


def geomorph_tps(text):
    """readland.tps: arrays (n, p, 3) and the identifiers."""
    rows = [line for line in r_lines(text) if line.strip()]
    rows = [line for line in rows if not re.search("COMMENT=", line, re.I)]
    starts = [i for i, line in enumerate(rows) if re.search("LM=", line, re.I)]
    starts = starts or [i for i, line in enumerate(rows) if re.search("LM3=", line, re.I)]
    arrays, names = [], []
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        part = rows[start:end]
        points = [list(map(r_number, line.split())) for line in part if "=" not in line]
        counted = next(line for line in part if "LM" in line)
        promised = int(re.split("=", counted)[1])
        scale = [line for line in part if "SCALE" in line]
        factor = r_number(re.split("SCALE=", scale[0])[1]) if scale else 1.0
        named = [line for line in part if "ID" in line]
        names.append(re.split("ID=", named[0])[1] if named else None)
        arrays.append(np.array(points[:promised]).reshape(-1, 3) * factor)
    return np.array(arrays), names


def geomorph_nts(text):
    """readland.nts: arrays (n, p, k) and the labels; also the dialect of one specimen."""

    def scanned(comment):
        found = [line.split(comment)[0].strip() for line in r_lines(text)]
        return [line for line in found if line]

    rows = scanned('"')
    if any("'" in line for line in rows):
        rows = scanned("'")
    header = rows[0].upper().split()
    assert header[0] == "1"
    at = next(i for i, word in enumerate(header) if "DIM=" in word)
    labelled = "L" in header[1]
    n, pk = (int(word.replace("L", "", 1)) for word in header[1:3])
    k = int(header[at].replace("DIM=", ""))
    words = [word for line in rows[1:] for word in line.split()]
    labels, words = (words[:n], words[n:]) if labelled else ([], words)
    if header[3] != "0":
        code = header[4]
        words = ["NA" if code in _as_integer(word) else word for word in words]
    values = np.array(list(map(r_number, words)))
    if pk == k:
        return values.reshape(1, n, k), labels
    return values.reshape(n, pk // k, k), labels


def _as_integer(word):
    value = r_number(word)
    return "NA" if not abs(value) < 2**31 else str(int(value))


def geomorph_morphologika(text):
    """read.morphologika: arrays (n, p, 3) and the names."""
    rows = [line.split('"')[0].strip() for line in r_lines(text)]
    rows = [line for line in rows if line]
    assert not any("\t" in line for line in rows)

    def after(word):
        (at,) = [i for i, line in enumerate(rows) if re.search(word, line, re.I)]
        return at + 1

    n, p, k = (int(rows[after(word)]) for word in ("individuals", "landmarks", "dimensions"))
    raw = rows[after("rawpoints") :][: n * p + n]
    raw = [line for line in raw if "'" not in line]
    values = [r_number(word) for line in raw for word in re.split(" +", line)]
    names = rows[after("names") :][:n]
    assert not any(re.search("label|wireframe", line, re.I) for line in rows)
    return np.array(values).reshape(n, p, k), names


def geomorph_fcsv(text):
    """readland.fcsv: points (p, 3) and the names of the rows; the system is ignored."""
    rows = r_lines(text)
    header = sum("#" in line.split('"')[0] for line in rows)
    table = list(csv.reader(StringIO("\n".join(rows[header:]))))
    names = [row[0].split("vtkMRMLMarkups") for row in table]
    assert all(len(parts) == 2 for parts in names)
    points = [list(map(r_number, row[1:4])) for row in table]
    return np.array(points).reshape(-1, 3), [parts[1] for parts in names]


def morpho_dta(text):
    """read.lmdta: arrays (n, p, 3) and the names."""
    rows = r_lines(text)
    (info,) = [i for i, line in enumerate(rows) if re.search("DIM=", line, re.I)]
    first = next(i for i in range(info + 1, len(rows)) if rows[i] != "")
    end = next(i for i in range(first + 1, len(rows)) if rows[i] == "")
    fields = rows[info].split(" ")
    n = int(fields[1][:-1])  # the last character is taken for the L
    k = int(fields[5][4:])
    values = [[r_number(word) for word in line.split()] for line in rows[end:] if line.strip()]
    array = np.array(values).reshape(n, int(fields[2]) // k, k)
    return np.where(array == 9999, np.nan, array), rows[first:end]


def morpho_pts(text):
    """read.pts: points (p, 3) and the names of the rows."""
    rows = [line.split() for line in r_lines(text)[2:] if line.strip()]
    points = np.array([list(map(r_number, row[1:4])) for row in rows]).reshape(-1, 3)
    return points, [row[0] for row in rows]


def slicermorph_pts(text):
    """The converter of SlicerMorph: every line between the header and the last one."""
    rows = StringIO(text).readlines()
    points = [list(map(float, line.split()[1:4])) for line in rows[2:-1]]
    return np.array(points).reshape(-1, 3)


def morpho_json(text):
    """read.slicerjson: points (p, 3), labels and the coordinate system."""
    (markup,) = json.loads(text)["markups"]
    points = [point["position"] for point in markup["controlPoints"]]
    labels = [point["label"] for point in markup["controlPoints"]]
    return np.array(points).reshape(-1, 3), labels, markup["coordinateSystem"]


def r_wide_table(text):
    """read.csv and arrayspecs(A, p, 3): arrays (n, p, 3) and the first column."""
    header, *rows = csv.reader(StringIO(text))
    values = [list(map(r_number, row[1:])) for row in rows]
    return np.array(values).reshape(len(rows), (len(header) - 1) // 3, 3), [r[0] for r in rows]
