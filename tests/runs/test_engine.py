"""Jobs on workers: whatever one does, the others go on."""

import os
import pickle
import signal
import subprocess
import sys
import time

import jobs
import psutil
import pytest

from gplandmark.errors import ClusterError, SettingsError
from gplandmark.runs.engine import Job, Machines, Stop, gathered, run, run_here, stopped_by_signals
from gplandmark.runs.engine import run as running_module
from gplandmark.runs.engine.child_processes import Child
from gplandmark.runs.engine.run import Attempt, Pace

MEMORY = 600_000_000


@pytest.fixture(scope="module")
def crew():
    with gathered(Machines(workers=2, memory=MEMORY)) as found:
        yield found


def outcomes(crew, arguments, function=jobs.behave, **options):
    found = run([Job(i, each) for i, each in enumerate(arguments)], function, crew, **options)
    return {arguments[outcome.key]: outcome for outcome in found}


def test_every_way_to_end_becomes_an_outcome_and_the_rest_goes_on(crew):
    arguments = [*range(8), "refuse", "fail", "hang", "die", "eat", "print", "unpicklable"]
    found = outcomes(crew, arguments, timeout=8)
    assert set(found) == set(arguments)
    for argument in (*range(8), "print"):
        assert found[argument].failure is None
        assert found[argument].value == argument
    kinds = {key: each.failure.kind for key, each in found.items() if each.failure}
    assert kinds == {
        "refuse": "refused", "fail": "error", "hang": "timeout", "die": "crashed",
        "eat": "memory", "unpicklable": "error",
    }  # fmt: skip
    assert found["refuse"].failure.reason == "This scan is refused."
    assert "SIGKILL" in found["die"].failure.reason
    assert "0.6 GB" in found["eat"].failure.reason
    tried = {key: each.attempts for key, each in found.items() if each.attempts > 1}
    assert tried == {"die": 3}  # what a second attempt cannot help has none


def test_what_was_sent_is_not_kept(crew):
    """Jobs of large samples carry hundreds of megabytes, one after the other."""
    process = psutil.Process()
    before = process.memory_info().rss
    for _ in range(12):  # 480 MB in all, of which few are under way at a time
        sizes = [Job(number, 4_000_000) for number in range(10)]
        assert all(each.value == 4_000_000 for each in run(sizes, len, crew, prepare=bytes))
    assert process.memory_info().rss - before < 200e6


def test_the_exit_code_of_a_child_is_told():
    child = Child()
    kind, reason, _, _ = child.ask(pickle.dumps(jobs.behave), pickle.dumps("exit"), None, None)
    assert kind == "crashed"
    assert "exit code 7" in reason
    assert not child.is_alive


def test_a_job_that_died_once_has_its_value(crew, tmp_path):
    (found,) = run([Job("a", str(tmp_path / "mark"))], jobs.die_once, crew)
    assert (found.value, found.attempts) == ("lived", 2)


@pytest.mark.parametrize(("share", "patience", "most"), [(0.3, 60, 2), (0.6, 0.2, 1), (9, 0.2, 1)])
def test_memory_decides_how_many_run_side_by_side(crew, tmp_path, share, patience, most):
    asked = [Job(i, (str(tmp_path), patience), int(share * MEMORY)) for i in range(4)]
    assert max(each.value for each in run(asked, jobs.overlap, crew)) == most


def test_each_job_has_one_thread(crew):
    assert [each.value for each in run([Job(0, None)], jobs.threads, crew)] == [1]


def test_notes_come_back_with_the_value(crew):
    assert outcomes(crew, ["warn"])["warn"].notes == ("a note",)


def test_a_run_that_is_stopped_leaves_hanging_jobs_behind(crew):
    stop = Stop()
    began = time.monotonic()
    seen = []
    for outcome in run([Job(i, i or "hang") for i in range(4)], jobs.behave, crew, stop=stop):
        seen.append(outcome.key)
        stop.ask()
    assert 0 not in seen
    assert time.monotonic() - began < 60


def test_a_run_may_be_given_up_after_its_crew_has_gone():
    with gathered(Machines(workers=1)) as crew:
        found = run([Job(i, i) for i in range(6)], jobs.behave, crew)
        next(found)
    found.close()


