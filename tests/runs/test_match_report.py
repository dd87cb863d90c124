"""The report of a matched sample: pictures in the common pose, order, outliers, one page."""

import io
import json
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from itertools import combinations

import numpy as np
import pytest

from gplandmark import Landmarks, Surface, carry_landmarks, make_molar
from gplandmark.mesh.synthetic import sphere
from gplandmark.morphometrics.matching.mirror_images import align_surfaces, asymmetry
from gplandmark.morphometrics.matching.registration import Pose
from gplandmark.morphometrics.matching.sampling import sample_surface
from gplandmark.runs.journal import OURS, JournalEntry
from gplandmark.runs.matched.membership import open_sample
from gplandmark.runs.matched.sample_files import sample_summary
from gplandmark.runs.reports import distance_drawings as drawings
from gplandmark.runs.reports import match_report
from gplandmark.runs.reports.match_report import Overview, match_page
from gplandmark.runs.reports.specimen_cards import CardLayout, specimen_card
from gplandmark.runs.reports.thumbnails import SCALE, in_common_pose, redrawn
from gplandmark.runs.reports.unusual_specimens import sample_outliers
from gplandmark.visual.pictures import Camera, default_camera

STAYS = Pose(np.eye(3), np.zeros(3))
ABOVE = Camera((0, 0, 1), (0, 1, 0))


