# SPDX-License-Identifier: MIT
"""Whole folders as matched samples: the same points on every specimen, and how good they are."""
