"""A collection in a real browser: what a person does with keys and mouse, and what is on disk."""

import json

import numpy as np
import pytest
from browser import until
from conftest import PATIENCE
from result_folders import (
    LANDMARKS,
    molar_with_landmarks,
    write_off,
    write_results,
    write_scans,
)
from viewer_page import is_still, names, row, says, shows, wait_for_rows, where

from gplandmark import Landmarks, Surface, read_landmarks, write
from gplandmark.runs.checked import read_checked
from gplandmark.runs.reports.viewer_links import open_command

pytestmark = pytest.mark.slow
pytest.importorskip("starlette")
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


KEYS = [f"tooth{number}" for number in range(6)]


@pytest.fixture
def results(tmp_path):
    return write_results(tmp_path / "matched", write_scans(tmp_path / "scans"))


@pytest.fixture
def collection(results, serve):
    """The server of a viewer of these results."""
    return serve(results)


@pytest.fixture
def page(collection, open_page):
    opened = open_page(collection.address)
    opened.set_default_timeout(PATIENCE)
    shows(opened, "tooth0")
    return opened


def is_bone(seen):
    """Whether the middle of the picture shows a specimen and not white."""
    return (seen[200:400, 300:420].max(axis=2) < 245).mean() > 0.2


def test_specimens_are_listed_and_the_worst_that_can_be_seen_is_shown(page):
    found = page.locator(".specimen b").all_inner_texts()
    assert found == ["broken", "tooth0", "tooth1", "tooth2"]
    assert names(page) == [str(at + 1) for at in range(LANDMARKS)]
    until(page, is_bone)
    assert page.locator("#progress").inner_text() == "0 of 4 checked"
    assert "uncertainty 15 %" in row(page, "tooth0").inner_text()


def test_keys_go_through_the_collection_and_to_its_ends(page):
    page.keyboard.press("n")
    shows(page, "tooth1")
    page.keyboard.press("n")
    shows(page, "tooth2")
    page.keyboard.press("n")
    says(page, "last specimen")
    page.keyboard.press("p")
    shows(page, "tooth1")
    row(page, "tooth0").click()
    shows(page, "tooth0")
    assert page.url.endswith("#tooth0")


def test_a_failed_specimen_says_why_and_one_can_go_on(page):
    page.keyboard.press("p")
    shows(page, "broken")
    says(page, "broken")
    assert "no faces" in row(page, "broken").inner_text()
    page.keyboard.press("n")
    shows(page, "tooth0")
    until(page, is_bone)


def test_the_next_specimen_is_there_before_it_is_asked_for(page):
    with page.expect_request(lambda each: "mesh?key=tooth2" in each.url):
        page.keyboard.press("n")
    page.wait_for_function("() => window.gplandmark.app.store.entries.has('tooth2')")
    asked = []
    page.on("request", lambda each: asked.append(each.url))
    page.keyboard.press("n")
    shows(page, "tooth2")
    assert not [each for each in asked if "api/mesh" in each]


def test_names_and_states_filter_the_list(page):
    page.keyboard.press("/")
    page.keyboard.type("TOOTH1")
    assert page.locator(".specimen b").all_inner_texts() == ["tooth1"]
    assert page.locator("#count").inner_text() == "1 of 4"
    page.locator("#search").fill("")
    page.locator("#filter").select_option("failed")
    assert page.locator(".specimen b").all_inner_texts() == ["broken"]


def test_enter_opens_what_is_found_and_escape_shows_all_again(page):
    page.keyboard.press("/")
    page.keyboard.type("tooth1")
    page.wait_for_function("() => document.querySelector('#count').textContent == '1 of 4'")
    page.keyboard.press("Enter")
    shows(page, "tooth1")
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    page.wait_for_function("() => document.querySelector('#count').textContent == '4'")
    assert page.locator(".specimen b").all_inner_texts() == ["broken", "tooth0", "tooth1", "tooth2"]


