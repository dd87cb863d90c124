# SPDX-License-Identifier: MIT
"""The command line: reads options, calls one library function, says what came out."""
