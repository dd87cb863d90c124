"""The start page: folders that are looked into and opened, and commands that run."""

import json
import time
import urllib.error
import urllib.request

import pytest
from conftest import PATIENCE
from result_folders import write_results, write_scans

from gplandmark.errors import SettingsError
from gplandmark.runs.viewing.collection_view import ViewOptions
from gplandmark.runs.viewing.commands import RunningCommand, arguments_of
from gplandmark.runs.viewing.recent import MOST, look_into, read_recent, remember

pytest.importorskip("starlette")


def test_recent_folders_are_remembered_the_latest_first(tmp_path):
    path = tmp_path / "config" / "recent.json"
    assert read_recent(path) == []
    folders = [tmp_path / str(number) for number in range(MOST + 2)]
    for folder in folders:
        folder.mkdir()
        remember(path, folder)
    remember(path, folders[-2])
    assert read_recent(path)[:2] == [str(folders[-2]), str(folders[-1])]
    assert len(read_recent(path)) == MOST
    folders[-2].rmdir()
    assert read_recent(path)[0] == str(folders[-1])
    path.write_text("{")
    assert read_recent(path) == []


def test_a_list_that_cannot_be_written_stops_nobody(tmp_path):
    (tmp_path / "file").write_text("")
    remember(tmp_path / "file" / "recent.json", tmp_path)


def test_looking_into_a_folder_counts_scans_and_names_results(tmp_path):
    scans = write_scans(tmp_path / "scans", 2)
    results = write_results(tmp_path / "matched", scans, 2)
    (tmp_path / ".hidden").mkdir()
    assert look_into(tmp_path)["inside"] == ["matched", "scans"]
    assert look_into(scans)["scans"] == 3
    assert look_into(results)["command"] == "match"
    with pytest.raises(SettingsError, match="cannot be read"):
        look_into(tmp_path / "what")


def test_a_form_becomes_the_words_of_a_command(tmp_path):
    asked = {"command": "match", "scans": str(tmp_path), "output": "out", "count": "12"}
    assert arguments_of(asked) == ["match", str(tmp_path), "-n", "12", "-o", "out"]
    assert arguments_of({"command": "demo", "output": "a"}) == ["demo", "-o", "a"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"command": "rm", "output": "a"}, "does not run"),
        ({"command": "match", "output": "a"}, "scans"),
        ({"command": "match", "scans": "/no/such/folder", "output": "a"}, "no /no/such"),
        ({"command": "demo", "output": " "}, "folder for the results"),
    ],
)
def test_an_incomplete_form_is_refused(asked, message):
    with pytest.raises(SettingsError, match=message):
        arguments_of(asked)


def test_a_command_runs_and_says_how_it_ended(tmp_path):
    running = RunningCommand(["batch", "what", "-o", "out"], tmp_path)
    end = time.monotonic() + 120
    while running.content()["code"] is None and time.monotonic() < end:
        time.sleep(0.1)
    content = running.content()
    assert content["code"] == 1
    assert content["command"] == "gplandmark batch what -o out"
    assert "no such file or folder" in content["lines"][-1]
    assert not content["report"]


def test_a_command_can_be_stopped(tmp_path):
    scans = write_scans(tmp_path / "scans", 3)
    running = RunningCommand(["batch", str(scans), "-o", "out"], tmp_path)
    running.stop()
    end = time.monotonic() + 120
    while running.content()["code"] is None and time.monotonic() < end:
        time.sleep(0.1)
    assert running.content()["code"] not in (0, None)


@pytest.fixture
def start(tmp_path):
    from gplandmark.runs.viewing.start_page import StartPage
    from gplandmark.visual.viewer.web_server import start_web_server

    page = StartPage(tmp_path, tmp_path / "recent.json", ViewOptions(), {"batch", "demo", "match"})
    server = start_web_server(page)
    yield server
    server.stop()
    page.close()


def fetch(url, content=None):
    data = None if content is None else json.dumps(content).encode()
    headers = {"Content-Type": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=60) as got:
            return got.status, got.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def test_a_folder_is_opened_once_and_has_a_path_of_its_own(start, tmp_path):
    write_scans(tmp_path / "scans", 2)
    assert b"Open a folder" in fetch(start.address)[1]
    for _ in range(2):
        status, body = fetch(f"{start.address}api/open", {"folder": "scans"})
        assert (status, json.loads(body)) == (200, {"address": "open/0/"})
    assert b'id="overlay"' in fetch(f"{start.address}open/0/")[1]
    listing = json.loads(fetch(f"{start.address}open/0/api/collection")[1])
    assert listing["start"]
    assert len(listing["specimens"]) == 2
    assert fetch(f"{start.address}open/7/api/collection")[0] == 404
    assert json.loads(fetch(f"{start.address}api/start")[1])["recent"] == [str(tmp_path / "scans")]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("open", {"folder": "what"}, "no such folder"),
        ("run", {"command": "predict", "output": "a"}, "scans"),
        ("stop", {"number": 5}, "no such command"),
        ("command?number=x", None, "no such command"),
        ("folder?path=what", None, "cannot be read"),
    ],
)
def test_refusals_are_sentences(start, name, content, message):
    status, body = fetch(f"{start.address}api/{name}", content)
    assert status == 400
    assert message in json.loads(body)["error"]


@pytest.mark.slow
def test_folders_with_nothing_to_show_are_refused_in_words_with_the_keyboard(
    start, tmp_path, open_page
):
    (tmp_path / "empty").mkdir()
    (tmp_path / "only").mkdir()
    (tmp_path / "only" / "tooth.csv").write_text("name,x,y,z\na,1,2,3\n")
    page = open_page(start.address)
    page.set_default_timeout(2 * PATIENCE)
    page.get_by_role("button", name="only").wait_for()
    for name in ("empty", "only", "what"):
        page.locator("#path").focus()
        page.locator("#path").fill(str(tmp_path / name))
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")  # to "Open it"
        page.keyboard.press("Enter")
        expected = "no such folder" if name == "what" else "no scan"
        page.locator("#message.refused", has_text=expected).wait_for()
        page.locator("#path").fill("")
        assert page.url == start.address


@pytest.mark.slow
def test_a_person_places_landmarks_without_a_command_line(start, tmp_path, open_page):
    write_scans(tmp_path / "scans", 2)
    page = open_page(start.address)
    page.set_default_timeout(2 * PATIENCE)
    page.get_by_role("button", name="scans").click()
    page.locator("#found", has_text="2 scans").wait_for()
    page.locator("summary", has_text="Place landmarks").click()
    form = page.locator("details[data-command=batch]")
    filled = "path => document.querySelector('[data-command=batch] [name=scans]').value == path"
    page.wait_for_function(filled, arg=str(tmp_path / "scans"))
    form.locator("[name=count]").fill("5")
    form.get_by_role("button", name="Place landmarks").click()
    page.locator("#ended", has_text="Done").wait_for()
    assert page.locator("#command").inner_text() == (
        f"gplandmark batch {tmp_path / 'scans'} -n 5 -o placed"
    )
    with page.expect_popup() as popup:
        page.locator("#report").click()
    report = popup.value
    report.set_default_timeout(2 * PATIENCE)
    report.get_by_role("link", name="Open it in the viewer").nth(1).click()
    report.wait_for_selector("body[data-shown='tooth1']")
    report.close()
    page.locator("#see").click()
    page.wait_for_selector("body[data-shown]")
    assert page.locator("#landmarks tbody tr").count() == 5
    page.locator("#to-start").click()
    page.locator("#recent", has_text="placed").wait_for()
