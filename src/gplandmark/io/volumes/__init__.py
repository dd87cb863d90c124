# SPDX-License-Identifier: MIT
"""Volumes: CT scans and label maps become surfaces in physical coordinates.

`options` says how, `files` which files are a volume, `header` and `voxels` read them through
SimpleITK, `threshold` finds the cut, `isosurface` makes triangles, `surface` does all of it.
"""
