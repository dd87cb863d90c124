# SPDX-License-Identifier: MIT
"""Whole collections: every scan of some folders, in runs that can be stopped and taken up again."""

from gplandmark.collections.batch import Batch, Work
from gplandmark.collections.finding import Findings, Specimen, find
from gplandmark.collections.journal import Entry, Journal, read_entries
from gplandmark.collections.manifest import Manifest, read_manifest
from gplandmark.collections.output import opened
from gplandmark.collections.placing import Placed, place_all
from gplandmark.collections.plan import Choice, Plan, Task, plan
from gplandmark.collections.request import Request

__all__ = [
    "Batch",
    "Choice",
    "Entry",
    "Findings",
    "Journal",
    "Manifest",
    "Placed",
    "Plan",
    "Request",
    "Specimen",
    "Task",
    "Work",
    "find",
    "opened",
    "place_all",
    "plan",
    "read_entries",
    "read_manifest",
]
