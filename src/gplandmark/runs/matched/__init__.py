# SPDX-License-Identifier: MIT
"""A folder as a matched sample: its scans, jobs, stored results and files.

Import `match` from `match` and `open_sample` from `open_sample`.
"""
