# SPDX-License-Identifier: MIT
"""What people look at: pictures, charts, HTML pages, the editor and the viewer.

Import from `pictures`, `charts`, `html_page`, `editor` and `viewer`.
"""
