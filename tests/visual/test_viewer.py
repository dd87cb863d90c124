"""What the viewer shows, and to whom: display meshes, colours, steps, server, the shared page."""

import base64
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
from gplandmark.landmarks.curves import Curve
from gplandmark.landmarks.variance_curve import condition_on
from gplandmark.mesh.synthetic import sphere
from gplandmark.visual.viewer import (
    DisplayedSpecimen,
    access,
    display_mesh,
    how_to_open,
    shared_html,
    steps_of,
)
from gplandmark.visual.viewer.displayed_specimen import VARIANCE
from gplandmark.visual.viewer.framing import scene_pose
from gplandmark.visual.viewer.web_server import page_application, start_web_server

pytest.importorskip("uvicorn")


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


# Landmarks step by step


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


def started(port=None):
    return start_web_server(page_application([]), port)


def test_it_listens_on_this_computer_only_and_prints_nothing(capfd):
    running = started()
    assert running.address.startswith("http://127.0.0.1:")
    assert answer(running, f"/{running.token}/")[0] == 200
    running.stop()
    with pytest.raises(OSError, match=r"."):
        socket.create_connection(("127.0.0.1", running.port), timeout=1).close()
    assert capfd.readouterr() == ("", "")


def test_every_server_has_its_own_token(served):
    another = started()
    try:
        assert another.token != served.token
        assert another.port != served.port
        assert answer(another, f"/{served.token}/")[0] == 403
    finally:
        another.stop()


def test_a_port_that_is_taken_or_none_is_said(served):
    with pytest.raises(ViewerError, match="in use by another program"):
        started(served.port)
    for port in (0, -1, 70_000):
        with pytest.raises(ViewerError, match="from 1 to 65,535"):
            started(port)


def test_a_missing_server_library_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(ViewerError, match=r"gplandmark\[viewer\]"):
        started()


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


def embedded(page, name):
    """Bytes that a shared page holds."""
    (text,) = re.findall(f'<script type="text/plain" id="{name}">(.*?)</script>', page)
    return base64.b64decode(text)


def parts(content):
    """Heading and arrays of a message."""
    length = int.from_bytes(content[:4], "little")
    return json.loads(content[4 : 4 + length]), content[4 + length :]


def test_the_shared_page_is_complete_and_small(specimen):
    page = shared_html(replace(specimen, title="<tooth> & `co` ${x} $title"))
    assert len(page) < 200_000
    title = "&lt;tooth&gt; &amp; `co` ${x} $title"
    assert re.findall("<title>(.*?)</title>|<h2>(.*?)</h2>", page) == [(title, ""), ("", title)]
    assert not re.search(r"(src|href)=|https?:", page)
    modules = json.loads(re.search('<script type="importmap">(.*?)</script>', page)[1])["imports"]
    for text in modules.values():
        code = base64.b64decode(text.removeprefix("data:text/javascript;base64,")).decode()
        assert set(re.findall(r'^import .* from "(.*?)"', code, re.MULTILINE)) <= modules.keys()


def test_the_shared_page_has_the_surface_and_every_step(specimen):
    page = shared_html(specimen)
    heading, content = parts(embedded(page, "mesh"))
    count, pose = specimen.surface.vertex_count, scene_pose(specimen.surface)
    assert (heading["vertices"], heading["triangles"]) == (count, len(specimen.surface.faces()))
    points = np.frombuffer(content, "<f4", 3 * count).reshape(-1, 3)
    np.testing.assert_allclose(pose.in_file(points), specimen.surface.points, atol=1e-6 * pose.size)
    heading, content = parts(embedded(page, "steps"))
    assert heading["counts"] == list(range(13))
    assert [each["label"] for each in heading["marks"]] == list(specimen.steps.labels)
    marks = np.array([each["point"] for each in heading["marks"]])
    np.testing.assert_allclose(pose.in_file(marks), specimen.steps.points, atol=1e-9)
    colours = np.frombuffer(content, np.uint8, 4 * 256).reshape(256, 4)
    rows = np.frombuffer(content, np.uint8, 13 * count, 4 * 256).reshape(13, count)
    for step in (0, 5, 12):
        meant = VARIANCE.paint()(100 * specimen.steps.variance(step))
        assert np.abs(colours[rows[step], :3] / 255 - meant).max() < 0.02


def test_the_shared_page_has_curves_over_the_surface(molar):
    landmarks = replace(place(molar, 6, settings=SMALL), curves=(Curve("ridge", (0, 2, 4)),))
    mesh = display_mesh(molar)
    steps = steps_of(molar, covariance(molar, SMALL), landmarks, mesh.vertices, "ours")
    page = shared_html(DisplayedSpecimen(molar, "molar", mesh, steps))
    (curve,) = parts(embedded(page, "steps"))[0]["curves"]
    assert (curve["name"], curve["ids"], curve["closed"]) == ("ridge", [0, 2, 4], False)
    pose = scene_pose(molar)
    ends = [[path[0], path[-1]] for path in curve["paths"]]
    expected = landmarks.points[[[0, 2], [2, 4]]]
    found = pose.in_file(np.array(ends).reshape(-1, 3)).reshape(2, 2, 3)
    np.testing.assert_allclose(found, expected, atol=1e-4 * pose.size)


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
    found = gplandmark.read_landmarks(files / "tooth.csv")
    away = Landmarks.at(found.points * 1.03, "tooth")
    gplandmark.write(away, tmp_path / "away.csv")
    with pytest.warns(gplandmark.GplandmarkWarning, match="off the surface"):
        run("share", files / "tooth.ply", tmp_path / "away.csv", "-o", tmp_path / "away.html")
    wrong = run("share", files / "tooth.ply", files / "tooth.csv", "-o", tmp_path / "tooth.pdf")
    assert ".html" in str(wrong.exception)


@pytest.mark.parametrize("upwards", [1, 2])
def test_a_head_is_shown_upright_and_a_long_bone_level(upwards, random):
    ball = sphere(3).surface
    towards = 3 - upwards  # the shortest axis points to the viewer
    sizes = np.array([1.0, 1.0, 1.0])
    sizes[upwards], sizes[towards] = 1.2, 0.5
    head = Surface(ball.points * sizes, ball.faces(), "head")
    axes = scene_pose(head).axes
    assert axes[1, upwards] > 0.99
    assert abs(axes[2, towards]) > 0.99
    assert np.linalg.det(axes) > 0
    sizes[upwards] = 3.0
    bone = Surface(ball.points * sizes, ball.faces(), "bone")
    assert abs(scene_pose(bone).axes[0, upwards]) > 0.99