def test_checked_is_a_key_and_goes_on_and_is_kept(page, results, collection, open_page):
    page.keyboard.press("c")
    shows(page, "tooth1")
    assert read_checked(results) == {"tooth0"}
    page.locator("#progress", has_text="1 of 4 checked").wait_for()
    again = open_page(collection.address)  # a closed page is opened again
    shows(again, "tooth1")
    assert "checked" in row(again, "tooth0").inner_text()
    row(page, "tooth0").click()
    shows(page, "tooth0")
    page.keyboard.press("c")
    page.locator("#progress", has_text="0 of 4 checked").wait_for()
    assert read_checked(results) == frozenset()


def test_a_landmark_is_dragged_and_saved(page, results):
    before = read_landmarks(results / "landmarks" / "tooth0.mrk.json")
    label = next(each for each in names(page) if (where(page, each) or {}).get("seen"))
    start = where(page, label)
    page.keyboard.press("3")
    page.mouse.move(start["x"], start["y"])
    page.mouse.down()
    for step in range(1, 5):
        page.mouse.move(325, start["y"] + (240 - start["y"]) * step / 4)
    page.mouse.up()
    says(page, f"move {label}")
    page.keyboard.press("Control+s")
    says(page, "Saved")
    after = read_landmarks(results / "landmarks" / "tooth0.mrk.json")
    moved = [a for a, old, new in zip(after.labels, before.points, after.points, strict=True)
             if (old != new).any()]  # fmt: skip
    assert moved == [label]
    row(page, "tooth0").get_by_text("corrected").wait_for(timeout=PATIENCE)


def test_a_landmark_is_added_named_whole_undone_and_deleted(page):
    page.keyboard.press("2")
    page.mouse.click(325, 240)
    says(page, "add")
    assert len(names(page)) == LANDMARKS + 1
    field = page.locator("#label")
    field.fill("")
    page.keyboard.type("protoconid tip", delay=0)  # quickly
    page.keyboard.press("Enter")
    says(page, "rename")
    assert names(page)[-1] == "protoconid tip"
    page.keyboard.press("Escape")
    page.keyboard.press("Control+z")
    says(page, "Undone: rename")
    page.locator("#landmarks tbody tr").last.click()
    page.keyboard.press("Delete")
    says(page, "delete")
    assert len(names(page)) == LANDMARKS


def test_a_curve_is_drawn_over_the_surface_edited_and_saved(page, results):
    curve = "window.gplandmark.app.entry.content.curves[0]"
    page.keyboard.press("6")
    for x, y in ((290, 215), (360, 230), (330, 275)):
        before = len(names(page))
        page.mouse.click(x, y)
        wait_for_rows(page, before + 1)
    first = names(page)[-3]
    assert first == "curve1-1"
    at = where(page, first)  # a click on the first point closes it
    page.mouse.click(at["x"], at["y"])
    page.locator("#curves tbody", has_text="closed").wait_for()
    page.keyboard.press("Control+z")
    page.locator("#curves tbody", has_text="open").wait_for()
    page.locator("#curves tbody tr").click()
    field = page.locator("#curve-name")
    field.fill("rim")
    page.keyboard.press("Enter")
    page.locator("#curves tbody", has_text="rim").wait_for()
    page.keyboard.press("Escape")
    line = page.evaluate(  # a place on the line from the first point to the second
        f"""() => {{ const {{ stage }} = window.gplandmark.app, path = {curve}.paths[0];
        const middle = Math.floor(path.length / 2), box = stage.overlay.getBoundingClientRect();
        const ends = [path[middle - 1], path[middle]];
        const [a, b] = ends.map((each) => stage.project(stage.views[0], each));
        return {{ x: box.x + (a.x + b.x) / 2, y: box.y + (a.y + b.y) / 2 }}; }}"""
    )
    page.mouse.click(line["x"], line["y"])
    says(page, "add a point to rim")
    order = page.evaluate(f"{curve}.ids")
    assert order[1] == max(order)  # it lies between
    start = where(page, "rim-3")
    page.mouse.move(start["x"], start["y"])
    page.mouse.down()
    page.mouse.move(start["x"] + 8, start["y"] + 8)
    page.mouse.move(start["x"] + 12, start["y"] + 12)
    page.mouse.up()
    says(page, "move rim-3")
    page.locator("#curve-points").fill("7")
    page.locator("#curve-space").click()
    says(page, "space rim evenly")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+s")
    says(page, "Saved")
    (found,) = read_landmarks(results / "landmarks" / "tooth0.mrk.json").curves
    assert (found.name, len(found.members), found.is_closed) == ("rim", 7, False)