def test_no_child_outlives_its_crew():
    with gathered(Machines(workers=1)) as crew:
        assert [each.value for each in run([Job(0, 5)], jobs.behave, crew)] == [5]
        mine = {each.pid for each in psutil.Process().children() if _is_child(each)}
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
        each.key: each for each in run_here([Job(i, i) for i in (1, "refuse", "warn")], jobs.behave)
    }
    assert found[1].value == 1
    assert found["refuse"].failure.kind == "refused"
    assert found["warn"].notes == ("a note",)


def test_small_jobs_are_grouped_and_unknown_ones_are_not(crew):
    pace = Pace()
    small, large = Job(0, 0, 1000), Job(0, 0, 10**9)
    assert pace.group_size(small) == 1
    pace.learn(small, 0.01)
    pace.learn(large, 30.0)
    assert pace.group_size(small) == 50
    assert pace.group_size(large) == 1


def test_no_result_is_lost_or_doubled_in_groups(crew):
    found = [each.value for each in run([Job(i, i) for i in range(300)], jobs.behave, crew)]
    assert sorted(found) == list(range(300))


def test_a_function_of_a_script_travels_to_the_workers(crew):
    factor = 3
    found = run([Job(0, 14)], lambda number: factor * number, crew)
    assert [each.value for each in found] == [42]


def test_arguments_are_prepared_when_they_are_sent(crew):
    found = run([Job(0, 1)], jobs.behave, crew, prepare=lambda number: number + 1)
    assert [each.value for each in found] == [2]


def test_a_worker_that_keeps_dying_loses_its_job_only(crew, monkeypatch):
    from distributed import KilledWorker

    class Gone:
        def __init__(self, future):
            self.future = future

        def add_done_callback(self, call):
            self.future.add_done_callback(lambda _: call(self))

        def result(self):
            raise KilledWorker("task", None, 3)

    submit = crew.client.submit

    def submitted(function, code, arguments, *rest, **options):
        future = submit(function, code, arguments, *rest, **options)
        return Gone(future) if b"doomed" in b"".join(arguments) else future

    monkeypatch.setattr(crew.client, "submit", submitted)
    found = outcomes(crew, [1, "doomed", 2])
    assert found["doomed"].failure.kind == "lost"
    assert found["doomed"].attempts == running_module.ATTEMPTS
    assert found[1].value == 1


def test_an_attempt_in_a_group_does_not_count(crew, monkeypatch):
    state = running_module._Run(jobs.behave, crew, None, Stop(), lambda argument: argument)
    group = [Attempt(Job(i, i)) for i in range(3)]

    class Future:
        def result(self):
            return [("crashed", "It died.", 0.0, ())] * 3

    future = Future()
    state.at_work[future] = group
    assert list(state.received(future)) == []
    assert [(each.number, each.is_alone) for each in state.waiting] == [(1, True)] * 3


@pytest.mark.parametrize(
    "options", [{"workers": 0}, {"memory": 0}, {"scheduler": "tcp://a:1", "cluster": "a.B"}]
)
def test_machines_that_cannot_be_meant_are_refused(options):
    with pytest.raises(SettingsError):
        Machines(**options)


def test_a_missing_scheduler_is_one_sentence(monkeypatch):
    from gplandmark.runs.engine import workers as crews

    monkeypatch.setattr(crews, "PATIENCE", 0.5)
    with (
        pytest.raises(ClusterError, match="No Dask scheduler answers"),
        gathered(Machines(scheduler="tcp://127.0.0.1:9")),
    ):
        pass


@pytest.mark.parametrize("name", ["nothing.There", "json.Missing", "plain"])
def test_a_cluster_that_cannot_be_started_is_one_sentence(name):
    with pytest.raises(ClusterError, match="cannot be started"), gathered(Machines(cluster=name)):
        pass


def test_a_missing_extra_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"gplandmark\[cluster\]"), gathered():
        pass


def test_a_worker_with_another_version_is_refused(monkeypatch):
    from gplandmark.runs.engine import workers as crews

    answers = iter(["1.0", "2.0"])
    monkeypatch.setattr(crews, "_installed", lambda: next(answers))
    with pytest.raises(ClusterError, match="Install the same version"), gathered():
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
