"""Compile the inner loops; without a compiler the installation succeeds without them."""

import os
from pathlib import Path

from setuptools import Extension, setup

# gnu11 and not c11, which would forbid the compiler to fuse multiplications and additions.
FLAGS = [] if os.name == "nt" else ["-O3", "-std=gnu11", "-fno-math-errno", "-Wno-psabi"]
# Arrays of weights are filled only as far as they are read, which the compiler cannot see.
FLAGS += [] if os.name == "nt" else ["-Wno-maybe-uninitialized"]

NATIVE = Path("src/gplandmark/numerics/native")

setup(
    ext_modules=[
        Extension(
            "gplandmark.numerics.native._compiled",
            [str(source) for source in sorted(NATIVE.glob("_*.c"))],
            depends=[str(path) for path in NATIVE.glob("_*.[ch]")],
            extra_compile_args=FLAGS,
            optional=True,
        )
    ]
)
