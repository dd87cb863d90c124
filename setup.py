"""Compile the hot loops; where there is no compiler the installation succeeds without them."""

import os

from setuptools import Extension, setup

# gnu11 and not c11, which would forbid the compiler to fuse multiplications and additions.
FLAGS = [] if os.name == "nt" else ["-O3", "-std=gnu11", "-fno-math-errno", "-Wno-psabi"]

setup(
    ext_modules=[
        Extension(
            "gplandmark.gaussians._compiled",
            ["src/gplandmark/gaussians/_compiled.c"],
            depends=["src/gplandmark/gaussians/_compiled_loops.h"],
            extra_compile_args=FLAGS,
            optional=True,
        )
    ]
)
