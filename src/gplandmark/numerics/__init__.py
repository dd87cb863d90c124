# SPDX-License-Identifier: MIT
"""Numerical tools that do not depend on surfaces: arrays, threads, rotations, compiled loops, sums.

Import from `arrays`, `threads`, `rotations`, `native` and `gaussian_sums`.
"""
