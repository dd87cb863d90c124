# SPDX-License-Identifier: MIT
"""Charts."""
