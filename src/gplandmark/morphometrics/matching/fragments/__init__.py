# SPDX-License-Identifier: MIT
"""Broken specimens: recognised, found in whole ones, and mapped where both overlap.

`recognition` begins for two specimens, `sample_fragments` for a sample.
"""
