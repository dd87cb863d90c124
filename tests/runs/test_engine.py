"""Jobs on workers: whatever one does, the others go on."""

import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import jobs
import psutil
import pytest

from gplandmark.errors import ClusterError, SettingsError
from gplandmark.runs.engine import (
    Job,
    Machines,
    StopRequest,
    child_processes,
    dask_workers,
    job_loop,
    run,
    start_workers,
    stopped_by_signals,
)
from gplandmark.runs.engine.child_processes import Child
from gplandmark.runs.engine.dask_workers import DaskWorkers
from gplandmark.runs.engine.job_loop import Attempt, Pace
from gplandmark.runs.engine.local_workers import LocalWorkers
from gplandmark.runs.engine.workers import _mentions_address

MEMORY = 600_000_000


@pytest.fixture(scope="module")
def scheduler():
    """The address of a Dask scheduler with one worker that runs two jobs side by side."""
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 1, "threads_per_worker": 2, "processes": False, "memory_limit": 0}
    pages = dict.fromkeys(["dashboard_address", "worker_dashboard_address"], "127.0.0.1:0")
    with (
        sys.modules["dask"].config.set(dask_workers.MESSAGES),
        distributed.LocalCluster(**options, **pages, silence_logs=logging.ERROR) as cluster,
    ):
        yield cluster.scheduler_address


@pytest.fixture(scope="module", params=["local", "Dask"])
def workers(request):
    address = request.getfixturevalue("scheduler") if request.param == "Dask" else None
    with start_workers(Machines(2 if address is None else None, address, memory=MEMORY)) as found:
        yield found


def outcomes(workers, arguments, function=jobs.behave, **options):
    found = run([Job(i, each) for i, each in enumerate(arguments)], function, workers, **options)
    return {arguments[outcome.key]: outcome for outcome in found}


@pytest.mark.slow
def test_every_way_to_end_becomes_an_outcome_and_the_rest_goes_on(workers):
    arguments = [*range(8), "refuse", "fail", "hang", "die", "eat", "print", "unpicklable"]
    found = outcomes(workers, arguments, timeout=8)
    assert set(found) == set(arguments)
    for argument in (*range(8), "print"):
        assert found[argument].is_done
        assert found[argument].value == argument
    kinds = {key: each.kind for key, each in found.items() if each.kind}
    assert kinds == {
        "refuse": "refused", "fail": "error", "hang": "timeout", "die": "crashed",
        "eat": "memory", "unpicklable": "error",
    }  # fmt: skip
    assert found["refuse"].reason == "This scan is refused."
    assert "SIGKILL" in found["die"].reason
    assert "0.6 GB" in found["eat"].reason
    tried = {key: each.attempts for key, each in found.items() if each.attempts > 1}
    assert tried == {"die": 3}  # what a second attempt cannot help has none


@pytest.mark.slow
def test_what_was_sent_is_not_kept(workers, tmp_path):
    """Jobs of large samples carry hundreds of megabytes, one after the other."""
    task = jobs.Reading(tmp_path / "scan")
    task.path.write_bytes(bytes(4_000_000))
    process = psutil.Process()
    before = process.memory_info().rss
    for _ in range(12):  # 480 MB in all, of which few are under way at a time
        tasks = [Job(number, task) for number in range(10)]
        assert all(each.value == 4_000_000 for each in run(tasks, jobs.size, workers, send=True))
    assert process.memory_info().rss - before < 200e6


def test_the_exit_code_of_a_child_is_told():
    child = Child()
    kind, reason, _, _ = child.ask(pickle.dumps(jobs.behave), pickle.dumps("exit"), None, None)
    assert kind == "crashed"
    assert "exit code 7" in reason
    assert not child.is_alive


def test_a_job_that_died_once_has_its_value(workers, tmp_path):
    (found,) = run([Job("a", str(tmp_path / "mark"))], jobs.die_once, workers)
    assert (found.value, found.attempts) == ("lived", 2)


@pytest.mark.parametrize(("share", "patience", "most"), [(0.3, 60, 2), (0.6, 0.2, 1), (9, 0.2, 1)])
def test_memory_decides_how_many_run_side_by_side(workers, tmp_path, share, patience, most):
    asked = [Job(i, (str(tmp_path), patience), int(share * MEMORY)) for i in range(4)]
    assert max(each.value for each in run(asked, jobs.overlap, workers)) == most


