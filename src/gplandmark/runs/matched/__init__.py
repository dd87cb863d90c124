# SPDX-License-Identifier: MIT
"""A folder as a matched sample: its scans, jobs, stored results and files.

Import `match_folder` from `match`, `predict_folder` from `predict`, and `open_sample` from
`membership`.
"""
