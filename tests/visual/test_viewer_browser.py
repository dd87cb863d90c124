"""The viewer in a real browser: pictures, the slider, several tabs, and no request to outside."""

import numpy as np
import pytest
from browser import scene_of, steady, until
from conftest import SMALL

from gplandmark import covariance, place
from gplandmark.visual.viewer import (
    DisplayedSpecimen,
    access,
    display_mesh,
    shared_html,
    steps_of,
)
from gplandmark.visual.viewer.glb import encode_mesh
from gplandmark.visual.viewer.screen_colours import LIGHT, row_of_colours, shown_colours

pytest.importorskip("viser")

RED, GREEN, BONE = (228, 26, 28), (91, 227, 75), (222, 214, 199)


@pytest.fixture(scope="module")
def specimen(molar):
    mesh = display_mesh(molar)
    landmarks = place(molar, 8, settings=SMALL)
    steps = steps_of(molar, covariance(molar, SMALL), landmarks, mesh.vertices, "ours")
    return DisplayedSpecimen(molar, molar.name, mesh, steps)


def share_near(seen, colour, reach=60):
    """Share of a picture within reach of a colour."""
    return (np.abs(scene_of(seen) - np.array(colour)).max(axis=2) < reach).mean()


def difference(seen, other):
    """Mean difference of two pictures of the scene, 0 to 255."""
    return np.abs(scene_of(seen) - scene_of(other)).mean()


def is_drawn(seen):
    """Whether a specimen fills a good part of the scene."""
    return (scene_of(seen).min(axis=2) < 200).mean() > 0.2


def test_colours_arrive_as_they_were_meant(served, open_page):
    scene = served.viser.scene
    scene.configure_default_lights(False)
    scene.configure_environment_map(None)
    scene.set_up_direction("+y")
    scene.add_light_ambient("/light", intensity=np.pi * LIGHT)
    meant = np.array([[68, 1, 84], [33, 145, 140], [94, 201, 98], [200, 60, 50], [240, 240, 240]])
    sent = row_of_colours(np.repeat(meant / 255, 8, axis=0))
    points, triangles, shares = [], [], []
    for number in range(len(meant)):
        points += [[number, 0, 0], [number + 1, 0, 0], [number + 1, 2, 0], [number, 2, 0]]
        triangles += [4 * number + np.array([0, 1, 2]), 4 * number + np.array([0, 2, 3])]
        shares += [(number + 0.5) / len(meant)] * 4
    mesh = encode_mesh(np.array(points, dtype=float) - [7.5, 1, 0], np.array(triangles))
    scene.add_glb("/row", mesh.painted(np.array(shares), sent))
    camera = served.viser.initial_camera
    camera.position, camera.look_at, camera.fov = (0.0, 0.0, 5.0), (0.0, 0.0, 0.0), np.pi / 2
    page = open_page(served.address)
    until(page, lambda seen: (seen[260].min(axis=1) < 100).mean() > 0.1)
    middle = page.locator("canvas").first.bounding_box()["width"] / 2
    columns = [round(middle + (number + 0.5 - 7.5) * 240 / 5) for number in range(len(meant))]
    expected = 255 * shown_colours(meant / 255)
    until(page, lambda seen: np.abs(seen[260, columns] - expected).max() <= 6)


def test_the_page_that_a_browser_is_started_with_leads_to_the_viewer(
    open_page, served, tmp_path, monkeypatch
):
    opened = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(access.webbrowser, "open", lambda address: opened.append(address) or True)
    assert access.open_browser(served.address)
    page = open_page(opened[0])
    page.locator("canvas").first.wait_for()
    assert page.url.startswith(served.address)


def test_a_wrong_address_shows_nothing(served, open_page):
    page = open_page(f"http://127.0.0.1:{served.port}/")
    assert "incomplete" in page.content()
    assert page.locator("canvas").count() == 0


def test_the_shared_page_plays_from_a_file(tmp_path, specimen, open_page):
    path = tmp_path / "tooth.html"
    path.write_text(shared_html(specimen), encoding="utf-8")
    page = open_page(path.as_uri())
    page.get_by_text("The newest is red").wait_for()

    def rests_at(share):
        """Go to a place of the film until the page rests there: playing, it may miss a click."""
        for _ in range(8):
            bar = page.locator(".mantine-Slider-track").bounding_box()
            page.mouse.click(bar["x"] + share * bar["width"], bar["y"] + bar["height"] / 2)
            seen = steady(page)
            number = float(page.locator("input").first.input_value())
            if abs(number - share * 9) < 0.5 and is_drawn(seen):  # 8 landmarks, and none
                return seen
        raise AssertionError(f"the page does not rest at {share}")

    start = rests_at(0.02)
    assert share_near(start, RED, 40) == 0  # before the first
    assert scene_of(rests_at(0.98)).mean() < scene_of(start).mean() - 2
    turned = rests_at(0.02)
    assert difference(turned, start) < 1
    page.mouse.move(300, 350)
    page.mouse.down()
    page.mouse.move(380, 380, steps=4)
    page.mouse.up()
    until(page, lambda seen: difference(seen, turned) > 2)
