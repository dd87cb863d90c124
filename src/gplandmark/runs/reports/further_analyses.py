# SPDX-License-Identifier: MIT
"""Further parts of an analysis on request: a model, asymmetry, measurement error."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gplandmark.errors import AnalysisError, warn
from gplandmark.io.formatting import counted, listed
from gplandmark.io.homology import MATCHING
from gplandmark.landmarks import Landmarks
from gplandmark.morphometrics.analysis import Analysis
from gplandmark.morphometrics.asymmetry import (
    LandmarkPairs,
    find_pairs,
    object_symmetry,
    pairs_by_name,
    read_pairs,
)
from gplandmark.morphometrics.asymmetry.mirror import completed
from gplandmark.morphometrics.matching.mirrored_reference import BOTH_SIDES
from gplandmark.morphometrics.models import partial_least_squares
from gplandmark.morphometrics.models.anova import SumsOfSquares
from gplandmark.morphometrics.models.covariates import read_covariates, read_words
from gplandmark.morphometrics.models.landmark_blocks import read_blocks
from gplandmark.morphometrics.models.measurement_error import measurement_error
from gplandmark.morphometrics.models.shape_model import model_shapes
from gplandmark.morphometrics.semilandmarks import slide_collection
from gplandmark.morphometrics.semilandmarks.slide import Criterion
from gplandmark.morphometrics.semilandmarks.slider_tables import stated_sliders
from gplandmark.runs.discover import ScanFile
from gplandmark.runs.reports.asymmetry_report import (
    CARRIED,
    FROM_BOTH_SIDES,
    asymmetry_supplement,
)
from gplandmark.runs.reports.blocks_report import blocks_supplement
from gplandmark.runs.reports.measurement_error_report import measurement_error_supplement
from gplandmark.runs.reports.model_report import model_supplement
from gplandmark.runs.reports.supplement import Supplement

AUTO = "auto"
SLID_BY = {"bending-energy": "least bending energy", "procrustes": "least Procrustes distance"}
NOT_SLID = (
    "Semilandmarks are taken as they are. If they have not slid yet, add --slide bending-energy."
)
INDIVIDUAL, SET = "individual", "set"


@dataclass(frozen=True)
class FurtherAnalyses:
    """What is wanted besides shapes, components and distances.

    Attributes
    ----------
    model : formula; None without a model
    kind : type of its sums of squares
    covariates : table of variables; None if there is none
    pairs : table of pairs of landmarks, or "auto"; None without asymmetry
    repeats : table that says which specimens are the same individual; None if none are
    slide : by what semilandmarks slide first; None if they stay
    blocks : table of two blocks of landmarks; None if there are none
    """

    model: str | None = None
    kind: SumsOfSquares = "I"
    covariates: Path | None = None
    pairs: Path | None = None
    repeats: Path | None = None
    slide: Criterion | None = None
    blocks: Path | None = None

    @property
    def tables(self) -> tuple[Path, ...]:
        """Files to read."""
        pairs = None if self.is_automatic else self.pairs
        every = (self.covariates, pairs, self.repeats, self.blocks)
        return tuple(each for each in every if each is not None)

    @property
    def is_automatic(self) -> bool:
        """Whether pairs are to be found."""
        return self.pairs is not None and str(self.pairs) == AUTO

    def known_pairs(self, labels: Sequence[str]) -> LandmarkPairs | None:
        """Pairs from the table or from names; None where they have to be found, or not at all."""
        if self.pairs is None:
            return None
        return pairs_by_name(labels) if self.is_automatic else read_pairs(self.pairs, labels)

    def settings(self) -> dict[str, str | None]:
        """Return the request for the record of the analysis."""
        return {
            "model": self.model,
            "type": self.kind,
            "covariates": None if self.covariates is None else self.covariates.name,
            "pairs": None if self.pairs is None else self.pairs.name,
            "repeats": None if self.repeats is None else self.repeats.name,
            "slide": self.slide,
            "blocks": None if self.blocks is None else self.blocks.name,
        }


def completed_by_symmetry(
    collection: Sequence[Landmarks], wanted: FurtherAnalyses
) -> Sequence[Landmarks]:
    """Specimens whose missing landmarks are taken from the other side, where pairs are known."""
    pairs = wanted.known_pairs(collection[0].labels) if collection else None
    return collection if pairs is None else completed(collection, pairs)


def with_slid_semilandmarks(
    collection: Sequence[Landmarks], wanted: FurtherAnalyses, scans: Mapping[str, ScanFile]
) -> tuple[Sequence[Landmarks], tuple[str, ...]]:
    """Specimens whose semilandmarks have slid, if that is wanted, and a sentence about them.

    They are those that the files state. With the scans of all specimens they return to the surface,
    of any piece.

    Raises
    ------
    AnalysisError
        The files state no semilandmarks, or not the same ones on all specimens.
    """
    if wanted.slide is None:
        if not any(each.curves or "semi" in each.kinds for each in collection):
            return collection, ()
        warn(NOT_SLID)
        return collection, (NOT_SLID,)
    curves, sliders = stated_sliders(collection)
    names = [each.specimen for each in collection]
    complete = all(name in scans for name in names)
    surfaces = {name: scans[name].read("all") for name in names} if complete else None
    found = slide_collection(collection, curves, sliders, wanted.slide, surfaces=surfaces)
    where = "on the scans" if complete else "without scans, in tangent planes"
    return found.landmarks, (
        f"{len(sliders.curves)} semilandmarks slid along curves and {len(sliders.surfaces)} over "
        f"surfaces, {where}, by {SLID_BY[wanted.slide]}: {counted(found.rounds, 'round')}.",
    )


def further_analyses(
    wanted: FurtherAnalyses,
    analysis: Analysis,
    collection: Sequence[Landmarks],
    permutations: int,
    seed: int,
) -> list[Supplement]:
    """Compute what is wanted of the specimens of an analysis, for the report.

    Raises
    ------
    AnalysisError
        One of them cannot be computed.
    """
    supplements = []
    aligned = analysis.aligned
    if wanted.model is not None:
        table = {}
        if wanted.covariates is not None:
            table = read_covariates(wanted.covariates, aligned.names)
        model = model_shapes(
            analysis, wanted.model, table, kind=wanted.kind, permutations=permutations, seed=seed
        )
        supplements.append(model_supplement(model, analysis))
    options: dict[str, Any] = {"permutations_of": permutations, "seed": seed}
    if wanted.blocks is not None:
        blocks, shapes = read_blocks(wanted.blocks, aligned.labels), aligned.tangent_coordinates()
        pls = partial_least_squares(shapes[:, blocks.first], shapes[:, blocks.second], **options)
        supplements.append(blocks_supplement(pls, blocks.names, aligned.names, analysis.groups))
    repeats = {} if wanted.repeats is None else _repeats(wanted.repeats, aligned.names)
    owners = repeats[INDIVIDUAL] if repeats else None
    if wanted.pairs is not None:
        pairs = wanted.known_pairs(aligned.labels) or find_pairs(aligned.consensus)
        found = object_symmetry(aligned.points, aligned.names, pairs, owners, **options)
        origin = _origin(collection)
        supplements.append(asymmetry_supplement(found, pairs, aligned.labels, origin=origin))
    if owners is not None:
        error = measurement_error(
            aligned.tangent_coordinates(), owners, repeats.get(SET), **options
        )
        supplements.append(measurement_error_supplement(error))
    return supplements


def _origin(collection: Sequence[Landmarks]) -> str:
    """How landmarks came to the specimens, as a sentence; empty if they were not carried."""
    ways = [each.record.request[MATCHING] for each in collection if MATCHING in each.record.request]
    both = all(isinstance(way, Mapping) and way.get(BOTH_SIDES) for way in ways)
    return (FROM_BOTH_SIDES if both else CARRIED) if ways else ""


def _repeats(path: Path, names: Sequence[str]) -> dict[str, list[str]]:
    """Individual, and set if there is one, of each specimen."""
    found = {name.lower(): each for name, each in read_words(path, names).items()}
    if INDIVIDUAL not in found:
        raise AnalysisError(
            f"{path} has no column individual. Its first line should be 'specimen,individual' or "
            "'specimen,individual,set'."
        )
    unknown = [name for name, each in zip(names, found[INDIVIDUAL], strict=True) if not each]
    if unknown:
        raise AnalysisError(
            f"{path} does not say which individual {listed('specimen', unknown)} is."
        )
    return found
