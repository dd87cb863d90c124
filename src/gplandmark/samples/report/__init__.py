# SPDX-License-Identifier: MIT
"""The report of a matched sample: one page that opens without a network."""

from gplandmark.samples.report.page import Overview, report_page
from gplandmark.samples.report.unusual import Unusual, unusual

__all__ = ["Overview", "Unusual", "report_page", "unusual"]
