# SPDX-License-Identifier: MIT
"""Report pages of runs and analyses: each opens without a network.

Import from `batch_report`, `match_report` and `analysis_report`.
"""
