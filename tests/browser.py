"""A real browser for tests: Chromium without a window, with WebGL in software."""

import io
import shutil

import numpy as np
import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SIZE = {"width": 800, "height": 480}  # small: every picture is computed without a GPU


def executable():
    """Path of a Chromium on this computer; the test is skipped where there is none."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is on this computer")
    return path


def picture(page):
    """What the page shows, (height, width, 3), 0 to 255."""
    from matplotlib.image import imread

    return np.round(255 * imread(io.BytesIO(page.screenshot()))[..., :3]).astype(int)


def until(page, holds, seconds=120):
    """Wait until the picture of a page has a property, and return that picture."""
    for _ in range(int(seconds / 0.25)):
        seen = picture(page)
        if holds(seen):
            return seen
        page.wait_for_timeout(250)
    raise AssertionError(f"after {seconds} s the page does not show what it should")


def steady(page):
    """The picture of a page once it changes no more."""
    before = picture(page)
    for _ in range(40):
        page.wait_for_timeout(700)
        seen = picture(page)
        if np.abs(scene_of(seen) - scene_of(before)).max() < 3:
            return seen
        before = seen
    raise AssertionError("the page does not come to rest")


def scene_of(seen):
    """The part of a picture beside the panel and below the browser's notices."""
    return seen[150:460, :400]
