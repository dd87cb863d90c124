# SPDX-License-Identifier: MIT
"""The command line: one module per command; `main` runs them.

Nothing is imported from here by other packages.
"""
