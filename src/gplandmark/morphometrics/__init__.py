# SPDX-License-Identifier: MIT
"""Many specimens together: matching, shape analysis and evaluation.

Import from `matching`, `analysis` and `evaluation`.
"""