def moved(surface, name, *, mirrored, random):
    """A copy in another place, pose and unit; a mirror image if asked for."""
    turn = np.linalg.qr(random.standard_normal((3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn)) * (-1 if mirrored else 1)
    return Surface(25.4 * surface.points @ turn + [300, -20, 5], surface.triangles, name), turn


def pixels(posed):
    from matplotlib.image import imread

    return imread(io.BytesIO(posed.image))


def in_the_middle(posed, side):
    """The square around the centre, where all pictures have the centre of the reference."""
    top, left = ((length - side) // 2 for length in posed.size[::-1])
    return pixels(posed)[top : top + side, left : left + side]


@cache
def sampled(seed):
    return sample_surface(make_molar(seed, vertex_count=1500).surface)


@pytest.fixture(scope="module")
def sample(matched_molars):
    """A molar, its mirror image in another unit, place and pose, and another molar."""
    return open_sample(matched_molars / "out")


@pytest.fixture(scope="module")
def carried(sample):
    points = sample.specimens[0].surface.points
    chosen = points[np.linspace(0, len(points) - 1, 12).astype(int)]
    everywhere = list(carry_landmarks(sample, Landmarks.at(chosen, "m0")))
    holes = everywhere[2].points.copy()
    holes[[1, 5, 6, 7]] = np.nan
    everywhere[2] = replace(everywhere[2], points=holes)
    return everywhere


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where pictures are."""
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def entries(sample, carried, folder):
    """Entries as a run writes them, with their pictures on disk."""
    (folder / "thumbnails").mkdir()
    camera = default_camera(sample.specimens[0].surface)
    made = []
    for k, (specimen, landmarks) in enumerate(zip(sample.specimens, carried, strict=True)):
        posed = in_common_pose(specimen, sample.poses[k], landmarks.points, camera)
        (folder / "thumbnails" / f"{k}.png").write_bytes(posed.image)
        sure = landmarks.record.outcome["confidence"]
        row = np.where(np.arange(len(sample)) == k, np.inf, sample.distances[k])
        gone = int(landmarks.missing.sum())
        facts = {
            "vertices": specimen.surface.vertex_count, "repairs": "", "notes": [],
            "landmarks": len(landmarks) - gone, "missing": gone, "confidence": sure,
            "mean_confidence": float(np.mean(sure)), "mirrored": bool(sample.mirrored[k]),
            "agreement": float(sample.agreement[k]), "area": specimen.root_area**2,
            "nearest": sample.specimens[int(row.argmin())].name, "nearest_distance": row.min(),
            "picture": json.loads(json.dumps(posed.facts())),
        }  # fmt: skip
        made.append(
            JournalEntry(specimen.name, "", outputs={f"thumbnails/{k}.png": ""}, facts=facts)
        )
    return made


@pytest.fixture
def overview(sample, carried):
    names = tuple(each.name for each in sample.specimens)
    return Overview(
        names[0], names, sample.distances, sample.tree, sample.mirrored, (), carried[0].labels
    )


def plain(number, **facts):
    """An entry without a picture."""
    usual = {
        "landmarks": 12, "missing": 0, "mean_confidence": 0.9, "agreement": 1.0,
        "area": 100.0 + number, "nearest": "0", "nearest_distance": 0.05 + number / 5000,
    }  # fmt: skip
    return JournalEntry(str(number), "", facts={**usual, **facts})


def test_a_reference_whose_landmarks_were_predicted_has_an_expected_error(tmp_path):
    known = {"mean_expected_error": 0.25, "mean_radius_90": 0.5}
    predicted, given = plain(0, **known), plain(0, mean_expected_error=0.0, mean_radius_90=0.0)
    layout = CardLayout.of([predicted], ("1",), "0")
    assert "expected error 0.25, 90 % within 0.5" in specimen_card(predicted, tmp_path, layout, ())
    assert "expected error" not in specimen_card(given, tmp_path, layout, ())


# ----- pictures in the common pose


@pytest.mark.parametrize("unit", [1.0, 1000.0])
def test_all_have_the_scale_of_unit_size_around_the_centre(unit):
    ball = sphere(4).surface
    specimen = sample_surface(Surface(unit * ball.points + 7 * unit, ball.triangles))
    poles = specimen.centre + unit * np.array([[0, 0, 1], [0, 0, -1]])
    posed = in_common_pose(specimen, STAYS, poles, ABOVE)
    across = 2 * SCALE / 3  # the size is three times the radius
    assert posed.size[0] == posed.size[1]
    assert across <= posed.size[0] - 12 < across + 3
    assert np.allclose(posed.places, np.array(posed.size) / 2, atol=0.5)
    assert posed.shown.tolist() == [True, False]
    assert pixels(posed).shape == (*posed.size[::-1], 4)


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_moved_or_mirrored_copy_gives_the_same_picture(mirrored, random):
    copy, turn = moved(sampled(1).surface, "copy", mirrored=mirrored, random=random)
    points = sampled(1).surface.points[::60]
    camera = default_camera(sampled(1).surface)
    one = in_common_pose(sampled(1), STAYS, points, camera)
    back = Pose(turn.T, np.zeros(3))
    assert back.reflects == mirrored
    two = in_common_pose(sample_surface(copy), back, copy.points[::60], camera)
    assert np.abs(np.subtract(one.size, two.size)).max() <= 2
    middles = np.array([np.array(each.size) / 2 for each in (one, two)])
    assert np.allclose(one.places - middles[0], two.places - middles[1], atol=0.01)
    assert (one.shown == two.shown).mean() > 0.9
    assert np.abs(in_the_middle(one, 200) - in_the_middle(two, 200)).mean() < 0.01
    elsewhere = np.vstack([copy.points[::60][::-1], [[0, 0, 0]]])  # and one more than there were
    elsewhere[1] = np.nan
    again = redrawn(two.facts(), elsewhere)
    assert again["places"][1] is None
    assert np.allclose(again["places"][2:], two.places[::-1][2:], atol=0.051)  # they are rounded
    assert redrawn(two.facts(), elsewhere[:1])["places"][1:] == [None] * (len(points) - 1)


def test_poses_that_were_found_lay_a_mirror_image_on_its_origin(sample, entries):
    assert sample.mirrored.tolist() == [False, True, False]
    facts = [entries[k].facts["picture"] for k in (0, 1)]
    known = [k for k in range(12) if all(each["places"][k] is not None for each in facts)]
    one, two = (
        np.array([each["places"][k] for k in known]) - np.array(each["size"]) / 2 for each in facts
    )
    assert len(known) > 6
    assert np.median(np.linalg.norm(one - two, axis=1)) < 5


def test_missing_landmarks_are_nowhere():
    points = sampled(1).surface.points[:3].copy()
    points[1] = np.nan
    posed = in_common_pose(sampled(1), STAYS, points, ABOVE)
    assert np.isfinite(posed.places).all(axis=1).tolist() == [True, False, True]
    assert not posed.shown[1]
    assert posed.facts()["places"][1] is None
    assert json.loads(json.dumps(posed.facts())) == posed.facts()
    none = in_common_pose(sampled(1), STAYS, np.full((2, 3), np.nan), ABOVE)
    assert not none.shown.any()


def test_a_stray_piece_does_not_make_the_picture_large():
    points = np.vstack([sampled(1).surface.points, [[1e4, 0, 0], [1e4, 1e-3, 0], [1e4, 0, 1e-3]]])
    count = len(points)
    triangles = np.vstack([sampled(1).surface.faces(), [count - 3, count - 2, count - 1]])
    posed = in_common_pose(sample_surface(Surface(points, triangles)), STAYS, points[:2], ABOVE)
    assert max(posed.size) <= 2 * 1.25 * SCALE + 14


# ----- the page


class Balance(HTMLParser):
    """Reads a page and refuses tags that are closed in another order than opened."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids = [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_needs_nothing_beside_it_and_is_the_same_again(entries, overview, folder):
    page = match_page(entries, folder, overview)
    assert page == match_page(list(reversed(entries)), folder, overview)
    assert "http" not in page
    assert "<script" not in page
    assert not re.findall(r'(?:src|href)="?(?!"?(?:data:|#))', page)
    ids = Balance(page).ids
    assert len(ids) == len(set(ids))
    assert {each[1:] for each in re.findall(r'href="(#[^"]+)"', page)} <= set(ids)
    assert "12 landmarks of m0, the reference, on 3 specimens; 0 failed." in page
    assert "1 specimen is a mirror image of the reference." in page
    assert "Coordinates in the files are never mirrored" in page


def test_the_least_certain_come_first_and_what_is_missing_is_listed(entries, overview, folder):
    page = match_page(entries, folder, overview)
    names = re.findall(r"<h3>([^<]+)", page)
    assert names == ["site/m2", "m1", "m0"]  # the reference is certain
    doubtful = replace(entries[0], facts={**entries[0].facts, "mean_confidence": 0.1})
    other = match_page([doubtful, *entries[1:]], folder, overview)
    assert re.findall(r"<h3>([^<]+)", other) == ["site/m2", "m0", "m1"]
    assert "missing: 2, 6-8" in page
    drawn = page.split('<svg class="specimen"')[1:]
    for name, picture in zip(names, drawn, strict=True):
        present = next(each.facts["landmarks"] for each in entries if each.key == name)
        assert picture.split("</svg>")[0].count("<circle") == present
        assert picture.split("</svg>")[0].count("<text") == present
    assert re.search(r"m1<span class=\"badge\">mirror image", page)
    assert re.search(r"m0<span class=\"badge\">reference", page)


def test_a_specimen_without_landmarks_is_no_mirror_image(entries, overview, folder):
    (row,) = [row for row, each in enumerate(entries) if each.facts["mirrored"]]
    lost = {**entries[row].facts, "landmarks": 0, "missing": 12}
    found = [replace(each, facts=lost) if k == row else each for k, each in enumerate(entries)]
    page = match_page(found, folder, overview)
    assert "mirror image</span>" not in page
    assert "of the reference. Mirror images" not in page
    header, *lines = [line.split(",") for line in sample_summary(found).splitlines()]
    sides = {line[0]: line[header.index("mirrored")] for line in lines}
    assert sides.pop(found[row].key) == ""
    assert "" not in sides.values()


def test_names_are_never_taken_for_markup(entries, overview, folder):
    bad = "<b>&\"'\n"
    found = [replace(entries[0], key=bad, facts={**entries[0].facts, "notes": [bad]}), *entries[1:]]
    found[1] = replace(found[1], facts={**found[1].facts, "nearest": bad, "agreement": 0.1})
    found.append(JournalEntry(bad, "", reason=bad, kind="refused"))
    told = replace(overview, reference=bad, remarks=(bad,), labels=(bad,) * 12,
                   names=(bad, *overview.names[1:]))  # fmt: skip
    page = match_page(found, folder, told)
    assert "<b>" not in page
    assert "&lt;b&gt;&amp;" in page
    assert "Names of the landmarks" in page  # they are too long to stand in a picture
    Balance(page)


def edited(entry):
    """The entry as it is told when a person has changed the landmarks."""
    facts = {name: each for name, each in entry.facts.items() if name not in OURS}
    return replace(entry, reason="edited by a person, 9 landmarks, kept", facts=facts)


def test_failed_and_edited_specimens_are_told(entries, overview, folder):
    found = [*entries, JournalEntry("bad", "bad.ply", "It is cut short.", "refused")]
    found[2] = replace(edited(found[2]), outputs={})
    remarks = tuple(f"remark {k}." for k in range(20))
    page = match_page(found, folder, replace(overview, remarks=remarks))
    assert "; 1 failed; 1 edited by a person." in page
    assert page.index("It is cut short.") < page.index("<article")
    assert "Edited by a person, 9 landmarks, kept." in page
    assert "missing: 2, 6-8" not in page  # what a person did is not ours to judge
    assert page.count("remark ") == 20
    assert "12 more remarks" in page
    Balance(page)


def test_a_page_of_very_many_says_what_it_leaves_out(overview, tmp_path, monkeypatch):
    monkeypatch.setattr(match_report, "CARDS", 10)
    count = drawings.MOST_IN_MATRIX + 1
    found = [plain(k, mean_confidence=0.9 - k / 10000) for k in range(count)]
    names = tuple(map(str, range(count)))
    many = Overview("0", names, np.ones((count, count)), (), np.zeros(count, bool), (), ("1",))
    page = match_page(found, tmp_path, many)
    assert page.count("<article") == 10
    assert f"{count - 10} more are in summary.csv" in page
    assert f"<h3>{count - 1}<" in page
    assert "distances.csv" in page
    Balance(page)


def test_one_or_two_specimens_have_a_page_too(entries, overview, folder):
    for count in (0, 1, 2):
        few = replace(
            overview, names=overview.names[:count], distances=overview.distances[:count, :count],
            tree=((0, 1),)[: count - 1], mirrored=overview.mirrored[:count],
        )  # fmt: skip
        page = match_page(entries[:count], folder, few)
        assert page.count("<article") == count
        Balance(page)


# ----- outliers


@pytest.mark.slow
def test_another_shape_is_named():
    family = [sample_surface(make_molar(k, vertex_count=400).surface) for k in range(5)]
    specimens = [*family, sample_surface(sphere(3).surface)]
    levels, sides = [each.levels for each in specimens], [asymmetry(s.levels) for s in specimens]
    table = np.full((6, 6), np.inf)
    for i, j in combinations(range(6), 2):
        found = align_surfaces((levels[i], levels[j], max(sides[i], sides[j])))
        table[i, j] = table[j, i] = found.distance
    found = sample_outliers(
        [
            plain(k, nearest=str(row.argmin()), nearest_distance=row.min(), area=100.0)
            for k, row in enumerate(table)
        ]
    )
    assert [each.key for each in found] == ["5"]
    assert found[0].reasons[0].startswith("Unlike all others: even the nearest")


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"area": 100 * 25.4**2}, "Large: sqrt(area) is 254 in file units"),
        ({"area": 1.0}, "Small: sqrt(area) is 1 in file units"),
        ({"mean_confidence": 0.6}, "uncertain: mean confidence 0.60, median 0.90"),
        ({"agreement": 0.3}, "agree with its pose: 30 %."),
        ({"missing": 9, "landmarks": 3}, "9 of 12 landmarks are missing."),
        ({"nearest_distance": 0.004}, "Nearly the same shape as 0: 0.004 away"),
        ({"nearest_distance": 0.2}, "the nearest, 0, is 0.200 away; the median is 0.051."),
    ],
)
def test_each_way_to_be_out_of_line_has_its_sentence(facts, words):
    found = sample_outliers([*(plain(k) for k in range(8)), plain(8, **facts)])
    assert [each.key for each in found] == ["8"]
    assert words in found[0].reasons[0]


