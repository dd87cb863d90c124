# SPDX-License-Identifier: MIT
"""``python -m gplandmark`` is the command line."""

from gplandmark.cli.main import main

main()
