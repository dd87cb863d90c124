# SPDX-License-Identifier: MIT
"""Files: scans become surfaces, and landmarks are read and written in many formats.

Import from `scans`, `cleaning`, `landmark_files` and the other modules here.
"""
