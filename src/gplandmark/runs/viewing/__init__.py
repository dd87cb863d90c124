# SPDX-License-Identifier: MIT
"""A whole collection in the browser: list, open, correct, save and check its specimens."""
