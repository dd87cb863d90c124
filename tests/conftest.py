"""What the tests share: small surfaces, and the real specimens where they are at hand."""

import os
import signal
import sys
from pathlib import Path
from urllib.parse import urlsplit

if "PYTEST_XDIST_WORKER" in os.environ:  # before numpy: workers share the processors
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

import numpy as np
import pytest
from browser import FLAGS, SIZE, executable
from hypothesis import settings
from matched_molars import made_once, match_molars

from gplandmark import Settings, Surface, make_molar
from gplandmark.mesh.synthetic import sphere, torus
from gplandmark.numerics.memory import keep_freed_memory

SPECIMENS = Path(os.environ.get("GPLANDMARK_SPECIMENS", Path(__file__).parents[2] / "shared"))

# A busy machine takes its time; speed is measured in benchmarks.
settings.register_profile("gplandmark", deadline=None)
settings.load_profile("gplandmark")

keep_freed_memory()  # as the command does

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as children of nohup ignore Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)

PATIENCE = 120_000  # ms that a browser may take on a busy machine

# On the small meshes of these tests the default radius would be less than two edges.
SMALL = Settings(curvature_radius=0.15)


def specimen(name: str) -> Path:
    """Path of a real specimen; the test is skipped where there are none."""
    path = SPECIMENS / name
    if not path.exists():
        pytest.skip(f"the specimen {name} is not at hand")
    return path


def teeth() -> list[Path]:
    return sorted((SPECIMENS / "data" / "teeth").glob("*_sas.off"))


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture(scope="session")
def molar() -> Surface:
    return make_molar(1, vertex_count=700).surface


@pytest.fixture(scope="session", params=["sphere", "torus", "molar"])
def any_surface(request: pytest.FixtureRequest, molar: Surface) -> Surface:
    return {
        "sphere": sphere(2).surface,
        "torus": torus(24, 12).surface,
        "molar": molar,
    }[request.param]


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory) -> Path:
    """A temporary folder of all workers."""
    mine = tmp_path_factory.getbasetemp()
    return mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine


@pytest.fixture(scope="session", autouse=True)
def shared_bytecode(shared_folder):
    """Child processes do not compile every module again where Python is told to write nothing."""
    if sys.dont_write_bytecode:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(shared_folder / "bytecode")


@pytest.fixture(scope="session")
def matched_molars(shared_folder) -> Path:
    """The folder of `matched_molars.match_molars`, to be copied before it is changed."""
    return made_once(shared_folder / "matched-molars", match_molars)


@pytest.fixture
def empty_figures(request, monkeypatch):
    """`analyze` makes its figures, but their files stay empty: rendering them takes seconds.

    Tests marked `rendered` write whole files.
    """
    if request.node.get_closest_marker("rendered") is None:
        place = "gplandmark.runs.reports.analysis_folder.picture_bytes"
        monkeypatch.setattr(place, lambda _figure, _extension: b"")


@pytest.fixture(scope="module")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = executable()
    with playwright.sync_playwright() as library:
        browser = library.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium):
    """A function that opens an address in a new tab; at the end no tab has asked outside."""
    asked, contexts = [], []

    def opened(address):
        contexts.append(chromium.new_context(viewport=SIZE))
        page = contexts[-1].new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("websocket", lambda socket: asked.append(socket.url))
        page.goto(address, wait_until="domcontentloaded", timeout=PATIENCE)
        return page

    yield opened
    for context in contexts:
        context.close()
    for url in asked:
        scheme, host = urlsplit(url).scheme, urlsplit(url).hostname
        assert scheme in ("blob", "data", "file") or host == "127.0.0.1", url


@pytest.fixture
def serve():
    """A function from a folder to the server of a viewer of it."""
    pytest.importorskip("starlette")
    from gplandmark.runs.viewing.api import routes
    from gplandmark.runs.viewing.collection import open_collection
    from gplandmark.runs.viewing.collection_view import CollectionView
    from gplandmark.visual.viewer.web_server import page_application, start_web_server

    running = []

    def started(folder):
        view = CollectionView(open_collection(folder))
        server = start_web_server(page_application(routes(view)))
        running.append((server, view))
        return server

    yield started
    for server, view in running:
        server.stop()
        view.close()


@pytest.fixture
def view(serve, open_page):
    """A function from a folder to its page, once a specimen is shown."""

    def opened(folder):
        page = open_page(serve(folder).address)
        page.set_default_timeout(PATIENCE)
        page.wait_for_selector("body[data-shown]")
        return page

    return opened


@pytest.fixture
def served():
    """A viewer's server: the page, without anything to see."""
    from gplandmark.visual.viewer.web_server import page_application, start_web_server

    running = start_web_server(page_application([]))
    yield running
    running.stop()
