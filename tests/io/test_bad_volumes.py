"""Volumes that cannot be read, or have no surface: one sentence each."""

import sys

import numpy as np
import pytest
from volumes import (
    OBLIQUE,
    around,
    ball,
    image_of,
    sitk,
    write_dicom,
    write_stack,
    write_volume,
)

import gplandmark
from gplandmark import Rules, ScanError, SettingsError, VolumeOptions
from gplandmark.io.volumes import voxels
from gplandmark.io.volumes.threshold import Histogram, histogram, otsu_threshold
from gplandmark.io.volumes.volume_surface import labels_in
from gplandmark.io.volumes.voxel_grid import Grid

pytestmark = pytest.mark.filterwarnings("ignore::gplandmark.GplandmarkWarning")
CENTRE = np.array([3.0, -7.0, 11.0])
FORMATS = (".nrrd", ".nhdr", ".nii", ".nii.gz", ".mha", ".mhd", ".tif")


@pytest.fixture(scope="module")
def grid():
    return around(CENTRE - 4, CENTRE + 4, (0.8, 0.9, 1.1), OBLIQUE)


@pytest.fixture(scope="module")
def values(grid):
    return ball(grid, CENTRE, 4.0)


def refused(path, rules=None):
    """The sentence with which a volume is refused."""
    with pytest.raises(ScanError) as error:
        gplandmark.read(path, rules)
    sentence = str(error.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    assert str(path) in sentence
    return sentence


def with_threshold(threshold):
    return Rules(volume=VolumeOptions(threshold=threshold))


def changed(values, at, value):
    array = values.astype(np.float32)
    array[at] = value
    return array


def test_a_volume_without_contrast_has_no_threshold(grid, values, tmp_path):
    flat = write_volume(np.full_like(values, 7), grid, tmp_path / "flat.nrrd")
    assert "has the value 7 everywhere" in refused(flat)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_voxels_that_are_no_numbers_are_counted(grid, values, tmp_path, value):
    path = write_volume(changed(values, (1, 2, 3), value), grid, tmp_path / "nan.mha")
    assert "1 voxels that are NaN or infinite" in refused(path)


@pytest.mark.parametrize("threshold", [-5000, 200, 1801, 1e9])
def test_a_threshold_outside_of_the_values_leaves_nothing(grid, values, tmp_path, threshold):
    path = write_volume(values, grid, tmp_path / "ball.nrrd")
    assert "values are from 200 to 1800" in refused(path, with_threshold(threshold))


def test_images_that_are_no_volume_of_grey_values(grid, values, tmp_path):
    slice_path = tmp_path / "slice.tif"
    sitk.WriteImage(sitk.GetImageFromArray(values[5]), str(slice_path))
    assert "is one slice" in refused(slice_path)
    colour = sitk.Compose([image_of(values, grid)] * 3)
    sitk.WriteImage(colour, str(tmp_path / "rgb.nrrd"))
    assert "one real number in each" in refused(tmp_path / "rgb.nrrd")
    sitk.WriteImage(sitk.JoinSeries([image_of(values, grid)] * 4), str(tmp_path / "time.nii"))
    assert "has 4 volumes" in refused(tmp_path / "time.nii")
    waves = sitk.RealAndImaginaryToComplex(
        *[sitk.Cast(image_of(values, grid), sitk.sitkFloat32)] * 2
    )
    sitk.WriteImage(waves, str(tmp_path / "complex.nii"))
    assert "complex of 32-bit float" in refused(tmp_path / "complex.nii")


@pytest.mark.parametrize("extension", FORMATS)
@pytest.mark.parametrize("fraction", [0, 0.05, 0.6, 0.98])
def test_files_that_are_cut_short_are_refused_and_say_nothing_else(
    grid, values, tmp_path, extension, fraction, capfd
):
    path = write_volume(values, grid, tmp_path / f"ball{extension}")
    data = {".mhd": path.with_suffix(".raw"), ".nhdr": path.with_suffix(".raw")}.get(
        extension, path
    )
    content = data.read_bytes()
    data.write_bytes(content[: int(fraction * len(content))])
    refused(path)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("extension", [*FORMATS, ".dcm"])
def test_files_that_are_something_else_are_refused(tmp_path, extension, capfd):
    path = tmp_path / f"other{extension}"
    path.write_bytes(b"This is the diary of a scanner.\n" * 40)
    refused(path)
    assert capfd.readouterr() == ("", "")


def test_a_file_that_is_not_there_and_a_folder_that_is_no_volume(tmp_path):
    assert "there is no such file" in refused(tmp_path / "none.nrrd")
    assert "is a folder" in refused(tmp_path)


def test_missing_slices_of_a_series_are_refused(grid, values, tmp_path):
    folder = write_dicom(values, grid, tmp_path / "series")
    (folder / "0004.dcm").unlink()
    assert "slices missing or not evenly spaced: 2.2 from 0003.dcm to 0005.dcm, 1.1" in refused(
        folder
    )


def test_two_series_in_a_folder_are_refused_by_name(grid, values, tmp_path):
    folder = write_dicom(values, grid, tmp_path / "series", "1.2.3.4")
    write_dicom(values, grid, folder, "1.2.3.5", [f"b{k}.dcm" for k in range(grid.size[2])])
    sentence = refused(folder)
    assert "has 2 DICOM series: 'series 1.2.3.4' with" in sentence
    assert "'series 1.2.3.5'" in sentence


def test_a_series_in_time_is_refused(grid, values, tmp_path):
    folder = write_dicom(values, grid, tmp_path / "series")
    write_dicom(values, grid, folder, names=[f"b{k}.dcm" for k in range(grid.size[2])])
    assert "has two slices at one position" in refused(folder)


def test_a_tilted_gantry_is_refused(grid, values, tmp_path):
    folder = tmp_path / "series"
    for number in range(grid.size[2]):
        shifted = Grid(
            (*grid.size[:2], 1),
            grid.spacing,
            grid.physical(np.array([[0.3 * number, 0.0, number]]))[0],
            grid.direction,
        )
        write_dicom(values[number : number + 1], shifted, folder, names=[f"{number}.dcm"])
    assert "tilted gantry" in refused(folder)


def test_slices_of_several_sizes_are_refused(grid, values, tmp_path):
    folder = write_dicom(
        values[:4],
        Grid((*grid.size[:2], 4), grid.spacing, grid.origin, grid.direction),
        tmp_path / "series",
    )
    small = values[4:6, :-1]
    place = grid.physical(np.array([[0.0, 0.0, 4.0]]))[0]
    write_dicom(
        small,
        Grid((grid.size[0], grid.size[1] - 1, 2), grid.spacing, place, grid.direction),
        folder,
        names=["8.dcm", "9.dcm"],
    )
    assert "slices of several sizes" in refused(folder)


def test_a_stack_with_a_gap_or_a_second_stack_is_refused(values, tmp_path):
    folder = write_stack(values, tmp_path / "stack")
    slice_path = folder / "slice3.tif"
    content = slice_path.read_bytes()
    slice_path.unlink()
    assert "has no slice 3: slice4.tif follows slice2.tif" in refused(folder)
    slice_path.write_bytes(content)
    (folder / "slice003.tif").write_bytes(content)
    assert "has slice 3 twice" in refused(folder)
    (folder / "slice003.tif").unlink()
    for number in range(3):
        (folder / f"other{number}.tif").write_bytes(content)
    assert "has 2 stacks of TIFF files" in refused(folder)


def test_a_stack_of_photographs_is_refused(values, tmp_path):
    colour = sitk.Compose([sitk.GetImageFromArray(values[0].astype(np.uint8))] * 3)
    for number in range(4):
        sitk.WriteImage(colour, str(tmp_path / f"photo{number}.tif"))
    with pytest.raises(ScanError, match="vector of 8-bit unsigned integer"):
        gplandmark.read(tmp_path)


def test_a_volume_that_does_not_fit_the_memory_is_refused_before_it_is_read(
    grid, values, tmp_path, monkeypatch
):
    import psutil

    paths = [
        write_volume(values, grid, tmp_path / "ball.mha"),
        write_volume(values, grid, tmp_path / "ball.nrrd", True),
    ]
    memory = psutil.virtual_memory()._replace(available=values.nbytes // 2)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: memory)
    monkeypatch.setattr(voxels, "_slab", None)  # nothing is read
    assert "Give a smaller --max-voxels" in refused(paths[0])
    assert "Save it as uncompressed .mha" in refused(paths[1])


def test_without_the_extra_a_sentence_says_what_to_install(grid, values, tmp_path, monkeypatch):
    path = write_volume(values, grid, tmp_path / "ball.nrrd")
    monkeypatch.setitem(sys.modules, "SimpleITK", None)
    with pytest.raises(ScanError, match=r"python -m pip install 'gplandmark\[volumes\]'"):
        gplandmark.read(path)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"threshold": np.nan}, "threshold must be a number"),
        ({"threshold": 3, "label": 2}, "not both"),
        ({"label": 0}, "label must be"),
        ({"label": "three"}, "label must be"),
        ({"smooth": -1}, "smoothing must be"),
        ({"spacing": (1, 1)}, "spacing must be"),
        ({"spacing": (1, 1, 0)}, "spacing must be"),
        ({"max_voxels": 0}, "voxel budget"),
    ],
)
def test_options_out_of_range_are_refused(given, words):
    with pytest.raises(SettingsError, match=words):
        VolumeOptions(**given)


