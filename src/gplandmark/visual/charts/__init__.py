# SPDX-License-Identifier: MIT
"""Charts: variance curves, principal components and distances.

Import from its modules. Each function returns a matplotlib figure.
"""
