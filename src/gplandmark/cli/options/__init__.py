# SPDX-License-Identifier: MIT
"""Options that several commands share, and what they become.

Import from its modules; each function decorates a command.
"""
