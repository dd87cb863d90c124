"""Volumes: every format gives the same surface, in the physical coordinates of the file."""

import json
import shutil

import numpy as np
import pytest
from volumes import (
    INSIDE,
    LEVEL,
    MIRRORED,
    OBLIQUE,
    OUTSIDE,
    around,
    ball,
    image_of,
    molar_volume,
    sitk,
    write_dicom,
    write_stack,
    write_volume,
)

import gplandmark
from gplandmark import Rules, ScanError, SettingsError, VolumeOptions
from gplandmark.io.files import content_digest
from gplandmark.io.scans import read_cleaned
from gplandmark.io.volumes.read_header import read_header
from gplandmark.io.volumes.volume_surface import labels_in
from gplandmark.io.volumes.voxel_grid import Grid

pytestmark = pytest.mark.filterwarnings("ignore::gplandmark.GplandmarkWarning")
FORMATS = (".nrrd", ".nhdr", ".nii", ".nii.gz", ".mha", ".mhd")
AT_LEVEL = Rules(volume=VolumeOptions(threshold=LEVEL))
CENTRE, RADIUS = np.array([3.0, -7.0, 11.0]), 4.0
SPACING = (0.5, 0.6, 0.9)


def signed_volume(surface):
    a, b, c = np.moveaxis(surface.points[surface.faces()], 1, 0)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def distances(points, surface):
    import igl

    return np.sqrt(igl.point_mesh_squared_distance(points, surface.points, surface.faces())[0])


