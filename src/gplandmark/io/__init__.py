# SPDX-License-Identifier: MIT
"""Files: scans become surfaces, and landmarks are read and written in many formats.

Import scans from `scans`, landmarks from `landmark_files` and `write_landmarks`; `overwrite`
decides which files may be replaced. `landmark_formats` is reached through the table of formats.
"""