def test_smoothing_that_leaves_nothing_is_refused(tmp_path):
    grid = Grid((20, 20, 20), (1.0, 1.0, 1.0), np.zeros(3), np.eye(3))
    values = np.zeros(grid.size, dtype=np.int16)
    values[9:11, 9:11, 9:11] = 1000
    path = write_volume(values, grid, tmp_path / "speck.nrrd")
    rules = Rules(volume=VolumeOptions(threshold=500, smooth=5))
    assert "smoothing leaves nothing" in refused(path, rules)


def test_otsu_finds_the_largest_variance_between_classes():
    rng = np.random.default_rng(3)
    values = np.concatenate([rng.normal(100, 20, 5000), rng.normal(400, 40, 1500)])
    found = histogram(np.rint(values).astype(np.int16).reshape(1, 1, -1), "values")
    level = otsu_threshold(found)

    def between(cut):
        low, high = found.centres < cut, found.centres >= cut
        weights = [found.counts[each].sum() for each in (low, high)]
        means = [
            np.average(found.centres[each], weights=found.counts[each]) for each in (low, high)
        ]
        return weights[0] * weights[1] * (means[1] - means[0]) ** 2

    others = np.arange(found.centres[1], found.centres[-1])
    assert between(level) >= max(map(between, others)) * (1 - 1e-12)


