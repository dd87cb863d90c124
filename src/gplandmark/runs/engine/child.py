# SPDX-License-Identifier: MIT
"""The process in which jobs run: ``python -m gplandmark.runs.engine.child``.

Requests come in on the standard input and replies go out on the standard output, as pickles with
their length before them. The process ends with its parent: nobody else holds the other end.
"""

import os
import pickle
import queue
import struct
import threading
import time
import warnings
from typing import IO, Any

from gplandmark.errors import GplandmarkError, GplandmarkWarning

Reply = tuple[str, Any, float, tuple[str, ...]]
"""Kind of failure or "value"; the pickled value or the reason; seconds; warnings."""

LENGTH = struct.Struct("<Q")
READY: Reply = ("ready", None, 0.0, ())


def read_frame(stream: IO[bytes]) -> Any:
    """Return the next message; None when the other side has gone."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    size = LENGTH.unpack(head)[0]
    content = stream.read(size)
    return pickle.loads(content) if len(content) == size else None


def write_frame(stream: IO[bytes], message: Any) -> None:
    """Send a message."""
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def answer(function: bytes, argument: bytes) -> Reply:
    """Call a pickled function on a pickled argument; whatever goes wrong becomes a reason."""
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", GplandmarkWarning)
        kind, content = _answer(function, argument)
    notes = tuple(str(each.message) for each in caught)
    return kind, content, time.perf_counter() - began, notes


def _answer(function: bytes, argument: bytes) -> tuple[str, Any]:
    try:
        value = pickle.loads(function)(pickle.loads(argument))
        return "value", pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    except GplandmarkError as error:
        return "refused", str(error)
    except MemoryError:
        return "memory", "There is not enough memory for it."
    except Exception as error:  # a job may fail in any way, and the others must not notice
        return "error", f"An unexpected error, {type(error).__name__}: {error}"[:500]


def serve() -> None:
    """Answer requests, one after the other, until the parent has gone."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # nor may it read from the requests
    os.dup2(2, 1)  # a library that prints must not speak into the replies
    waiting: queue.SimpleQueue[tuple[bytes, bytes]] = queue.SimpleQueue()

    def listen() -> None:
        while (request := read_frame(requests)) is not None:
            waiting.put(request)
        os._exit(0)  # also out of a job that nobody waits for any more

    threading.Thread(target=listen, daemon=True).start()
    write_frame(replies, READY)
    while True:
        write_frame(replies, answer(*waiting.get()))


if __name__ == "__main__":
    serve()
