"""Claim: `gplandmark view` shows 5,000 to a million vertices in the browser within seconds.

The time from the command to the first picture of the specimen, and to the first with landmarks and
variance, in Chromium without a window and without a GPU. Needs playwright and a Chromium.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright
from specimens import subdivided

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser import FLAGS, SIZE, executable, picture, scene_of

from gplandmark import make_molar
from gplandmark.io.scans import as_ply

SIZES = {5_000: (5_000, 0), 100_000: (6_300, 2), 1_000_000: (16_000, 3)}  # a molar, subdivided


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
    command = [sys.executable, "-m", "gplandmark", "view", str(scan), "--no-browser"]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().split()[1]
        page = browser.new_page(viewport=SIZE)
        page.goto(address)
        wait(page, lambda seen: (seen.min(axis=2) < 225).mean() > 0.2)
        specimen = time.perf_counter() - began
        wait(page, lambda seen: (seen[..., 2] - seen[..., 0] > 20).mean() > 0.1)  # bluish: variance
        landmarks = time.perf_counter() - began
        page.close()
    finally:
        process.terminate()
        process.communicate()
    return specimen, landmarks


def wait(page, holds) -> None:
    while not holds(np.asarray(scene_of(picture(page)))):
        page.wait_for_timeout(50)


if __name__ == "__main__":
    main()
