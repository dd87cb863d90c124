# SPDX-License-Identifier: MIT
"""One module for each landmark format, with `parse`, `text` or both.

Everything else imports `gplandmark.io.landmark_files`, which chooses the format.
"""