def test_enter_ends_a_curve_and_the_next_specimen_has_the_same_names(page):
    def draw(places):
        for x, y in places:
            before = len(names(page))
            page.mouse.click(x, y)
            wait_for_rows(page, before + 1)

    page.keyboard.press("6")
    draw([(290, 215), (340, 230)])
    page.locator("#curve-name").fill("rim")
    page.keyboard.press("Enter")
    page.locator("#curves tbody", has_text="rim").wait_for()
    page.keyboard.press("Escape")  # leaves the field
    page.keyboard.press("Escape")  # nothing is selected: the next click begins another one
    page.locator("#curves tbody tr[aria-selected=false]").wait_for()
    draw([(330, 290)])
    page.keyboard.press("Enter")
    says(page, "The next click begins another curve")
    assert page.locator("#curves tbody td:first-child").all_inner_texts() == ["rim", "curve1"]
    page.keyboard.press("n")
    shows(page, "tooth1")
    is_still(page)
    draw([(300, 230)])
    assert page.locator("#curves tbody td:first-child").all_inner_texts() == ["rim"]


def test_six_specimens_are_corrected_with_nothing_but_the_page(tmp_path, view):
    results = write_results(tmp_path / "six", write_scans(tmp_path / "scans6", 6), 6)
    page = view(results)
    before = {key: read_landmarks(results / f"landmarks/{key}.mrk.json") for key in KEYS}
    page.keyboard.press("b")
    page.locator("#view-names span", has_text="reference").wait_for()
    page.keyboard.press("3")
    for number, key in enumerate(KEYS):
        shows(page, key)
        label = str(number + 1)
        page.locator("#landmarks tbody tr").nth(number).click()
        at = where(page, label)
        assert at["seen"]
        page.mouse.move(at["x"], at["y"])
        page.mouse.down()
        page.mouse.move(at["x"] + 7, at["y"] + 4)
        page.mouse.move(at["x"] + 12, at["y"] + 8)
        page.mouse.up()
        says(page, f"move {label}")
        page.locator("#name", has_text="unsaved").wait_for()
        page.keyboard.press("c")
        page.locator("#progress", has_text=f"{number + 1} of 7 checked").wait_for()
    assert read_checked(results) == set(KEYS)
    says(page, "tooth5 is marked as checked")
    for number, key in enumerate(KEYS):
        after = read_landmarks(results / f"landmarks/{key}.mrk.json")
        moved = np.flatnonzero((after.points != before[key].points).any(axis=1))
        assert moved.tolist() == [number]
        assert after.record.request["edits"]["moved"][0]["label"] == str(number + 1)


def test_a_report_leads_to_the_specimen(page, results):
    (results / "report.html").write_text(f"<h1>Report</h1>{open_command('tooth1')}")
    page.reload()
    shows(page, "tooth0")
    page.locator("#to-report").click()
    page.get_by_role("link", name="Open it in the viewer").click()
    shows(page, "tooth1")


def test_a_click_in_the_list_turns_the_view_to_the_landmark(page):
    hidden = [each for each in names(page) if not where(page, each)["seen"]]
    label = (hidden or names(page))[0]
    page.locator("#landmarks tbody tr", has_text=label).first.click()
    at = where(page, label)
    box = page.locator("#stage").bounding_box()
    assert at["seen"]
    assert abs(at["x"] - box["x"] - box["width"] / 2) < 5
    assert abs(at["y"] - box["y"] - box["height"] / 2) < 5


