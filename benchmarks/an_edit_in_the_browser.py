"""Claim: in the browser an edit feels immediate.

The time from a click that adds a landmark, until the browser has received the specimen's new
colours, and how many bytes came: median over clicks, in Chromium without a window. viser takes
colours only with a mesh as a whole, so that the mesh comes each time. Drawing comes on top, which
without a GPU says nothing about yours. Needs playwright and a Chromium.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser import FLAGS, SIZE, executable

from gplandmark import make_molar
from gplandmark.io.scans import as_ply

SIZES = (5_000, 20_000, 100_000)
COUNT = 40
CLICKS = 12


def main() -> None:
    print(
        f"{'vertices':>10} {'colours':>10} {'all':>10} {'kB':>8}   ms after a click, {COUNT} there"
    )
    with sync_playwright() as library, tempfile.TemporaryDirectory() as folder:
        browser = library.chromium.launch(executable_path=executable(), args=list(FLAGS))
        for count in SIZES:
            surface = make_molar(1, vertex_count=count).surface
            scan = Path(folder) / f"molar-{count}.ply"
            scan.write_bytes(as_ply(surface))
            colours, everything, size = measure(browser, scan)
            print(
                f"{surface.vertex_count:>10,} {1e3 * colours:>10.0f} {1e3 * everything:>10.0f} "
                f"{size / 1e3:>8.0f}",
                flush=True,
            )
        browser.close()


def measure(browser, scan: Path) -> tuple[float, float, float]:
    command = [sys.executable, "-m", "gplandmark", "view", scan.name, "--no-browser"]
    process = subprocess.Popen(
        [*command, "-n", str(COUNT)], cwd=scan.parent, stdout=subprocess.PIPE, text=True
    )
    try:
        address = process.stdout.readline().split()[1]
        page = browser.new_page(viewport=SIZE)
        came: list[tuple[float, int]] = []

        def listen(socket) -> None:
            socket.on("framereceived", lambda data: came.append((time.perf_counter(), len(data))))

        page.on("websocket", listen)
        page.goto(address)
        page.get_by_role("button", name="Add").click(timeout=120_000)
        page.get_by_text("Add.", exact=True).wait_for()
        page.wait_for_timeout(5_000)
        found = [clicked(page, came, number) for number in range(CLICKS)]
        page.close()
    finally:
        process.terminate()
        process.communicate()
    first, last, size = np.median(found, axis=0)
    return first, last, size


def clicked(page, came: list[tuple[float, int]], number: int) -> tuple[float, float, int]:
    """Seconds until the largest message came, and until the list was new; its size."""
    came.clear()
    began = time.perf_counter()
    page.mouse.click(150 + 12 * number, 230 + 9 * number)
    page.wait_for_function(
        "count => document.querySelectorAll('table.landmarks tr').length == count + 1",
        arg=COUNT + number + 1,
    )
    listed = time.perf_counter() - began
    page.wait_for_timeout(700)
    at, size = max(came, key=lambda each: each[1])
    return at - began, listed, size


if __name__ == "__main__":
    main()