def test_each_job_has_one_thread(workers):
    assert [each.value for each in run([Job(0, None)], jobs.threads, workers)] == [1]


def test_notes_come_back_with_the_value(workers):
    assert outcomes(workers, ["warn"])["warn"].notes == ("a note",)


def test_a_run_that_is_stopped_leaves_hanging_jobs_behind(workers):
    stop = StopRequest()
    began = time.monotonic()
    seen = []
    for outcome in run([Job(i, i or "hang") for i in range(4)], jobs.behave, workers, stop=stop):
        seen.append(outcome.key)
        stop.ask()
    assert 0 not in seen
    assert time.monotonic() - began < 60


def test_a_run_may_be_given_up_after_its_workers_has_gone():
    with start_workers(Machines(workers=1)) as workers:
        found = run([Job(i, i) for i in range(6)], jobs.behave, workers)
        next(found)
    found.close()


def test_no_child_outlives_its_workers():
    others = {each.pid for each in psutil.Process().children()}
    with start_workers(Machines(workers=1)) as workers:
        assert [each.value for each in run([Job(0, 5)], jobs.behave, workers)] == [5]
        mine = {each.pid for each in psutil.Process().children() if _is_child(each)} - others
        assert mine
    assert not mine & {each.pid for each in psutil.Process().children()}


def _is_child(process):
    return "gplandmark.runs.engine.child" in " ".join(process.cmdline())


@pytest.mark.skipif(sys.platform == "win32", reason="the signal is of POSIX")
def test_a_child_ends_when_its_parent_is_killed_even_at_work():
    code = (
        "import pickle, threading, time, jobs\n"
        "from gplandmark.runs.engine.child_processes import Child\n"
        "child = Child()\n"
        "ask = (pickle.dumps(jobs.behave), pickle.dumps('hang'), None, None)\n"
        "threading.Thread(target=child.ask, args=ask, daemon=True).start()\n"
        "time.sleep(1)\n"
        "print(child.process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    known = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # the tests' folder too
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=known)
    with parent:
        child = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    gone, _ = psutil.wait_procs([child], timeout=30)
    assert gone


def test_the_same_outcomes_without_workers():
    found = {
        each.key: each
        for each in run([Job(i, i) for i in (1, "refuse", "warn")], jobs.behave, None)
    }
    assert found[1].value == 1
    assert found["refuse"].kind == "refused"
    assert found["warn"].notes == ("a note",)


def test_small_jobs_are_grouped_and_unknown_ones_are_not(workers):
    pace = Pace()
    small, large = Job(0, 0, 1000), Job(0, 0, 10**9)
    assert pace.group_size(small) == 1
    pace.learn(small, 0.01)
    pace.learn(large, 30.0)
    assert pace.group_size(small) == 50
    assert pace.group_size(large) == 1


def test_no_result_is_lost_or_doubled_in_groups(workers):
    found = [each.value for each in run([Job(i, i) for i in range(300)], jobs.behave, workers)]
    assert sorted(found) == list(range(300))


def test_a_function_of_a_script_travels_to_the_workers(workers):
    factor = 3
    found = run([Job(0, 14)], lambda number: factor * number, workers)
    assert [each.value for each in found] == [42]


def test_files_travel_under_their_names_and_only_if_asked(workers, tmp_path):
    task = jobs.Reading(tmp_path / "scan.ply")
    task.path.write_bytes(b"12345")
    for send in (False, True):
        [found] = run([Job(0, task)], jobs.where, workers, send=send)
        folder, name = found.value
        assert name == "scan.ply"
        assert (folder == str(tmp_path)) is not send
        assert Path(folder).exists() is not send  # a worker leaves nothing behind


def test_errors_name_files_where_they_lie_and_missing_ones_are_not_sent(workers, tmp_path):
    there, gone = jobs.Reading(tmp_path / "there"), jobs.Reading(tmp_path / "gone")
    there.path.touch()
    found = run([Job(0, there), Job(1, gone)], jobs.refuse_file, workers, send=True)
    reasons = {each.key: each.reason for each in found}
    assert reasons == {number: f"{tmp_path / name}: This scan is refused."
                       for number, name in enumerate(["there", "gone"])}  # fmt: skip


