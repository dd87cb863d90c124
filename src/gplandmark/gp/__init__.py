# SPDX-License-Identifier: MIT
"""Gaussian processes on the points of a surface: kernels, selection, regression, theory.

Import from `kernels`, `conditioning`, `selection`, `regression` and `theory`.
"""