def test_marks_keep_their_size_when_zooming(page):
    def magenta():
        """Pixels of the selected mark, and how far the eye is away."""
        is_still(page)
        return page.evaluate(
            """() => { const { stage } = window.gplandmark.app, { width, height } = stage.overlay;
            const all = stage.context.getImageData(0, 0, width, height).data;
            let count = 0;
            for (let at = 0; at < all.length; at += 4)
              count += all[at] === 217 && all[at + 1] === 0 && all[at + 2] === 199;
            return [count, stage.camera.distance]; }"""
        )

    page.locator("#show-names").uncheck()
    page.locator("#landmarks tbody tr").first.click()
    size, distance = magenta()
    page.mouse.move(325, 300)
    page.mouse.wheel(0, -200)
    page.wait_for_function("d => window.gplandmark.app.stage.camera.distance < d", arg=distance)
    assert magenta()[0] == pytest.approx(size, rel=0.1)
    page.locator("#mark-size").fill("10")
    page.wait_for_function("() => window.gplandmark.app.display().size == 10")
    assert magenta()[0] > 2 * size


def test_the_reference_is_beside_and_a_landmark_is_highlighted_on_both(page):
    page.keyboard.press("b")
    page.locator("#view-names span", has_text="tooth2 (reference)").wait_for(timeout=PATIENCE)
    page.locator("#landmarks tbody tr").nth(2).click()
    is_still(page)
    labels = "view => view.marks.filter((mark) => mark.chosen).map((mark) => mark.label)"
    chosen = page.evaluate(f"window.gplandmark.app.stage.views.map({labels})")
    assert chosen == [["3"], ["3"]]
    page.keyboard.press("n")  # the landmark stays chosen on the next specimen
    shows(page, "tooth1")
    assert page.locator("#landmarks tr[aria-selected=true] td").first.inner_text() == "3"


def test_a_missing_landmark_is_shown_on_the_reference_after_a_close_up(tmp_path, view):
    """Its place on the reference is in the picture, and all of the specimen to find it there."""
    results = write_results(tmp_path / "missing", write_scans(tmp_path / "scans"))
    path = results / "landmarks" / "tooth0.mrk.json"
    content = json.loads(path.read_text())
    lost = content["markups"][0]["controlPoints"][0]
    lost["positionStatus"] = "undefined"
    del lost["position"]
    path.write_text(json.dumps(content))
    page = view(results)
    shows(page, "tooth0")
    page.keyboard.press("b")
    page.locator("#view-names span", has_text="reference").wait_for(timeout=PATIENCE)
    for at in range(1, LANDMARKS):
        page.locator("#landmarks tbody tr").nth(at).click()
        is_still(page)
        page.mouse.move(250, 300)
        page.mouse.wheel(0, -1500)  # so close that hardly anything else is in the picture
        page.locator("#landmarks tbody tr").first.click()
        says(page, "1 is missing here. Choose Move (3) and click its place.")
        is_still(page)
        left, top, width, height, x, y, seen, distance, whole = page.evaluate(
            """() => { const { stage } = window.gplandmark.app, view = stage.views[1];
            stage.measure();
            const { x, y, seen } = view.marks.find((mark) => mark.label === "1");
            return [...view.css, x, y, seen, stage.camera.distance, stage.camera.whole]; }"""
        )
        assert seen
        assert left < x < left + width
        assert top < y < top + height
        assert distance == pytest.approx(whole)
    page.keyboard.press("3")
    page.locator("#landmarks tbody tr").nth(1).click()
    page.locator("#landmarks tbody tr").first.click()
    says(page, "1 is missing here. Click its place.")


