"""What the viewer shows, and to whom: display meshes, colours, steps, server, the shared page."""

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import SMALL
from hypothesis import given, settings
from hypothesis import strategies as st

import gplandmark
from gplandmark import (
    LandmarkFileError,
    Landmarks,
    SettingsError,
    Surface,
    ViewerError,
    covariance,
    place,
)
from gplandmark.cli.main import cli
from gplandmark.io.scans import as_ply
from gplandmark.landmarks.variance_curve import condition_on
from gplandmark.mesh.synthetic import sphere
from gplandmark.visual.pictures import ColourScale
from gplandmark.visual.viewer import (
    DisplayedSpecimen,
    access,
    display_mesh,
    how_to_open,
    shared_html,
    start_server,
    steps_of,
)
from gplandmark.visual.viewer.framing import scene_pose
from gplandmark.visual.viewer.glb import encode_mesh
from gplandmark.visual.viewer.screen_colours import (
    LIGHT,
    after_tone_mapping,
    bar_colours,
    before_tone_mapping,
    colour_bar,
    linear,
    row_of_colours,
    screen,
    shown_colours,
)

pytest.importorskip("viser")


@pytest.fixture(scope="module")
def specimen(molar):
    mesh = display_mesh(molar)
    landmarks = place(molar, 12, settings=SMALL)
    steps = steps_of(molar, covariance(molar, SMALL), landmarks, mesh.vertices, "ours")
    return DisplayedSpecimen(molar, molar.name, mesh, steps)


# The mesh that is drawn


def test_a_small_surface_is_drawn_as_it_is(any_surface):
    mesh = display_mesh(any_surface)
    assert mesh.is_whole
    np.testing.assert_array_equal(mesh.vertices[mesh.triangles], any_surface.triangles)


@pytest.mark.parametrize("most", [1_000, 3_000])
def test_a_large_one_is_drawn_with_some_of_its_vertices(most):
    surface = sphere(5).surface
    mesh = display_mesh(surface, most)
    assert 0.6 * most < len(mesh.vertices) <= most
    assert len(np.unique(mesh.vertices)) == len(mesh.vertices)
    corners = surface.points[mesh.vertices][mesh.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    outwards = np.einsum("ij,ij->i", normals, corners.mean(axis=1)) > 0
    assert outwards.mean() > 0.98  # the side of a triangle is kept
    area = np.linalg.norm(normals, axis=1).sum() / 2
    assert area == pytest.approx(4 * np.pi, rel=0.05)
    assert len(np.unique(np.sort(mesh.triangles, axis=1), axis=0)) > 0.95 * len(mesh.triangles)


def test_vertices_without_triangles_are_not_drawn():
    ball = sphere(2).surface
    loose = Surface(np.vstack([np.full((1, 3), 9.0), ball.points]), ball.triangles + 1)
    mesh = display_mesh(loose)
    assert 0 not in mesh.vertices
    np.testing.assert_array_equal(mesh.vertices[mesh.triangles], loose.triangles)


def test_a_cloud_is_thinned(random):
    cloud = Surface(random.normal(size=(5_000, 3)))
    assert display_mesh(cloud).triangles is None
    assert len(display_mesh(cloud, 1_000).vertices) <= 1_000


def test_clumps_of_points_end_the_search_for_a_grid(random):
    clumps = Surface(np.repeat(random.normal(size=(5, 3)), 1_000, axis=0))
    assert len(display_mesh(clumps, 1_000).vertices) == 5


def test_what_cannot_be_drawn_is_refused(random, molar):
    with pytest.raises(SettingsError, match="at least 1,000"):
        display_mesh(molar, 10)
    with pytest.raises(SettingsError, match="4 dimensions"):
        display_mesh(Surface(random.normal(size=(9, 4))))


# Where it stands


def test_a_pose_leads_there_and_back(any_surface, random):
    pose = scene_pose(any_surface)
    seen = pose.in_scene(any_surface.points)
    np.testing.assert_allclose(pose.in_file(seen), any_surface.points, atol=1e-9)
    np.testing.assert_allclose(np.abs(seen).max(), 1)
    assert np.linalg.det(pose.axes) == pytest.approx(1)  # never mirrored
    distances = np.linalg.norm(seen[1:] - seen[:-1], axis=1)
    truth = np.linalg.norm(np.diff(any_surface.points, axis=0), axis=1)
    np.testing.assert_allclose(distances * pose.size, truth)


# Colours


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0.05, 0.75), min_size=3, max_size=3), st.floats(0, 0.5))
def test_the_film_curve_is_undone(colour, greyed):
    colour = np.array([colour]) * (1 - greyed) + greyed * np.mean(colour)
    light = linear(colour)
    sent = before_tone_mapping(light)
    assert sent.min() >= 0
    assert sent.max() <= LIGHT
    apart = np.abs(screen(after_tone_mapping(sent)) - colour).max()
    assert apart < 0.02 or np.ptp(colour) > 0.3  # pure colours are out of its reach