def test_who_is_as_usual_or_certain_is_no_outlier(overview, tmp_path):
    found = [plain(k) for k in range(8)]
    assert sample_outliers([*found, plain(8, mean_confidence=1.0)]) == []
    uncertain = plain(8, mean_confidence=0.1, missing=10, landmarks=2)
    assert sample_outliers([*found, uncertain]) != []
    assert sample_outliers([*found, edited(uncertain)]) == []
    assert sample_outliers([plain(0, nearest_distance=0.3), *found[1:4]]) == []  # too few to tell
    assert "No outliers among 8 specimens." in match_page(found, tmp_path, overview)


def test_a_fragment_is_no_outlier_for_what_it_lacks():
    gone = [str(k) for k in range(9)]
    fragment = {"area": 1.0, "missing": 9, "landmarks": 3, "share_of_whole": 0.3}
    whole = [plain(k) for k in range(8)]
    assert sample_outliers([*whole, plain(8, **fragment, not_on_this_fragment=gone)]) == []
    (found,) = sample_outliers([*whole, plain(8, **fragment, not_on_this_fragment=gone[:2])])
    assert found.reasons == ("7 of 10 landmarks are missing.",)


# ----- distances and tree


def test_those_alike_stand_side_by_side(random):
    groups = np.array([0, 1, 2, 1, 0, 2, 1, 0, 2])
    table = np.where(groups[:, None] == groups, 0.1, 1.0) + 0.01 * random.random((9, 9))
    table = (table + table.T) / 2
    np.fill_diagonal(table, 0)
    ordered = groups[drawings.clustered(table)]
    assert np.count_nonzero(np.diff(ordered)) == 2
    assert sorted(drawings.clustered(table)) == list(range(9))


def test_the_heat_map_names_each_pair_as_far_as_there_is_room(random):
    points = random.random((61, 2))
    table = np.linalg.norm(points[:, None] - points, axis=2)
    names = [f"s{k}" for k in range(61)]
    drawn = drawings.distance_heat_map(names[:60], table[:60, :60])
    assert drawn.count("<rect") == 60 * 59
    assert f"s3, s8: {table[3, 8]:.3f}" in drawn
    assert "<rect" not in drawings.distance_heat_map(names, table)


def test_the_tree_hangs_everyone_on_the_one_before():
    tree = ((0, 1), (1, 2), (1, 3), (3, 4))
    table = np.array([[abs(i - j) for j in range(5)] for i in range(5)], dtype=float)
    drawn = drawings.draw_tree("abcde", table, tree, [False, True, False, False, False], 1)
    assert re.findall(r">([a-e])</text>", drawn)[0] == "b"
    assert sorted(re.findall(r">([a-e])</text>", drawn)) == list("abcde")
    assert "<title>e: 1.000 from d</title>" in drawn
    assert drawn.count("<path") == 4
    assert drawn.count('class="mirrored"') == 1
