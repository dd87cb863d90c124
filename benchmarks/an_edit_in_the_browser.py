"""Claim: in the browser an edit feels immediate, and so does saving.

The time from a click that adds a landmark until the page shows it, median over clicks; the same
for a point of a curve, whose shortest path over the surface is computed; and from Ctrl+S until the
page says that the landmarks are saved, three seconds after the last click, the first time and
again. In Chromium without a window and without a GPU. Needs playwright and a Chromium.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright
from viewers import serving

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser import FLAGS, executable

from gplandmark import make_molar
from gplandmark.io.scans import as_ply

SIZES = (5_000, 20_000, 100_000)
COUNT = 40
SIZE = {"width": 1400, "height": 850}
CLICKS = 12
LOOK = 3  # seconds
DRAWN = "count => document.querySelector('#curves td:nth-child(2)')?.textContent == count"
SHOWN = "count => document.querySelectorAll('#landmarks tbody tr').length == count"


def main() -> None:
    titles = ("vertices", "landmark", "curve", "save", "again")
    print(*(f"{each:>10}" for each in titles), f"  ms, {COUNT} landmarks there")
    with sync_playwright() as library, tempfile.TemporaryDirectory() as folder:
        browser = library.chromium.launch(executable_path=executable(), args=list(FLAGS))
        for count in SIZES:
            surface = make_molar(1, vertex_count=count).surface
            scan = Path(folder) / f"molar-{count}.ply"
            scan.write_bytes(as_ply(surface))
            output = Path(folder) / f"molar-{count}.mrk.json"
            with serving(scan, "-n", COUNT, "-o", output) as address:
                page = browser.new_page(viewport=SIZE)
                page.goto(address)
                page.wait_for_function(SHOWN, arg=COUNT, timeout=300_000)
                page.keyboard.press("2")
                landmark = [
                    clicked(page, number, 0, SHOWN, COUNT + number + 1) for number in range(CLICKS)
                ]
                first = saved(page)
                page.keyboard.press("6")
                curve = [clicked(page, number, 40, DRAWN, number + 1) for number in range(CLICKS)]
                again = saved(page)
                page.close()
            times = (np.median(landmark), np.median(curve[1:]), first, again)
            row = (f"{1e3 * each:>10.0f}" for each in times)
            print(f"{surface.vertex_count:>10,}", *row, flush=True)
        browser.close()


def clicked(page, number: int, down: int, shown: str, count: int) -> float:
    """Seconds from a click until the page shows a number of landmarks, or of points of a curve."""
    box = page.locator("#stage").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    began = time.perf_counter()
    page.mouse.click(middle[0] - 132 + 22 * number, middle[1] + down)
    page.wait_for_function(shown, arg=count)
    return time.perf_counter() - began


def saved(page) -> float:
    """Seconds until the page says that the landmarks are saved, for a person who looks before."""
    time.sleep(LOOK)
    began = time.perf_counter()
    page.keyboard.press("Control+s")
    page.locator("#message", has_text="Saved").wait_for()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
