"""Claim: in the browser an edit feels immediate.

The time from a click that adds a landmark until the page shows it: median over clicks, in Chromium
without a window and without a GPU. Needs playwright and a Chromium.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright
from viewers import serving

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser import FLAGS, SIZE, executable

from gplandmark import make_molar
from gplandmark.io.scans import as_ply

SIZES = (5_000, 20_000, 100_000)
COUNT = 40
CLICKS = 12
SHOWN = "count => document.querySelectorAll('#landmarks tbody tr').length == count"


def main() -> None:
    print(f"{'vertices':>10} {'ms':>8}   after a click, {COUNT} landmarks there")
    with sync_playwright() as library, tempfile.TemporaryDirectory() as folder:
        browser = library.chromium.launch(executable_path=executable(), args=list(FLAGS))
        for count in SIZES:
            surface = make_molar(1, vertex_count=count).surface
            scan = Path(folder) / f"molar-{count}.ply"
            scan.write_bytes(as_ply(surface))
            with serving(scan, "-n", COUNT) as address:
                page = browser.new_page(viewport=SIZE)
                page.goto(address)
                page.wait_for_function(SHOWN, arg=COUNT, timeout=300_000)
                page.keyboard.press("2")
                found = [clicked(page, number) for number in range(CLICKS)]
                page.close()
            print(f"{surface.vertex_count:>10,} {1e3 * np.median(found):>8.0f}", flush=True)
        browser.close()


def clicked(page, number: int) -> float:
    """Seconds until a landmark is in the list."""
    box = page.locator("#stage").bounding_box()
    began = time.perf_counter()
    page.mouse.click(box["x"] + box["width"] / 2 - 30 + 5 * number, box["y"] + box["height"] / 2)
    page.wait_for_function(SHOWN, arg=COUNT + number + 1)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