@pytest.mark.parametrize("name", ["viridis", "RdBu_r"])
def test_colour_maps_come_out_as_meant(name):
    colours = bar_colours(ColourScale(0, 1, "", name))
    apart = 255 * np.abs(shown_colours(colours) - colours).max(axis=1)
    assert np.median(apart) < 1
    assert apart.max() < 45  # the pure yellow at the end of viridis is dimmed


def test_screens_and_light_are_inverse():
    colours = np.linspace(0, 1, 50)[:, None] * np.ones(3)
    np.testing.assert_allclose(screen(linear(colours)), colours, atol=1e-6)


def test_the_colour_bar_has_the_numbers_of_its_scale():
    text = colour_bar(ColourScale(0, 100, "variance <%>", power=0.5))
    assert "variance &lt;%&gt;" in text
    assert re.findall(r">([\d.]+)</span>", text) == ["0", "6.25", "25", "56.2", "100"]
    assert colour_bar(None) == ""


def glb_parts(content):
    """Header and buffer views of a GLB file, read by its specification."""
    assert content[:4] == b"glTF"
    assert int.from_bytes(content[8:12], "little") == len(content)
    length = int.from_bytes(content[12:16], "little")
    header = json.loads(content[20 : 20 + length])
    body = content[28 + length :]
    views = header["bufferViews"]
    return header, [body[v["byteOffset"] : v["byteOffset"] + v["byteLength"]] for v in views]


@pytest.mark.parametrize("is_compact", [False, True])
def test_the_bytes_of_a_mesh_hold_points_triangles_and_values(molar, is_compact):
    encoded = encode_mesh(molar.points, molar.triangles, is_compact=is_compact)
    values = np.linspace(0, 1, molar.vertex_count)
    header, (points, corners, places, colours) = glb_parts(encoded.painted(values, b"colours"))
    assert colours == b"colours"
    kind, width, rounding = (np.uint16, 4, 2 / 65535) if is_compact else (np.float32, 3, 1e-6)
    node = header["nodes"][0]
    stored = np.frombuffer(points, kind).reshape(-1, width)[:, :3] * node["scale"][0]
    size = np.ptp(molar.points, axis=0).max()
    np.testing.assert_allclose(stored + node["translation"], molar.points, atol=size * rounding)
    np.testing.assert_array_equal(np.frombuffer(corners, np.uint16), molar.triangles.ravel())
    shares = np.frombuffer(places, np.uint8 if is_compact else np.uint16)
    levels = 255 if is_compact else 65535
    np.testing.assert_allclose(shares[:: 4 if is_compact else 2] / levels, values, atol=1 / levels)