def test_a_reference_of_the_other_body_side_is_named_so(tmp_path, view):
    scans = write_scans(tmp_path / "scans")
    results = write_results(tmp_path / "mirrored", scans)
    surface, landmarks = molar_with_landmarks(2)  # tooth0: the mirror image of the reference
    mirror = np.array([-1.0, 1.0, 1.0])
    write_off(scans / "tooth0.off", Surface(surface.points * mirror, surface.faces()[:, ::-1]))
    mirrored = Landmarks.at(landmarks.points * mirror, "tooth0", labels=landmarks.labels)
    write(mirrored, results / "landmarks" / "tooth0.mrk.json")
    page = view(results)
    shows(page, "tooth0")
    page.keyboard.press("b")
    titles = page.locator("#view-names span")
    titles.nth(1).wait_for()
    assert titles.all_inner_texts() == ["tooth0", "tooth2 (reference, other body side)"]


def test_enter_never_replaces_the_file_of_another_program(page, tmp_path):
    theirs = tmp_path / "expert.csv"
    theirs.write_text("name,x,y,z\na,1,2,3\n")
    page.locator("#file summary").click()
    page.locator("#output").fill(str(theirs))
    page.keyboard.press("Control+s")
    page.locator("#question[open]").wait_for()
    page.keyboard.press("Enter")
    page.locator("#question[open]").wait_for(state="detached")
    says(page, "Not saved yet")
    assert theirs.read_text() == "name,x,y,z\na,1,2,3\n"


def test_two_windows_show_the_same_and_lose_nothing(page, collection, open_page):
    other = open_page(collection.address)
    shows(other, "tooth0")
    page.locator("#landmarks tbody tr").first.click()
    page.keyboard.press("Delete")
    says(page, "delete 1")
    other.wait_for_function(
        "n => document.querySelectorAll('#landmarks tbody tr').length == n", arg=LANDMARKS - 1,
        timeout=PATIENCE,
    )  # fmt: skip
    other.locator("#landmarks tbody tr").first.click()
    other.keyboard.press("Delete")
    says(other, "delete 2")
    page.wait_for_function(
        "n => document.querySelectorAll('#landmarks tbody tr').length == n", arg=LANDMARKS - 2,
        timeout=PATIENCE,
    )  # fmt: skip
    row(page, "tooth0").get_by_text("unsaved").wait_for(timeout=PATIENCE)


def test_keys_and_help_are_shown_and_controls_have_names(page):
    page.keyboard.press("?")
    assert "next and previous" in page.locator("#help[open]").inner_text()
    page.keyboard.press("Escape")
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select")]
        .filter((each) => !(each.textContent.trim() || each.ariaLabel || each.labels?.length))
        .map((each) => each.id)"""
    )
    assert nameless == []
    page.locator("#list").focus()
    page.keyboard.press("ArrowDown")
    shows(page, "tooth1")
    assert page.locator("#list").get_attribute("aria-activedescendant")
    page.keyboard.press("l")
    page.keyboard.press("ArrowDown")
    assert page.locator("#landmarks tr[aria-selected=true] td").first.inner_text() == "2"


def test_colours_and_steps_are_shown(page):
    page.locator("#colouring").select_option("variance")
    page.locator("#legend", has_text="remaining variance").wait_for()
    page.locator("#curve").wait_for()
    page.locator("#step").fill("2")
    page.locator("#step-text", has_text="2 of 6").wait_for()
    page.locator("#colouring").select_option("scan")
    says(page, "no colours of its own")
    assert page.locator("#colouring").input_value() == "bone"


def test_five_thousand_specimens_make_few_rows(page, collection):
    many = [
        {"key": f"s{at}", "state": "untouched", "unsaved": False, "elsewhere": False,
         "failure": "", "uncertainty": None}
        for at in range(5_000)
    ]  # fmt: skip
    page.evaluate(
        "text => window.gplandmark.app.specimens.update(JSON.parse(text))", json.dumps(many)
    )
    assert page.locator("#count").inner_text() == "5000"
    assert page.locator(".specimen").count() < 40
    page.locator("#list").evaluate("list => { list.scrollTop = list.scrollHeight; }")
    page.locator(".specimen b", has_text="s4999").wait_for()
