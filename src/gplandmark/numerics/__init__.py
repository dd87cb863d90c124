# SPDX-License-Identifier: MIT
"""Numerical tools that know nothing of surfaces: array types, compiled loops, Gaussian sums.

Import from `arrays`, `threads`, `native` and `gaussian_sums`.
"""
