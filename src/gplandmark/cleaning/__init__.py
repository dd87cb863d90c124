# SPDX-License-Identifier: MIT
"""Cleaning, said out loud: what a file holds becomes a surface, and a report says how."""

from gplandmark.cleaning.cleaning import Cleaned, clean
from gplandmark.cleaning.report import Finding, Report
from gplandmark.cleaning.rules import RULES, Rules, rules_called
from gplandmark.cleaning.scan import Scan
from gplandmark.cleaning.topology import Topology, topology

__all__ = [
    "RULES",
    "Cleaned",
    "Finding",
    "Report",
    "Rules",
    "Scan",
    "Topology",
    "clean",
    "rules_called",
    "topology",
]
