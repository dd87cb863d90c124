"""Answers of geomorph, RRPP, Morpho and MASS on landmarks of real specimens, for comparison."""

import json
from functools import cache

import numpy as np
from conftest import specimen


@cache
def everything():
    return json.loads(specimen("reference/geomorph.json").read_text())


def answer(key):
    return everything()["results"][key]["out"]


def array(key, name):
    return np.array(answer(key)[name], dtype=float)


def landmarks_of(name):
    return np.array(everything()["data"][name]["coords"], dtype=float)


def about(name):
    return everything()["data"][name]


def sliding(name):
    """Sliders of a data set, from 0; empty if there are none."""
    return np.array(everything()["sliders"].get(name, []), dtype=int) - 1
