# SPDX-License-Identifier: MIT
"""Runs over whole folders: batches, matched samples, studies, and their reports.

Import from `batch`, `matched`, `study`, `inspect`, `engine` and `reports`.
"""
