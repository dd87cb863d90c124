# SPDX-License-Identifier: MIT
"""Cleaning, said out loud: what a file holds becomes a surface, and a report says how."""

from gplandmark.io.cleaning.clean import Cleaned, clean
from gplandmark.io.cleaning.cleaning_report import Finding, Report
from gplandmark.io.cleaning.rules import RULES, Rules, rules_called
from gplandmark.io.cleaning.scan import Scan
from gplandmark.io.cleaning.topology_summary import Topology, topology

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
