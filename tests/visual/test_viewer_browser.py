"""The viewer in a real browser: pictures, the slider, several tabs, and no request to outside."""

from dataclasses import replace

import numpy as np
import pytest
from browser import scene_of, steady, until
from conftest import SMALL

from gplandmark import covariance, place
from gplandmark.landmarks.curves import Curve
from gplandmark.visual.viewer import (
    DisplayedSpecimen,
    access,
    display_mesh,
    shared_html,
    steps_of,
)

pytest.importorskip("uvicorn")

RED = (228, 26, 28)


@pytest.fixture(scope="module")
def specimen(molar):
    mesh = display_mesh(molar)
    landmarks = place(molar, 8, settings=SMALL)
    steps = steps_of(molar, covariance(molar, SMALL), landmarks, mesh.vertices, "ours")
    return DisplayedSpecimen(molar, molar.name, mesh, steps)


def red_pixels(seen):
    """How many pixels have the colour of the newest landmark."""
    return int((np.abs(seen - np.array(RED)).max(axis=2) < 40).sum())


def difference(seen, other):
    """Mean difference of two pictures of the scene, 0 to 255."""
    return np.abs(scene_of(seen) - scene_of(other)).mean()


def is_drawn(seen):
    """Whether a specimen fills a good part of the scene."""
    return (scene_of(seen).min(axis=2) < 200).mean() > 0.2


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_shared_page_plays_from_a_file(tmp_path, specimen, open_page):
    path = tmp_path / "tooth.html"
    path.write_text(shared_html(specimen), encoding="utf-8")
    page = open_page(path.as_uri())
    page.get_by_text("8 of 8").wait_for()
    until(page, is_drawn)
    end = steady(page)
    assert red_pixels(end) == 0  # at the end all are there, and none is the newest
    page.locator("#step").press("Home")
    page.get_by_text("0 of 8").wait_for()
    start = steady(page)
    assert scene_of(end).mean() < scene_of(start).mean() - 2
    page.locator("#step").press("ArrowRight")
    page.get_by_text("1 of 8").wait_for()
    until(page, lambda seen: red_pixels(seen) > 20)
    page.locator("#play").click()
    page.get_by_text("8 of 8").wait_for(timeout=60_000)
    page.get_by_role("button", name="Play").wait_for()
    until(page, lambda seen: difference(seen, end) < 1)
    page.mouse.move(300, 350)
    page.mouse.down()
    page.mouse.move(380, 380, steps=4)
    page.mouse.up()
    until(page, lambda seen: difference(seen, end) > 2)


@pytest.mark.slow
def test_the_shared_page_draws_curves(tmp_path, molar, open_page):
    landmarks = place(molar, 8, settings=SMALL)
    mesh = display_mesh(molar)

    def page_of(curves):
        marked = replace(landmarks, curves=curves)
        steps = steps_of(molar, covariance(molar, SMALL), marked, mesh.vertices, "ours")
        path = tmp_path / f"{len(curves)}.html"
        path.write_text(shared_html(DisplayedSpecimen(molar, "molar", mesh, steps)), "utf-8")
        page = open_page(path.as_uri())
        page.get_by_text("8 of 8").wait_for()
        until(page, is_drawn)
        return page

    without = page_of(())
    plain = steady(without)
    without.locator("#step").press("Home")
    until(without, lambda seen: difference(seen, plain) > 0.002)
    first = steady(without)
    drawn = page_of((Curve("outline", tuple(range(8)), True),))
    until(drawn, lambda seen: difference(seen, plain) > 0.05)
    drawn.locator("#step").press("Home")
    until(drawn, lambda seen: difference(seen, first) < 0.01)
