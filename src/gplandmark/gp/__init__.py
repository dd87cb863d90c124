# SPDX-License-Identifier: MIT
"""Gaussian processes on the points of a surface: kernels, selection, regression, theory.

Import from `kernels`, `selection`, `conditioning`, `regression` and `theory`.
"""
