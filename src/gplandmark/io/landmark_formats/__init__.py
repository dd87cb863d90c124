# SPDX-License-Identifier: MIT
"""One module for each landmark format, with `parse`, `text` or both; `formats` is their table.

Files are read by `gplandmark.io.landmark_files`, which chooses the format.
"""
