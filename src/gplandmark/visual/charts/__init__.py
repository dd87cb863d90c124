# SPDX-License-Identifier: MIT
"""Charts: variance curves, principal components and distances.

Import from its modules; each function returns a figure.
"""