def test_otsu_between_two_values_is_the_middle():
    counts = np.zeros(1001, dtype=np.int64)
    counts[[0, 1000]] = 7, 3
    assert otsu_threshold(Histogram(counts, np.arange(1002) - 0.5, True)) == 500
    skimage = pytest.importorskip("skimage.filters")
    rng = np.random.default_rng(0)
    mixed = np.concatenate([rng.normal(0, 1, 40000), rng.normal(3, 1, 20000)]).reshape(10, 200, 30)
    ours = otsu_threshold(histogram(mixed, "mixed"))
    theirs = skimage.threshold_otsu(mixed, nbins=65536)
    assert ours == pytest.approx(theirs, abs=0.01)


def test_the_histogram_does_not_depend_on_slabs(monkeypatch):
    values = np.random.default_rng(0).integers(-300, 900, (17, 9, 11))
    whole = histogram(values, "values")
    monkeypatch.setattr("gplandmark.io.volumes.threshold.SLAB", 200)
    monkeypatch.setattr("gplandmark.io.volumes.threshold.COUNTED", 333)
    short = histogram(values.astype(np.int16), "values")
    np.testing.assert_array_equal(whole.counts, short.counts)
    np.testing.assert_array_equal(whole.edges, short.edges)
    parts = histogram(values, "values")
    np.testing.assert_array_equal(whole.counts, parts.counts)
    np.testing.assert_array_equal(whole.edges, parts.edges)
    assert whole.counts.sum() == values.size