def test_a_worker_that_keeps_dying_loses_its_job_only(workers, monkeypatch):
    submit = workers.submit

    def submitted(function, arguments, timeout, memory):
        if b"doomed" not in b"".join(arguments):
            return submit(function, arguments, timeout, memory)
        group = Future()
        group.set_exception(RuntimeError("doomed"))
        return group

    monkeypatch.setattr(workers, "submit", submitted)
    monkeypatch.setattr(workers, "explain", lambda error: ("lost", str(error)))
    found = outcomes(workers, [1, "doomed", 2])
    assert found["doomed"].kind == "lost"
    assert found["doomed"].attempts == job_loop.ATTEMPTS
    assert found[1].value == 1


def test_the_death_of_a_dask_worker_is_told_from_other_errors():
    distributed = pytest.importorskip("distributed")

    class Client:
        status = "running"

    workers = DaskWorkers(Client())
    assert workers.explain(distributed.KilledWorker("task", None, 3))[0] == "lost"
    assert workers.explain(ImportError("no module"))[0] == "error"
    Client.status = "closed"
    Client.scheduler = SimpleNamespace(address="tcp://a:1")
    with pytest.raises(ClusterError, match="has gone"):
        workers.check_alive()


def test_no_worker_is_asked_for_the_capacity():
    class Client:
        def scheduler_info(self, n_workers):
            assert n_workers == -1
            resources = [{}, {"memory": 5e9}, {"memory": 3e9}]
            workers = [{"nthreads": 2, "resources": each} for each in resources]
            return {"workers": dict(enumerate(workers))}

    assert DaskWorkers(Client()).capacity() == (6, 5_000_000_000)


