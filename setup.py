"""Compile the hot loops; where there is no compiler the installation succeeds without them."""

import os

from setuptools import Extension, setup

# gnu11 and not c11, which would forbid the compiler to fuse multiplications and additions.
FLAGS = [] if os.name == "nt" else ["-O3", "-std=gnu11", "-fno-math-errno", "-Wno-psabi"]
# Arrays of weights are filled only as far as they are read, which the compiler cannot see.
FLAGS += [] if os.name == "nt" else ["-Wno-maybe-uninitialized"]

setup(
    ext_modules=[
        Extension(
            "gplandmark.numerics.native._compiled",
            ["src/gplandmark/numerics/native/_compiled.c"],
            depends=[
                "src/gplandmark/numerics/native/_gaussian_loops.h",
                "src/gplandmark/numerics/native/_surface_loops.h",
                "src/gplandmark/numerics/native/_viewing_loops.h",
            ],
            extra_compile_args=FLAGS,
            optional=True,
        )
    ]
)