def test_a_volume_in_a_gzip_file_is_refused_unless_the_format_has_it(grid, values, tmp_path):
    (tmp_path / "ball.nrrd.gz").write_bytes(b"\x1f\x8b\x08")
    assert "Decompress it first" in refused(tmp_path / "ball.nrrd.gz")


def test_pages_that_follow_each_other_in_a_circle_are_refused(values, tmp_path):
    path = tmp_path / "stack.tif"
    sitk.WriteImage(sitk.GetImageFromArray(values), str(path))
    content = bytearray(path.read_bytes())
    first = int.from_bytes(content[4:8], "little")
    entries = int.from_bytes(content[first : first + 2], "little")
    content[first + 2 + 12 * entries : first + 6 + 12 * entries] = first.to_bytes(4, "little")
    path.write_bytes(content)
    assert "damaged" in refused(path)


@pytest.mark.parametrize("dimension", [b"-3", b"0", b"99999999", b"3.5"])
def test_a_metaimage_of_an_impossible_dimension_is_refused(grid, values, tmp_path, dimension):
    path = write_volume(values, grid, tmp_path / "ball.mha")
    content = path.read_bytes()
    path.write_bytes(content.replace(b"NDims = 3", b"NDims = " + dimension))
    assert "cannot be read as a volume" in refused(path)


def test_pages_of_several_kinds_are_refused(values, tmp_path):
    path = tmp_path / "stack.tif"
    sitk.WriteImage(sitk.GetImageFromArray(values), str(path))
    content = bytearray(path.read_bytes())
    first = int.from_bytes(content[4:8], "little")
    assert int.from_bytes(content[first + 2 : first + 4], "little") == 254  # the kind of the page
    content[first + 10] = 1  # a reduced picture of another one
    path.write_bytes(content)
    assert "several kinds" in refused(path)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64])
def test_the_histogram_counts_every_value_of_every_type(kind):
    about = np.iinfo(kind)
    low, high = max(about.min, -40_000), min(about.max, 40_000)
    values = np.random.default_rng(1).integers(low, high, (5, 30, 40), endpoint=True).astype(kind)
    values[0, 0, :2] = low, high
    found = histogram(values, "values")
    there, counts = np.unique(values, return_counts=True)
    if high - low < 65_536:
        np.testing.assert_array_equal(found.values(), there)
        np.testing.assert_array_equal(found.counts[found.counts > 0], counts)
    assert found.counts.sum() == values.size


@pytest.mark.parametrize("kind", [np.int16, np.float32])
def test_grey_values_are_no_labels(grid, values, tmp_path, kind):
    noise = np.random.default_rng(0).integers(0, 5000, values.shape)
    path = write_volume((values + noise).astype(kind), grid, tmp_path / "grey.nrrd")
    assert "is not a label map" in refused(path, Rules(volume=VolumeOptions(label=1000)))
    with pytest.raises(ScanError, match="is not a label map"):
        labels_in(path)
    empty = write_volume(np.zeros_like(values), grid, tmp_path / "empty.nrrd")
    assert "has no labels" in refused(empty, Rules(volume=VolumeOptions(label=1)))
