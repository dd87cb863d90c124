# SPDX-License-Identifier: MIT
"""Options of several commands, and the arguments that commands get from them.

Import decorators for commands from its modules.
"""
