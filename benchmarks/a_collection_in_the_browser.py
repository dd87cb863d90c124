"""Claim: in a collection the next specimen appears at once, and a list of 5,000 stays quick.

Molars of 60,000 vertices: from the command to the first picture, and from the key N to the picture
of the next one, as the page itself measures it. Then a folder of 5,000 scans: until its first
picture, until a search is answered, and how many rows exist. Chromium without a window and without
a GPU. Needs playwright and a Chromium.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright
from specimens import subdivided
from viewers import serving

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser import FLAGS, executable

from gplandmark import make_molar
from gplandmark.io.scans import as_ply

SPECIMENS = 6
MANY = 5_000
SIZE = {"width": 1400, "height": 850}
LONG = 600_000  # ms
ALL_LOADED = "() => Promise.all([...window.gplandmark.app.store.entries.values()]).then(() => true)"

SEARCHED = """() => {
    const began = performance.now(), field = document.querySelector("#search");
    field.value = "49";
    field.dispatchEvent(new Event("input"));
    return performance.now() - began;
}"""


def main() -> None:
    with sync_playwright() as library, tempfile.TemporaryDirectory() as folder:
        browser = library.chromium.launch(executable_path=executable(), args=list(FLAGS))
        large, many = Path(folder) / "large", Path(folder) / "many"
        large.mkdir()
        many.mkdir()
        for number in range(SPECIMENS):
            surface = subdivided(make_molar(number + 1, vertex_count=15_000).surface, 1)
            (large / f"molar-{number}.ply").write_bytes(as_ply(surface))
        small = as_ply(make_molar(1, vertex_count=700).surface)
        for number in range(MANY):
            (many / f"molar-{number:04}.ply").write_bytes(small)
        print(f"{SPECIMENS} specimens of {surface.vertex_count:,} vertices")
        go_through(browser, large)
        print(f"{MANY:,} specimens")
        search(browser, many)
        browser.close()


def opened(browser, address: str):
    page = browser.new_page(viewport=SIZE)
    page.goto(address, wait_until="domcontentloaded", timeout=LONG)
    page.wait_for_selector("body[data-shown]", timeout=LONG)
    return page


def go_through(browser, folder: Path) -> None:
    began = time.perf_counter()
    with serving(folder) as address:
        page = opened(browser, address)
        print(f"  first picture   {time.perf_counter() - began:8.1f} s")
        found = []
        for number in range(1, SPECIMENS):
            page.wait_for_function(ALL_LOADED, timeout=LONG)
            page.keyboard.press("n")
            page.wait_for_selector(f"body[data-shown=molar-{number}]", timeout=LONG)
            found.append(float(page.locator("body").get_attribute("data-milliseconds")))
        print(f"  next specimen   {np.median(found):8.0f} ms, at most {max(found):.0f}")
        page.close()


def search(browser, folder: Path) -> None:
    began = time.perf_counter()
    with serving(folder) as address:
        page = opened(browser, address)
        print(f"  first picture   {time.perf_counter() - began:8.1f} s")
        print(f"  search          {page.evaluate(SEARCHED):8.1f} ms")
        print(f"  rows that exist {page.locator('.specimen').count():8}")
        page.close()


if __name__ == "__main__":
    main()
