"""The command line as a user meets it: its output and its exit code, partly in a real process."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import trimesh
from commands import gplandmark, in_process

from gplandmark import Landmarks, Surface, place, read, read_landmarks, write
from gplandmark.io.scans import as_ply
from gplandmark.mesh.synthetic import make_molar

MOLAR = make_molar(2, vertex_count=2000).surface


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tooth.ply").write_bytes(as_ply(MOLAR))
    return tmp_path


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_place_writes_landmarks_and_record_and_says_so(folder):
    done = gplandmark("place", "tooth.ply", "-n", 12, "-o", "tooth.mrk.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for words in (
        "2,000 vertices",
        "area",
        "reweighted",
        "12:",
        "largest remaining variance",
        "tooth.mrk.json",
    ):
        assert words in done.stdout
    landmarks = read_landmarks(folder / "tooth.mrk.json")
    expected = place(read(folder / "tooth.ply"), 12)
    assert (landmarks.vertices == expected.vertices).all()
    assert (landmarks.points == MOLAR.points[landmarks.vertices]).all()
    assert landmarks.record == expected.record
    assert files(folder) == ["tooth.mrk.json", "tooth.ply", "tooth.record.json"]


def test_the_default_output_lies_in_the_current_folder(folder):
    away = folder / "away"
    away.mkdir()
    assert in_process("place", folder / "tooth.ply", "-q", cwd=away).stdout == ""
    assert files(away) == ["tooth.mrk.json", "tooth.record.json"]
    assert len(read_landmarks(away / "tooth.mrk.json")) == 40


def test_json_for_machines(folder):
    done = in_process("place", "tooth.ply", "-n", 3, "-o", "t.csv", "--json", cwd=folder)
    result = json.loads(done.stdout)
    assert result["outcome"]["landmarks"] == 3
    assert result["written"] == ["t.csv", "t.record.json"]
    assert len(result["landmarks"]["points"]) == 3


@pytest.mark.slow
def test_every_option_reaches_the_method(folder):
    np.save(folder / "weight.npy", np.linspace(1, 2, MOLAR.vertex_count))
    (folder / "out.txt").write_text("0, 1, 2\n3 4")
    (folder / "first.txt").write_text("10 20")
    options = {
        ("--kernel", "squared-exponential"): ("kernel", "squared-exponential"),
        ("--bandwidth", 0.02): ("bandwidth", 0.02),
        ("--eps", 0.5): ("eps", 0.5),
        ("--weight", "uniform"): ("weight", "uniform"),
        ("--weight", "weight.npy"): ("weight", "given"),
        ("--curvature", "angle-defect"): ("curvature", "angle-defect"),
        ("--curvature-radius", 0.1): ("curvature_radius", 0.1),
        ("--lambda", 0.25): ("mixture", 0.25),
        ("--rho", 0.5): ("exponent", 0.5),
        ("--preset", "authors-uniform"): ("curvature_weighted", False),
    }
    for given, (name, value) in options.items():
        done = in_process(
            "place", "tooth.ply", "-n", 2, "-o", "t.csv", "--json", *given, cwd=folder
        )
        assert json.loads(done.stdout)["settings"][name] == value, given
    done = in_process(
        *("place", "tooth.ply", "--until", 0.3, "--exclude", "out.txt", "--start", "first.txt"),
        *("--seed", 4, "--json", "-o", "t.csv", "--curvature", "variation"),
        *("--curvature-neighbours", 8),
        cwd=folder,
    )
    result = json.loads(done.stdout)
    assert result["settings"]["curvature_neighbours"] == 8
    assert result["request"] == {
        "count": None, "target": 0.3, "start": [10, 20], "after": 0, "excluded": [[0, 4]],
        "seed": 4, "regions": [], "between_vertices": False,
    }  # fmt: skip
    assert result["outcome"]["stopped"] == "target"
    assert result["landmarks"]["vertices"][:2] == [10, 20]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kernel", "options"),
    [
        ("heat", {"laplacian": "cotangent", "boundary": "neumann", "eigenpairs": 90}),
        ("reweighted-heat", {"mixture": 0.25, "boundary": "neumann", "eigenpairs": 90}),
        ("spectral-matern", {"smoothness": 3.5, "eigenpairs": 90}),
        ("matern", {"smoothness": 1.5}),
        ("diffusion", {"alpha": 0.5}),
    ],
)
def test_every_kernel_and_its_options_reach_the_method(folder, kernel, options):
    names = {"mixture": "--lambda"}
    given = [part for key, value in options.items() for part in (names.get(key, f"--{key}"), value)]
    done = in_process(
        *("place", "tooth.ply", "-n", 2, "--json", "--kernel", kernel, "--bandwidth", 0.05),
        *given,
        *("--cache", "kept"),
        cwd=folder,
    )
    result = json.loads(done.stdout)["settings"]
    assert {key: result[key] for key in options} == options
    assert result["kernel"] == kernel
    assert len(files(folder / "kept")) == ("eigenpairs" in options)


def test_the_summary_describes_the_kernel_that_was_used(folder):
    done = in_process("place", "tooth.ply", "-n", 2, "--kernel", "matern", cwd=folder)
    assert "matern kernel, smoothness 2.5, bandwidth 0.008 of the area" in done.stdout
    assert "curvature" not in done.stdout


@pytest.mark.slow
def test_an_experts_landmarks_come_first(folder):
    in_process("place", "tooth.ply", "-n", 5, "-o", "expert.csv", cwd=folder)
    done = in_process(
        "place", "tooth.ply", "-n", 9, "--start", "expert.csv", "-o", "all.csv", cwd=folder
    )
    assert done.stderr == ""
    whole = place(read(folder / "tooth.ply"), 9)
    assert (read_landmarks(folder / "all.csv").vertices == whole.vertices).all()
    (folder / "hand.csv").write_text(
        "x,y,z\n" + ",".join(map(repr, (MOLAR.points[7] + 1e-3).tolist())) + "\n"
    )
    done = in_process(
        "place", "tooth.ply", "-n", 2, "--start", "hand.csv", "-o", "h.csv", cwd=folder
    )
    assert "moved to their nearest vertices" in done.stderr
    assert read_landmarks(folder / "h.csv").vertices[0] == 7


@pytest.mark.slow
def test_an_experts_file_is_never_replaced_unasked(folder):
    expert = folder / "tooth.mrk.json"
    point = {"label": "tip", "position": MOLAR.points[3].tolist()}
    expert.write_text(json.dumps({"markups": [{"controlPoints": [point]}]}))
    before = expert.read_text()
    done = in_process("place", "tooth.ply", "-n", 3, cwd=folder)
    assert_refused(done, folder, "tooth.mrk.json", "--overwrite", before=files(folder))
    assert expert.read_text() == before
    done = in_process(
        *("place", "tooth.ply", "-n", 3, "--start", "tooth.mrk.json", "--overwrite"), cwd=folder
    )
    assert done.returncode == 0, done.stderr
    ours = read_landmarks(expert)
    assert ours.labels == ("tip", "2", "3")
    assert ours.vertices[0] == 3
    again = in_process("place", "tooth.ply", "-n", 4, cwd=folder)  # our own file
    assert again.returncode == 0, again.stderr


def test_landmarks_of_another_specimen_are_never_replaced_unasked(folder):
    done = in_process("place", "tooth.ply", "-n", 3, "-o", "three.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    shutil.copy(folder / "tooth.ply", folder / "other.ply")
    done = in_process("place", "other.ply", "-n", 3, "-o", "three.csv", cwd=folder)
    assert_refused(done, folder, "landmarks of tooth, not of other", before=files(folder))
    done = in_process("place", "three.csv", "-n", 2, "-o", "two.csv", cwd=folder)
    assert_refused(done, folder, "table of landmarks, not a scan", before=files(folder))


def test_starting_landmarks_of_another_specimen_are_noted(folder):
    write(Landmarks.at(MOLAR.points[:2], "molar-3"), folder / "expert.csv")
    words = ("place", "tooth.ply", "-n", 3, "--start", "expert.csv", "-o", "all.csv")
    done = in_process(*words, cwd=folder)
    note = "expert.csv has landmarks of molar-3, but the scan is tooth."
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(note) == 1
    assert read_landmarks(folder / "all.csv").record.warnings[0] == note


def test_the_summary_tells_where_landmarks_may_go(folder):
    done = in_process(
        *("place", "tooth.ply", "-n", 3, "-o", "r.csv", "--exclude-rim", 0.5), cwd=folder
    )
    told = int(re.search(r"excluded +([\d,]+) vertices \(rim\)", done.stdout)[1].replace(",", ""))
    record = json.loads((folder / "r.record.json").read_text())
    assert told == record["request"]["regions"][0]["vertices"] > 0


def test_a_mask_of_booleans_is_a_mask(folder):
    mask = np.zeros(MOLAR.vertex_count, dtype=bool)
    mask[place(read(folder / "tooth.ply"), 2).vertices] = True
    np.save(folder / "mask.npy", mask)
    in_process("place", "tooth.ply", "-n", 5, "--exclude", "mask.npy", "-o", "m.csv", cwd=folder)
    assert not mask[read_landmarks(folder / "m.csv").vertices].any()


def test_points_in_space_give_landmarks_and_say_what_they_are(folder):
    np.savetxt(folder / "cloud.xyz", MOLAR.points, fmt="%.17g")
    done = in_process("place", "cloud.xyz", "-n", 12, "-o", "cloud.csv", cwd=folder)
    assert done.returncode == 0
    assert "2,000 points in R^3, area" in done.stdout
    assert "patch curvature" in done.stdout
    assert done.stderr == ""
    expected = place(read(folder / "cloud.xyz"), 12)
    assert (read_landmarks(folder / "cloud.csv").points == expected.points).all()


def test_points_of_other_dimensions_and_the_graph(folder):
    np.save(folder / "five.npy", np.random.default_rng(0).random((150, 5)))
    graph = ("--kernel", "graph", "--neighbours", 149)
    whole = in_process("place", "five.npy", "-n", 9, "-o", "a.csv", *graph, cwd=folder)
    assert whole.returncode == 0
    assert "graph kernel, variation curvature" in whole.stdout
    assert in_process("place", "five.npy", "-n", 9, "-o", "b.csv", cwd=folder).returncode == 0
    one, other = (read_landmarks(folder / name) for name in ("a.csv", "b.csv"))
    assert one.points.shape == (9, 5)
    assert (one.vertices == other.vertices).all()
    more = ("-n", 12, "--start", "b.csv", "-o", "c.csv")
    assert in_process("place", "five.npy", *more, cwd=folder).returncode == 0
    assert (read_landmarks(folder / "c.csv").vertices[:9] == other.vertices).all()


def test_without_arguments_there_is_help():
    done = in_process(cwd=".")
    assert done.returncode == 0
    assert "Folders of scans:" in done.stdout


def test_a_full_output_is_no_traceback(folder):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gplandmark", "place", "tooth.ply", "-n", "2", "-o", "t.csv"],
            cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "cannot be written" in done.stderr


def test_warnings_are_notes_and_quiet_means_quiet(folder):
    trimesh.creation.box().export(folder / "box.ply")
    coarse = ("place", "box.ply", "-n", 3, "-o", "b.csv", "--curvature", "quadric")
    done = in_process(*coarse, cwd=folder)
    assert done.returncode == 0
    assert "note: " in done.stderr
    assert "Warning" not in done.stderr
    quiet = in_process(*coarse, "-q", cwd=folder)
    assert (quiet.stdout, quiet.stderr) == ("", "")


def test_demo_makes_places_writes_and_says_what_to_try(tmp_path):
    done = in_process("demo", "--vertices", 1500, "--specimens", 2, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "To try next" in done.stdout
    made = files(tmp_path / "gplandmark-demo")
    assert made == sorted(
        f"molar-{seed}{ending}"
        for seed in (0, 1)
        for ending in
        (".ply", ".csv", ".mrk.json", ".record.json", "-cusps.csv", "-cusps.record.json")
    )  # fmt: skip
    cusps = read_landmarks(tmp_path / "gplandmark-demo" / "molar-0-cusps.csv")
    assert cusps.labels[0] == "protoconid"


def test_inspect_reports_one_scan_and_tables_several(folder):
    points, triangles = read(folder / "tooth.ply").points, read(folder / "tooth.ply").triangles
    twice = Surface(1000 * points, np.vstack([triangles, triangles[:1]]), "twice")
    (folder / "twice.ply").write_bytes(as_ply(twice))
    one = in_process("inspect", "twice.ply", cwd=folder)
    assert (one.returncode, one.stderr) == (0, "")
    assert "1 repeated face dropped" in one.stdout
    assert "verdict  mended" in one.stdout
    (folder / "letter.ply").write_text("dear diary")
    names = ["tooth.ply", "twice.ply", "tooth.ply", "letter.ply"]
    several = in_process("inspect", *names, cwd=folder)
    assert several.returncode == 1
    assert "twice.ply is 1,000 times larger" in several.stderr.replace("1e+03", "1,000")
    lines = several.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["file", *names, "refused:"]
    assert [line.split()[-1] for line in lines[1:5]] == ["clean", "mended", "clean", "refused"]
    content = json.loads(in_process("inspect", *names, "--json", cwd=folder).stdout)
    assert [each["verdict"] for each in content] == ["clean", "mended", "clean", "refused"]
    assert content[0]["topology"] == {
        "components": 1, "boundary_loops": 1, "euler_characteristic": 1, "genus": 0,
    }  # fmt: skip


def test_inspect_points_at_suspicious_regions(folder):
    molar = make_molar(0, vertex_count=6000).surface
    points = molar.points.copy()
    points[:, 2] = np.minimum(points[:, 2], np.quantile(points[:, 2], 0.92))
    (folder / "sawn.ply").write_bytes(as_ply(Surface(points, molar.triangles)))
    found = json.loads(in_process("inspect", "sawn.ply", "--json", cwd=folder).stdout)[0]
    cut = next(each for each in found["suspicions"] if each["kind"] == "flat cut")
    assert cut["centre"][2] == pytest.approx(points[:, 2].max(), rel=0.01)
    assert 0.01 < cut["share"] < 0.04
    assert np.linalg.norm(points[cut["vertex"]] - cut["centre"]) < 0.1 * np.ptp(points)
    report = in_process("inspect", "sawn.ply", cwd=folder).stdout
    assert "look at  flat cut, " in report
    assert found["verdict"] == "suspicious"  # and not clean
    assert f"(near vertex {cut['vertex']})" in report
    table = in_process("inspect", "sawn.ply", "tooth.ply", cwd=folder).stdout
    assert "1 flat cut" in table


def test_inspect_takes_folders_for_the_scans_in_them(folder):
    (folder / "site").mkdir()
    (folder / "site" / "deep.ply").write_bytes((folder / "tooth.ply").read_bytes())
    (folder / "site" / "notes.md").write_text("no scan")
    found = json.loads(in_process("inspect", ".", "--json", cwd=folder).stdout)
    assert [each["path"] for each in found] == ["site/deep.ply", "tooth.ply"]
    assert "verdict  clean" in in_process("inspect", "site", cwd=folder).stdout
    (folder / "empty").mkdir()
    none = in_process("inspect", "empty", cwd=folder)
    assert none.returncode == 1
    assert "no scan in empty" in none.stderr


@pytest.mark.slow
def test_place_on_a_scan_with_defects_writes_the_files_numbers(folder):
    surface = read(folder / "tooth.ply")
    points = np.vstack([surface.points[:50] + 99, surface.points])
    crumb = surface.triangles[(surface.triangles < 50).all(axis=1)]
    scan = Surface(points, np.vstack([crumb, surface.triangles + 50]), "two")
    (folder / "two.ply").write_bytes(as_ply(scan))
    done = in_process("place", "two.ply", "-n", 5, "-o", "two.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "note: two.ply: " in done.stderr
    assert "beside the largest left out" in done.stderr
    found = read_landmarks(folder / "two.csv")
    np.testing.assert_array_equal(found.points, points[found.vertices])
    np.testing.assert_array_equal(found.vertices, place(surface, 5).vertices + 50)
    assert found.record.input["cleaning"]["vertices"] == len(points)
    # They come back as starting landmarks, exactly, and numbers in files are the file's too.
    again = in_process("place", "two.ply", "-n", 6, "--start", "two.csv", "-o", "b.csv", "-q",
                       cwd=folder)  # fmt: skip
    assert (again.returncode, again.stderr) == (0, "")
    more = read_landmarks(folder / "b.csv")
    np.testing.assert_array_equal(more.vertices[:5], found.vertices)
    np.savetxt(folder / "out.txt", found.vertices[:1], fmt="%d")
    np.save(folder / "weight.npy", np.ones(len(points)))
    done = in_process("place", "two.ply", "-n", 3, "--exclude", "out.txt", "--weight",
                      "weight.npy", "-o", "c.csv", "-q", cwd=folder)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert found.vertices[0] not in read_landmarks(folder / "c.csv").vertices
    every = in_process("place", "two.ply", "-n", 3, "--components", "all", "-o", "d.csv",
                       cwd=folder)  # fmt: skip
    assert "kept" in every.stderr
    assert read_landmarks(folder / "d.csv").record.input["vertices"] == len(points)


def test_a_scan_comes_through_the_standard_input(folder):
    content = (folder / "tooth.ply").read_bytes()
    command = [sys.executable, "-m", "gplandmark", "place", "-", "-n", "4"]
    done = subprocess.run(command, input=content, cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    found = read_landmarks(folder / "standard-input.mrk.json")
    assert found.vertices.tolist() == place(read(folder / "tooth.ply"), 4).vertices.tolist()


def assert_refused(done, folder, *words, before):
    """One sentence, no traceback, a non-zero exit code, nothing half-written."""
    assert done.returncode != 0
    assert done.stdout == ""
    assert done.stderr.startswith("gplandmark: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr
    assert files(folder) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.ply"], ["none.ply", "no such file"]),
        (["letter.ply"], ["letter.ply", "cannot be read as PLY"]),
        (["tooth.docx"], ["tooth.docx", "PLY, OBJ, STL, OFF"]),
        (["nofolder"], ["nofolder", "there is no such file or folder"]),
        (["tooth.xyz"], ["tooth.xyz", "only 1 vertex;"]),
        (["ragged.csv"], ["ragged.csv", "line 2 has 1 columns"]),
        (["flat.npy", "-n", "3"], ["flat.mrk.json", "dimension 2", "Use .csv"]),
        (
            ["plane.csv", "-n", "3", "-o", "plane.csv", "--overwrite"],
            ["plane.csv", "one of the inputs"],
        ),
        (["flat.npy", "-n", "3", "-o", "f.csv", "--preset", "authors"], ["no triangles"]),
        (["flat.npy", "-o", "f.csv", "--start", "far.csv"], ["dimension 3", "dimension 2"]),
        (
            ["tooth.ply", "--neighbours", "9"],
            ["--neighbours", "no effect", "the kernel 'reweighted'"],
        ),
        (["nan.off", "--clean", "strict"], ["nan.off", "NaN or infinite", "refuse"]),
        (["tooth.ply", "--components", "most"], ["'largest', 'all' or a fraction", "'most'"]),
        (["tooth.ply", "--components", "2"], ["above 0 and below 1"]),
        (["cut.off"], ["cut.off", "cut short"]),
        (["tooth.ply", "-n", "0"], ["tooth", "from 1 to 2,000", "got 0"]),
        (["tooth.ply", "-n", "2001"], ["from 1 to 2,000"]),
        (["tooth.ply", "-n", "three"], ["'three' is not a valid integer"]),
        (["tooth.ply", "--lambda", "1.5"], ["lambda", "from 0 to 1"]),
        (["tooth.ply", "--rho", "0"], ["rho", "positive"]),
        (["tooth.ply", "--bandwidth", "-1"], ["bandwidth", "positive"]),
        (["tooth.ply", "--eps", "0"], ["bandwidth", "positive"]),
        (["tooth.ply", "--until", "2"], ["target", "below 1"]),
        (["tooth.ply", "-o", "none/a.csv"], ["none/a.csv", "no folder"]),
        (["tooth.ply", "-o", "a.docx"], ["a.docx", ".mrk.json"]),
        (["tooth.ply", "--weight", "none.npy"], ["none.npy", "no such file"]),
        (["tooth.ply", "--weight", "letter.ply"], ["letter.ply", "numbers"]),
        (["tooth.ply", "--exclude", "half.txt"], ["half.txt", "integers"]),
        (["tooth.ply", "--start", "none.csv"], ["none.csv"]),
        (["tooth.ply", "--preset", "authors", "--rho", "2"], ["authors", "fixes"]),
        (["tooth.ply", "--eps", "1", "--bandwidth", "1"], ["either --eps or --bandwidth"]),
        (["tooth.ply", "--weight", "uniform", "--rho", "2"], ["--rho", "no effect"]),
        (["tooth.ply", "--eigenpairs", "50"], ["--eigenpairs", "'reweighted' does not use it"]),
        (["tooth.ply", "--kernel", "heat", "--rho", "2"], ["--rho", "'heat' does not use it"]),
        (["tooth.ply", "--kernel", "heat", "--weight", "w.txt"], ["--weight", "no weight"]),
        (["tooth.ply", "--kernel", "matern", "--alpha", "1"], ["--alpha", "no effect"]),
        (["tooth.ply", "--kernel", "matern", "--smoothness", "0"], ["smoothness", "above 0"]),
        (["tooth.ply", "--kernel", "diffusion", "--alpha", "2"], ["alpha", "from 0 to 1"]),
        (["tooth.ply", "--kernel", "heat", "--eigenpairs", "0"], ["eigenpairs", "at least 1"]),
        (["tooth.ply", "--cache", "tooth.ply/cache"], ["cache", "cannot be made"]),
        (
            ["tooth.ply", "--kernel", "squared-exponential", "--engine", "field"],
            ["--engine", "no effect"],
        ),
        (["tooth.ply", "--weight", "Uniform"], ["'Uniform'", "'curvature'"]),
        (["tooth.ply", "--start", "far.csv"], ["far.csv", "another specimen"]),
        (["tooth.ply", "--seed", "-1"], ["seed must be 0"]),
        (["tooth.ply", "--tolerance", "1"], ["tolerance must be"]),
        (["."], ["is a folder"]),
        (["tooth.ply", "--preset", "theirs"], ["theirs"]),
        (["tooth.ply", "--frobnicate"], ["--frobnicate", "--help"]),
    ],
)
def test_bad_input_gets_one_sentence(folder, arguments, words):
    (folder / "letter.ply").write_text("Dear colleague, this is no scan.")
    (folder / "tooth.xyz").write_text("0 0 0")
    (folder / "half.txt").write_text("1 2.5")
    (folder / "far.csv").write_text("x,y,z\n900,0,0\n")
    corners = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
    (folder / "nan.off").write_text(f"OFF\n5 1 0\n{corners}nan 0 0\n3 0 1 2\n")
    (folder / "cut.off").write_text(f"OFF\n4 2 0\n{corners}")
    (folder / "tooth.vtk").write_text("# vtk")
    (folder / "ragged.csv").write_text("0,0\n1\n")
    (folder / "plane.csv").write_text("0,0\n1,0\n0,1\n2,2\n")
    np.save(folder / "flat.npy", np.random.default_rng(0).random((30, 2)))
    before = files(folder)
    done = in_process("place", *arguments, cwd=folder)
    assert_refused(done, folder, *words, before=before)


def test_demo_refuses_impossible_molars(tmp_path):
    for arguments in (["--specimens", 0], ["--length", -1], ["-n", 0], ["--seed", -1]):
        done = in_process("demo", *arguments, cwd=tmp_path)
        assert_refused(done, tmp_path, "must be", before=[])


def test_a_full_disk_leaves_no_half_written_file(folder):
    resource = pytest.importorskip("resource", reason="this system limits no file sizes")

    def small_files_only():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    before = files(folder)
    done = gplandmark(
        *("place", "tooth.ply", "-o", "t.mrk.json"),
        cwd=folder,
        preexec_fn=small_files_only,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert_refused(done, folder, "t.mrk.json", "cannot be written", before=before)


def test_ctrl_c_stops_at_once_and_writes_nothing(folder):
    (folder / "large.ply").write_bytes(as_ply(make_molar(vertex_count=30_000).surface))
    before = files(folder)
    process = subprocess.Popen(
        [sys.executable, "-m", "gplandmark", "place", "large.ply", "-n", "5000"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert (output, errors.strip()) == (
        "",
        "gplandmark: Stopped. No half-written file is left behind.",
    )
    assert files(folder) == before


def test_a_progress_bar_on_a_terminal_only(folder):
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    leader, follower = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "gplandmark", "place", "tooth.ply", "-n", "30", "-o", "t.csv"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=follower,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        check=True,
    )
    os.close(follower)
    shown = os.read(leader, 100_000).decode()
    assert "Placing landmarks" in shown
    assert "variance left" in shown
    assert "Placing landmarks" not in done.stdout.decode()


def test_the_installed_command_and_its_version():
    from importlib.metadata import entry_points, version

    (script,) = entry_points(group="console_scripts", name="gplandmark")
    assert script.value == "gplandmark.cli.main:main"
    done = gplandmark("--version", cwd=".")
    assert version("gplandmark") in done.stdout