def ball_grid(direction=OBLIQUE):
    return around(CENTRE - RADIUS, CENTRE + RADIUS, SPACING, direction)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The molar in every format; TIFF states neither voxel size nor place."""
    folder = tmp_path_factory.mktemp("molar")
    volume = molar_volume()
    paths = {
        name: write_volume(volume.values, volume.grid, folder / f"molar{name}") for name in FORMATS
    }
    paths["compressed"] = write_volume(volume.values, volume.grid, folder / "small.nrrd", True)
    shuffled = np.random.default_rng(1).permutation(volume.grid.size[2])
    names = [f"{number:03d}.dcm" for number in shuffled]
    paths["dicom"] = write_dicom(volume.values, volume.grid, folder / "series", names=names)
    return paths


@pytest.mark.parametrize("name", [*FORMATS, "compressed", "dicom"])
def test_the_molar_keeps_its_landmarks_through_every_format(written, name):
    volume = molar_volume()
    surface = gplandmark.read(written[name], AT_LEVEL)
    assert surface.system == "LPS"
    assert distances(volume.molar.cusps, surface).max() < 0.15  # a voxel: tips are sharp
    assert np.median(distances(volume.molar.surface.points[::20], surface)) < 0.005
    same = gplandmark.read(written[".nrrd"], AT_LEVEL)
    assert surface.points.shape == same.points.shape
    np.testing.assert_allclose(surface.points, same.points, atol=1e-5)
    assert (surface.faces() == same.faces()).all()


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("threshold", [None, 600.0])
def test_landmarks_lie_on_the_threshold_when_itk_reads_both(tmp_path, mirrored, threshold):
    volume = molar_volume(mirrored=mirrored)
    path = write_volume(volume.values, volume.grid, tmp_path / "molar.nrrd", True)
    rules = Rules(volume=VolumeOptions(threshold=threshold))
    surface = gplandmark.read(path, rules)
    assert signed_volume(surface) > 0  # triangles face outwards
    landmarks = gplandmark.place(surface, 20)
    gplandmark.write(landmarks, tmp_path / "molar.mrk.json")
    markups = json.loads((tmp_path / "molar.mrk.json").read_text())["markups"][0]
    assert markups["coordinateSystem"] == "LPS"
    image = sitk.ReadImage(str(path), sitk.sitkFloat64)
    level = surface.source.volume["threshold"]
    for point in markups["controlPoints"]:
        index = image.TransformPhysicalPointToContinuousIndex(point["position"])
        value = image.EvaluateAtContinuousIndex(index)
        assert value == pytest.approx(level, abs=0.5)


@pytest.mark.parametrize(
    "direction", [np.eye(3), OBLIQUE, MIRRORED], ids=["eye", "turned", "mirror"]
)
def test_a_ball_has_its_place_and_volume_whatever_the_axes_of_the_file(tmp_path, direction):
    grid = ball_grid(direction)
    path = write_volume(ball(grid, CENTRE, RADIUS), grid, tmp_path / "ball.mha")
    surface = gplandmark.read(path, AT_LEVEL)
    radii = np.linalg.norm(surface.points - CENTRE, axis=1)
    np.testing.assert_allclose(radii, RADIUS, atol=0.03)
    assert signed_volume(surface) == pytest.approx(4 / 3 * np.pi * RADIUS**3, rel=0.02)


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint16, np.int32, np.float32, np.float64])
def test_every_type_of_numbers_gives_the_same_ball(tmp_path, kind):
    grid = ball_grid()
    values = ball(grid, CENTRE, RADIUS)
    scaled = np.rint((values - OUTSIDE) / (INSIDE - OUTSIDE) * 100)
    path = write_volume(scaled.astype(kind), grid, tmp_path / "ball.nrrd")
    surface = gplandmark.read(path, Rules(volume=VolumeOptions(threshold=50)))
    radii = np.linalg.norm(surface.points - CENTRE, axis=1)
    np.testing.assert_allclose(radii, RADIUS, atol=0.06)


def test_a_tiff_stack_is_the_multi_page_file_and_needs_a_spacing(tmp_path):
    grid = Grid(ball_grid().size, SPACING, np.zeros(3), np.eye(3))
    values = ball(grid, np.array([5.0, 6.0, 7.0]), 3.0)
    folder = write_stack(values, tmp_path / "tooth")  # slice10 comes after slice9
    one = tmp_path / "tooth.tif"
    sitk.WriteImage(sitk.GetImageFromArray(values), str(one))
    spaced = Rules(volume=VolumeOptions(threshold=LEVEL, spacing=SPACING))
    found = [gplandmark.read(path, spaced) for path in (folder, one)]
    np.testing.assert_array_equal(found[0].points, found[1].points)
    assert found[0].name == found[1].name == "tooth"
    np.testing.assert_allclose(
        np.linalg.norm(found[0].points - [5.0, 6.0, 7.0], axis=1), 3.0, atol=0.06
    )
    with pytest.warns(gplandmark.GplandmarkWarning, match="states no voxel size"):
        unknown = gplandmark.read(folder, AT_LEVEL)
    np.testing.assert_allclose(unknown.points * SPACING, found[0].points)


def test_the_voxel_size_of_imagej_counts_and_dots_per_inch_do_not(tmp_path):
    tifffile = pytest.importorskip("tifffile")
    values = ball(ball_grid(np.eye(3)), CENTRE, RADIUS).astype(np.uint16)
    ours, printer = tmp_path / "imagej.tif", tmp_path / "printer.tif"
    about = {"spacing": 0.9, "unit": "mm"}
    tifffile.imwrite(ours, values, imagej=True, resolution=(1 / 0.5, 1 / 0.6), metadata=about)
    tifffile.imwrite(printer, values, resolution=(300, 300), photometric="minisblack")
    np.testing.assert_allclose(read_header(ours).grid.spacing, SPACING, rtol=1e-6)
    assert read_header(printer).grid.spacing == (1, 1, 1)
    assert read_header(printer).notes


def test_a_reduced_volume_keeps_its_place(tmp_path):
    grid = ball_grid()
    values = ball(grid, CENTRE, RADIUS)
    few = VolumeOptions(threshold=LEVEL, max_voxels=grid.voxels // 6)
    found = []
    for path in (  # one is read in slabs, the other whole
        write_volume(values, grid, tmp_path / "ball.mha"),
        write_volume(values, grid, tmp_path / "ball.nrrd", True),
        write_dicom(values, grid, tmp_path / "series"),
    ):
        surface = gplandmark.read(path, Rules(volume=few))
        assert surface.source.volume["reduced"] == 2
        radii = np.linalg.norm(surface.points - CENTRE, axis=1)
        assert abs(radii.mean() - RADIUS) < 0.1
        assert np.linalg.norm(surface.points.mean(axis=0) - CENTRE) < 0.1
        found.append(surface.points)
    np.testing.assert_allclose(found[0], found[1])
    np.testing.assert_allclose(found[0], found[2], atol=1e-5)


def test_smoothing_keeps_a_ball_and_takes_noise_away(tmp_path):
    grid = ball_grid()
    noise = np.random.default_rng(0).normal(0, 250, grid.size[::-1])
    values = ball(grid, CENTRE, RADIUS).astype(float) + noise
    path = write_volume(values.astype(np.float32), grid, tmp_path / "noisy.mha")
    spread = {}
    for smooth in (0, 0.6):
        rules = Rules(volume=VolumeOptions(threshold=LEVEL, smooth=smooth))
        radii = np.linalg.norm(gplandmark.read(path, rules).points - CENTRE, axis=1)
        spread[smooth] = radii.std()
        assert abs(radii.mean() - RADIUS) < 0.15
    assert spread[0.6] < spread[0] / 2


def labels_of_balls(tmp_path, name="labels.nrrd"):
    """Two balls, labels 2 and 5, and where they are."""
    centres = np.array([[5.0, 5.0, 5.0], [5.0, 5.0, 14.0]])
    grid = Grid((21, 21, 40), (0.5, 0.5, 0.5), np.zeros(3), np.eye(3))
    values = np.zeros(grid.size[::-1], dtype=np.uint8)
    for label, centre in zip((2, 5), centres, strict=True):
        values[ball(grid, centre, 3.5) > LEVEL] = label
    return write_volume(values, grid, tmp_path / name, True), centres


def test_a_label_is_cut_alone_and_smoothed_by_a_voxel(tmp_path):
    path, centres = labels_of_balls(tmp_path)
    assert labels_in(path) == [2, 5]
    for label, centre in zip((2, 5), centres, strict=True):
        rough, smooth = (
            gplandmark.read(path, Rules(volume=VolumeOptions(label=label, smooth=each)))
            for each in (0, None)
        )
        assert smooth.name == f"labels-label{label}"
        assert smooth.source.volume["label"] == label
        assert smooth.source.volume["smooth"] == [0.5, 0.5, 0.5]
        radii = [np.linalg.norm(each.points - centre, axis=1) for each in (rough, smooth)]
        assert all(abs(each.mean() - 3.5) < 0.15 for each in radii)
        assert radii[1].std() < radii[0].std() / 2


def test_a_label_map_without_a_label_is_not_cut_by_otsu(tmp_path):
    path, _ = labels_of_balls(tmp_path)
    with pytest.raises(ScanError, match="looks like a label map, with the labels 2, 5"):
        gplandmark.read(path)
    with pytest.raises(ScanError, match=r"has no label 3. Its labels are 2, 5"):
        gplandmark.read(path, Rules(volume=VolumeOptions(label=3)))
    with pytest.raises(SettingsError, match="several specimens"):
        gplandmark.read(path, Rules(volume=VolumeOptions(label="all")))


def test_the_surface_is_open_at_the_border_and_that_is_said(tmp_path):
    grid = Grid((20, 20, 20), (1.0, 1.0, 1.0), np.zeros(3), np.eye(3))
    path = write_volume(ball(grid, np.array([10.0, 10, 0]), 6.0), grid, tmp_path / "half.nrrd")
    cleaned = read_cleaned(path, AT_LEVEL)
    assert any("border" in note and "open" in note for note in cleaned.report.notes)
    assert cleaned.surface.points[:, 2].min() == 0
    edges = np.sort(np.vstack([cleaned.surface.faces()[:, [i, (i + 1) % 3]] for i in range(3)]))
    _, uses = np.unique(edges, axis=0, return_counts=True)
    assert (uses == 1).any()
    outward = cleaned.surface.points[cleaned.surface.faces()].mean(axis=1) - [10, 10, 0]
    a, b, c = np.moveaxis(cleaned.surface.points[cleaned.surface.faces()], 1, 0)
    assert (np.einsum("ij,ij->i", outward, np.cross(b - a, c - a)) > 0).mean() > 0.99


def test_the_record_says_the_threshold_and_how_it_was_chosen(written):
    surface = gplandmark.read(written[".mha"])
    record = gplandmark.place(surface, 5).record.input["volume"]
    assert record["threshold_by"] == "otsu"
    assert OUTSIDE < record["threshold"] < INSIDE
    assert record["size"] == list(molar_volume().grid.size)
    given = gplandmark.place(gplandmark.read(written[".mha"], AT_LEVEL), 5).record.input["volume"]
    assert (given["threshold_by"], given["threshold"]) == ("given", LEVEL)


def test_the_digest_covers_every_file_of_a_volume(written, tmp_path):
    for name in (".mhd", "dicom"):
        source = written[name]
        before = content_digest(source)
        assert gplandmark.read(source).source.sha256 == before
        copy = tmp_path / source.name
        if source.is_dir():
            shutil.copytree(source, copy)
            changed = sorted(copy.iterdir())[3]
        else:
            shutil.copy(source, copy)
            changed = copy.with_suffix(".raw")
            shutil.copy(source.with_suffix(".raw"), changed)
        assert content_digest(copy) == before
        content = bytearray(changed.read_bytes())
        content[-1] ^= 1
        changed.write_bytes(content)
        assert content_digest(copy) != before


def test_a_volume_of_one_frame_in_four_dimensions_is_read(tmp_path):
    grid = ball_grid(np.eye(3))
    image = sitk.JoinSeries([image_of(ball(grid, CENTRE, RADIUS), grid)])
    sitk.WriteImage(image, str(tmp_path / "one.nii"))
    surface = gplandmark.read(tmp_path / "one.nii", AT_LEVEL)
    np.testing.assert_allclose(np.linalg.norm(surface.points - CENTRE, axis=1), RADIUS, atol=0.03)