def test_a_dask_worker_that_never_answers_is_told_and_not_waited_for(scheduler, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(dask_workers, "ANSWER", 0.3)
    monkeypatch.setattr(distributed.Client, "run", lambda *_, **__: time.sleep(5))
    with (
        pytest.raises(ClusterError, match="has not answered for"),
        start_workers(Machines(scheduler=scheduler)),
    ):
        pass


def test_what_goes_wrong_while_workers_are_asked_comes_back():
    assert dask_workers.answer_in_time(lambda: 7) == 7
    with pytest.raises(KeyError):
        dask_workers.answer_in_time(lambda: {}[1])


@pytest.fixture
def child():
    running = Child()
    yield running
    running.end()


stops = pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be stopped")
LARGE = pickle.dumps(b"x" * 5_000_000)  # more than fits into a pipe


@stops
@pytest.mark.parametrize("argument", [pickle.dumps("a"), LARGE], ids=["small", "large"])
def test_a_process_that_was_stopped_and_continued_answers(child, argument):
    assert child.ask(pickle.dumps(jobs.behave), pickle.dumps(1))[0] == "value"
    child.process.send_signal(signal.SIGSTOP)
    threading.Timer(0.5, child.process.send_signal, (signal.SIGCONT,)).start()
    kind, content, *_ = child.ask(pickle.dumps(jobs.behave), argument)
    assert kind == "value"
    assert pickle.loads(content) == pickle.loads(argument)


@stops
def test_a_process_that_stays_stopped_is_ended_when_its_time_is_over(child):
    assert child.ask(pickle.dumps(jobs.behave), pickle.dumps(1))[0] == "value"
    child.process.send_signal(signal.SIGSTOP)
    assert child.ask(pickle.dumps(jobs.behave), LARGE, timeout=0.5)[0] == "timeout"
    assert not child.is_alive


@stops
def test_a_run_with_a_stopped_process_can_be_given_up(child):
    assert child.ask(pickle.dumps(jobs.behave), pickle.dumps(1))[0] == "value"
    child.process.send_signal(signal.SIGSTOP)
    cancelled = threading.Event()
    threading.Timer(0.3, cancelled.set).start()
    assert child.ask(pickle.dumps(jobs.behave), LARGE, cancelled=cancelled)[0] == "crashed"


def test_a_reply_that_cannot_be_read_is_not_waited_for(child, monkeypatch):
    def unreadable(_):
        raise MemoryError

    assert child.ask(pickle.dumps(jobs.behave), pickle.dumps(1))[0] == "value"
    monkeypatch.setattr(child_processes, "PATIENCE", 0.2)
    monkeypatch.setattr(child_processes, "read_frame", unreadable)
    child.ask(pickle.dumps(jobs.behave), pickle.dumps(1))  # it was waited for already
    assert child.ask(pickle.dumps(jobs.behave), pickle.dumps(1))[0] == "crashed"


def test_an_attempt_in_a_group_does_not_count():
    workers = LocalWorkers(1, MEMORY)
    state = job_loop._Run(jobs.behave, workers, None, StopRequest(), lambda each: each)
    group = Future()
    group.set_result([("crashed", "It died.", 0.0, ())] * 3)
    state.at_work[group] = [Attempt(Job(i, i)) for i in range(3)]
    assert list(state.received(group)) == []
    assert [(each.number, each.is_alone) for each in state.waiting] == [(1, True)] * 3


def test_a_job_that_is_given_up_leaves_its_worker_to_others():
    with closing(LocalWorkers(1, MEMORY)) as workers:
        hanging = workers.submit(pickle.dumps(jobs.behave), [pickle.dumps("hang")], None, MEMORY)
        time.sleep(0.3)
        workers.cancel([hanging])
        found = list(run([Job(0, 7, MEMORY)], jobs.behave, workers))
    assert [each.value for each in found] == [7]


def test_one_machine_needs_no_dask(monkeypatch):
    for name in ("dask", "distributed", "cloudpickle"):
        monkeypatch.setitem(sys.modules, name, None)
    with start_workers(Machines(workers=2)) as workers:
        found = run([Job(i, -i) for i in range(3)], abs, workers)
        assert {each.key: each.value for each in found} == {0: 0, 1: 1, 2: 2}


def test_the_configuration_of_dask_is_read_only_where_it_names_a_scheduler(tmp_path, monkeypatch):
    monkeypatch.setenv("DASK_CONFIG", str(tmp_path))
    (tmp_path / "folder.yaml").mkdir()
    assert not _mentions_address()
    (tmp_path / "distributed.yaml").write_text("scheduler-address: tcp://node17:8786\n")
    assert _mentions_address()


@pytest.mark.parametrize(
    "options", [{"workers": 0}, {"memory": 0}, {"scheduler": "tcp://a:1", "cluster": "a.B"}]
)
def test_machines_that_cannot_be_meant_are_refused(options):
    with pytest.raises(SettingsError):
        Machines(**options)


def test_a_missing_scheduler_is_one_sentence(monkeypatch):
    monkeypatch.setattr(dask_workers, "PATIENCE", 0.5)
    with (
        pytest.raises(ClusterError, match="No Dask scheduler answers"),
        start_workers(Machines(scheduler="tcp://127.0.0.1:9")),
    ):
        pass


@pytest.mark.parametrize("name", ["nothing.There", "json.Missing", "plain"])
def test_a_cluster_that_cannot_be_started_is_one_sentence(name):
    with (
        pytest.raises(ClusterError, match="cannot be started"),
        start_workers(Machines(cluster=name)),
    ):
        pass


def test_a_missing_extra_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    machines = Machines(scheduler="tcp://127.0.0.1:9")
    with pytest.raises(ClusterError, match=r"gplandmark\[cluster\]"), start_workers(machines):
        pass


def test_a_worker_with_another_version_is_refused(monkeypatch, scheduler):
    answers = iter(["1.0", "2.0"])
    monkeypatch.setattr(dask_workers, "_installed", lambda: next(answers))
    machines = Machines(scheduler=scheduler)
    with pytest.raises(ClusterError, match="Install the same version"), start_workers(machines):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="the signal is of POSIX")
def test_the_first_signal_asks_and_the_second_interrupts():
    before = signal.getsignal(signal.SIGINT)
    with stopped_by_signals() as stop:
        assert not stop
        os.kill(os.getpid(), signal.SIGINT)
        assert stop
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_child_that_cannot_start_is_a_crash(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    kind, _, _, _ = Child().ask(b"", b"", None, None)
    assert kind == "crashed"
