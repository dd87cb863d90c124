"""Claim: `gplandmark view` shows 5,000 to a million vertices in the browser within seconds.

The time from the command to the first picture of the specimen, and until its landmarks are placed
and shown, in Chromium without a window and without a GPU. Needs playwright and a Chromium.
"""

import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright
from specimens import subdivided
from viewers import serving

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser import FLAGS, SIZE, executable

from gplandmark import make_molar
from gplandmark.io.scans import as_ply

SIZES = {5_000: (5_000, 0), 100_000: (6_300, 2), 1_000_000: (16_000, 3)}  # a molar, subdivided
LONG = 600_000  # ms


def main() -> None:
    print(f"{'vertices':>10} {'specimen':>10} {'landmarks':>10}   seconds from the command")
    with sync_playwright() as library, tempfile.TemporaryDirectory() as folder:
        browser = library.chromium.launch(executable_path=executable(), args=list(FLAGS))
        for count, times in SIZES.values():
            surface = subdivided(make_molar(1, vertex_count=count).surface, times)
            scan = Path(folder) / f"molar-{surface.vertex_count}.ply"
            scan.write_bytes(as_ply(surface))
            specimen, landmarks = seconds(browser, scan)
            print(f"{surface.vertex_count:>10,} {specimen:>10.1f} {landmarks:>10.1f}", flush=True)
        browser.close()


def seconds(browser, scan: Path) -> tuple[float, float]:
    began = time.perf_counter()
    with serving(scan) as address:
        page = browser.new_page(viewport=SIZE)
        page.goto(address)
        page.wait_for_selector("body[data-shown]", timeout=LONG)
        specimen = time.perf_counter() - began
        page.wait_for_selector("#landmarks tbody tr", timeout=LONG)
        landmarks = time.perf_counter() - began
        page.close()
    return specimen, landmarks


if __name__ == "__main__":
    main()