def test_a_mesh_for_the_browser_is_one_for_other_programs(tmp_path, molar):
    path = tmp_path / "mesh.glb"
    colours = row_of_colours(bar_colours(None))
    values = np.zeros(molar.vertex_count)
    path.write_bytes(encode_mesh(molar.points, molar.triangles).painted(values, colours))
    read = gplandmark.read(path, gplandmark.io.scans.rules.rules_called("none", None))
    np.testing.assert_allclose(read.points, molar.points, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(read.triangles, molar.triangles)


# Steps


def test_steps_leave_the_variance_of_the_process(molar, specimen):
    kernel = covariance(molar, SMALL)
    vertices = place(molar, 12, settings=SMALL).vertices
    for count in (0, 1, 7, 12):
        truth = condition_on(molar, kernel, vertices[:count])
        np.testing.assert_allclose(specimen.steps.variance(count), truth.variance, atol=1e-5)
        assert specimen.steps.largest[count] == pytest.approx(truth.largest[-1], abs=1e-5)


def test_on_part_of_the_vertices_steps_are_the_same(molar, specimen, random):
    drawn = np.sort(random.choice(molar.vertex_count, 300, replace=False))
    landmarks = place(molar, 12, settings=SMALL)
    part = steps_of(molar, covariance(molar, SMALL), landmarks, drawn, "part")
    for count in (0, 5, 12):
        whole = specimen.steps.variance(count)[drawn]
        np.testing.assert_allclose(part.variance(count), whole, atol=1e-5)


def test_a_landmark_twice_changes_nothing(molar):
    once = place(molar, 5, settings=SMALL)
    twice = Landmarks.at(np.vstack([once.points, once.points[:1]]), "twice")
    drawn = np.arange(molar.vertex_count)
    steps = steps_of(molar, covariance(molar, SMALL), twice, drawn, "twice")
    np.testing.assert_array_equal(steps.variance(5), steps.variance(6))


def test_landmarks_of_another_specimen_are_refused(molar):
    far = Landmarks.at(molar.points[:3] + 100, "far")
    with pytest.raises(LandmarkFileError, match="another specimen"):
        steps_of(molar, covariance(molar, SMALL), far, np.arange(9), "far")


def test_the_bar_keeps_its_colours_when_its_range_changes():
    wide, narrow = ColourScale(0, 100, "a", power=0.5), ColourScale(0, 2.5, "a", power=0.5)
    np.testing.assert_allclose(bar_colours(wide), bar_colours(narrow), atol=0.01)


# The server


def answer(served, path, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
    try:
        connection.putrequest("GET", path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_the_page_needs_the_token_and_our_name(served):
    ours = f"/{served.token}/"
    assert answer(served, ours)[0] == 200
    assert answer(served, f"/{served.token}")[0] == 200
    assert answer(served, ours, Host="localhost:1234")[0] == 200  # as through ssh -L
    for path in ("/", "/index.html", "/wrong/", f"/{served.token[:-1]}/", f"/x/{served.token}/"):
        status, text = answer(served, path)
        assert status == 403
        assert served.token.encode() not in text
    for host in ("evil.example", f"evil.example:{served.port}", "127.0.0.1.evil.example", "[x"):
        assert answer(served, ours, Host=host)[0] == 403
    assert answer(served, ours, Origin="http://evil.example")[0] == 403
    assert answer(served, ours, Origin=f"http://127.0.0.1:{served.port + 1}")[0] == 403
    assert answer(served, f"{ours}../../pyproject.toml")[0] == 404


def test_the_websocket_needs_the_token_and_our_name(served):
    import viser
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    def opens(path, origin=None):
        address = f"ws://127.0.0.1:{served.port}{path}"
        protocol = f"viser-v{viser.__version__}"
        try:
            with connect(address, subprotocols=[protocol], origin=origin) as socket_:
                return len(socket_.recv(timeout=10)) > 0
        except InvalidStatus as error:
            return error.response.status_code != 403

    ours = f"/{served.token}"
    assert opens(ours)
    assert opens(ours, f"http://127.0.0.1:{served.port}")
    assert not opens("/")
    assert not opens("/wrong")
    assert not opens(ours, "http://evil.example")
    assert not opens(ours, f"http://127.0.0.1:{served.port + 1}")
    assert not opens(ours, f"http://localhost:{served.port}")


def test_it_listens_on_this_computer_only_and_prints_nothing(capfd):
    running = start_server()
    try:
        assert running.viser.get_host() == "127.0.0.1"
        assert running.address.startswith("http://127.0.0.1:")
        assert running.viser.request_share_url() is None
    finally:
        running.stop()
    with pytest.raises(OSError, match=r"."):
        socket.create_connection(("127.0.0.1", running.port), timeout=1).close()
    assert capfd.readouterr() == ("", "")


def test_the_tab_has_the_name_of_the_specimen():
    running = start_server(title="<B03> \\1 é")
    try:
        for path in ("", "?quick", "index.html"):
            status, page = answer(
                running, f"/{running.token}/{path}", **{"Accept-Encoding": "gzip"}
            )
            assert status == 200
            titles = re.findall("<title>.*?</title>", page.decode())
            assert titles == ["<title>&lt;B03&gt; \\1 é</title>"]
        assert answer(running, f"/{running.token}/nothing")[0] == 404
    finally:
        running.stop()


def test_every_server_has_its_own_token(served):
    another = start_server()
    try:
        assert another.token != served.token
        assert another.port != served.port
        assert answer(another, f"/{served.token}/")[0] == 403
    finally:
        another.stop()


def test_a_port_that_is_taken_or_none_is_said(served):
    with pytest.raises(ViewerError, match="in use by another program"):
        start_server(served.port)
    for port in (0, -1, 70_000):
        with pytest.raises(ViewerError, match="from 1 to 65,535"):
            start_server(port)


def test_a_missing_viser_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(ViewerError, match=r"gplandmark\[viewer\]"):
        start_server()


def test_without_a_window_the_address_is_said(served, monkeypatch):
    monkeypatch.setattr(access.sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not access.open_browser(served.address)
    text = how_to_open(served)
    assert served.address in text
    assert f"ssh -L {served.port}:127.0.0.1:{served.port}" in text


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A user with a window and an empty folder."""
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    return tmp_path


def test_a_browser_gets_a_page_that_only_its_owner_can_read(served, home, monkeypatch):
    opened = []
    monkeypatch.setattr(access.webbrowser, "open", lambda address: opened.append(address) or True)
    monkeypatch.setattr(access, "MINUTE", 0.5)
    assert access.open_browser(served.address)
    (page,) = home.iterdir()
    assert opened == [page.as_uri()]
    assert served.token not in opened[0]
    assert f'url={served.address}"' in page.read_text()
    if sys.platform != "win32":
        assert page.stat().st_mode & 0o777 == 0o600
    for _ in range(100):
        if not page.exists():
            return
        time.sleep(0.05)
    raise AssertionError("the page is still there")


OPENING = """
import sys
from gplandmark.visual.viewer.access import open_browser
assert open_browser("http://127.0.0.1:1/" + sys.stdin.read() + "/")
"""
BROWSER = """
import os, sys, time
from urllib.parse import urlsplit
with open(os.environ["SEEN"], "w") as file:
    file.write(repr(sys.argv) + open(urlsplit(sys.argv[1]).path).read())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="BROWSER is for POSIX")
def test_no_argument_of_the_browser_has_the_secret_and_the_page_goes_with_us(home, tmp_path):
    seen, folder = tmp_path / "seen", tmp_path / "home"
    folder.mkdir()
    (tmp_path / "browser.py").write_text(BROWSER)
    browser = f"{sys.executable} {tmp_path / 'browser.py'} %s"
    environment = {**os.environ, "HOME": str(folder), "SEEN": str(seen), "BROWSER": browser}
    command = [sys.executable, "-c", OPENING]
    subprocess.run(command, input="hidden", text=True, env=environment, check=True, timeout=60)
    arguments, _, page = seen.read_text().partition("<!DOCTYPE")
    assert "hidden" not in arguments
    assert "http://127.0.0.1:1/hidden/" in page
    assert list(folder.iterdir()) == []


def test_without_a_folder_of_ones_own_the_page_is_a_temporary_file(served, home, monkeypatch):
    monkeypatch.setenv("HOME", str(home / "none"))
    monkeypatch.setenv("USERPROFILE", str(home / "none"))
    opened = []
    monkeypatch.setattr(access.webbrowser, "open", lambda address: opened.append(address) or True)
    assert access.open_browser(served.address)
    page = Path(urlsplit(opened[0]).path)
    assert served.address in page.read_text()
    page.unlink()


@pytest.mark.parametrize(
    ("hosts", "origins", "ours"),
    [
        (["127.0.0.1:80"], [], True),
        (["localhost:8080"], ["http://localhost:8080"], True),
        (["localhost"], ["http://localhost"], True),
        (["127.0.0.1:80"], ["http://127.0.0.1:81"], False),
        (["127.0.0.1:80"], ["http://localhost:80"], False),
        (["127.0.0.1:80"], ["https://127.0.0.1:80"], False),
        (["127.0.0.1:80"], ["null"], False),
        (["127.0.0.1:80"], ["http://127.0.0.1:80", "http://evil.example"], False),
        (["evil.example"], ["http://evil.example"], False),
        (["127.0.0.1:80", "evil.example"], [], False),
        ([], [], False),
        (["[x"], [], False),
    ],
)
def test_only_our_own_page_is_an_origin(hosts, origins, ours):
    assert access.is_our_host(hosts, origins) is ours


# The shared page


def test_the_shared_page_is_complete_and_small(specimen):
    page = shared_html(replace(specimen, title="<tooth> & `co` ${x}"))
    assert len(page) < 1_500_000
    assert "&lt;tooth&gt; &amp; 'co' &#36;{x}" in page
    assert re.findall("<title>.*?</title>", page) == [
        "<title>&lt;tooth&gt; &amp; `co` ${x}</title>"
    ]
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=[\"']?https?:", page)


def test_what_cannot_be_shared_is_refused(specimen, random):
    with pytest.raises(SettingsError, match="no landmarks"):
        shared_html(replace(specimen, steps=None))
    cloud = Surface(random.normal(size=(50, 3)))
    with pytest.raises(SettingsError, match="point cloud"):
        shared_html(replace(specimen, surface=cloud, mesh=display_mesh(cloud)))


def test_show_is_for_notebooks(monkeypatch, molar):
    landmarks = place(molar, 3, settings=SMALL)
    monkeypatch.setitem(sys.modules, "IPython.display", None)
    with pytest.raises(ViewerError, match="notebooks"):
        gplandmark.show(molar, landmarks)

    class Display:
        HTML = str

    monkeypatch.setitem(sys.modules, "IPython.display", Display)
    frame = gplandmark.show(molar, landmarks, settings=SMALL, height=123)
    assert frame.startswith('<div><iframe srcdoc="')
    assert 'height="123"' in frame
    assert frame.count("<iframe") == 1


# The commands


EVENLY = ("--weight", "uniform")  # this small mesh is too coarse for the default curvature


@pytest.fixture(scope="module")
def files(tmp_path_factory, molar):
    folder = tmp_path_factory.mktemp("viewer")
    (folder / "tooth.ply").write_bytes(as_ply(molar))
    gplandmark.write(place(molar, 6, settings=SMALL), folder / "tooth.csv")
    return folder


def run(*arguments):
    return CliRunner().invoke(cli, [*map(str, arguments), *EVENLY])


def test_share_writes_a_page_and_never_over_another(files, tmp_path):
    page = tmp_path / "tooth.html"
    result = run("share", files / "tooth.ply", files / "tooth.csv", "-o", page)
    assert result.exit_code == 0, result.exception
    assert "6 landmarks, 700 of 700 vertices" in result.output
    again = run("share", files / "tooth.ply", files / "tooth.csv", "-o", page)
    assert "--overwrite" in str(again.exception)
    assert (
        run("share", files / "tooth.ply", files / "tooth.csv", "-o", page, "--force").exit_code == 0
    )
    wrong = run("share", files / "tooth.ply", files / "tooth.csv", "-o", tmp_path / "tooth.pdf")
    assert ".html" in str(wrong.exception)
