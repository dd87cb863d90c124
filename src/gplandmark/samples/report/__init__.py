# SPDX-License-Identifier: MIT
"""The report of a matched sample: one page that opens without a network."""

from gplandmark.samples.report.page import Overview, report_page

__all__ = ["Overview", "report_page"]
