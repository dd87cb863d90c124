# SPDX-License-Identifier: MIT
"""Joint files and the summary follow corrections, beside what people do."""

import threading
from pathlib import Path

from gplandmark.errors import GplandmarkError
from gplandmark.runs.refresh import refresh_results, results_around

AGAIN = 5.0  # seconds after which a folder is tried again that a run is writing into


class ResultsUpdater:
    """Updates folders of results in a thread; of many requests for a folder only the last counts.

    `problem` says why the last update failed; it is empty if it did not.
    """

    def __init__(self) -> None:
        self.problem = ""
        self._wanted: set[Path] = set()
        self._changed = threading.Condition()
        self._is_ending = False
        self._thread: threading.Thread | None = None

    def request(self, landmarks: Path) -> None:
        """Update the results that a landmark file belongs to, if it does, soon."""
        results = results_around(landmarks)
        if results is None:
            return
        with self._changed:
            self._wanted.add(results)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="results", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def close(self) -> None:
        """Finish what was asked for."""
        with self._changed:
            self._is_ending = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._wanted or self._is_ending)
                if not self._wanted:
                    return
                results = self._wanted.pop()
            try:
                refresh_results(results)
                self.problem = ""
            except (GplandmarkError, OSError) as error:
                self.problem = f"collection/ and summary.csv are not up to date yet. {error}"
                with self._changed:
                    if self._is_ending:
                        return
                    self._wanted.add(results)
                    self._changed.wait_for(lambda: self._is_ending, AGAIN)
