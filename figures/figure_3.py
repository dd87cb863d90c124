"""Figure 3 of the paper: how fast the MSPE falls with the number of landmarks.

Mean over all specimens with a band of two standard deviations, log-log, for the reweighted and
the Euclidean kernel. The numbers go to CSV files beside the picture. It is what
`gplandmark study` draws.
"""

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from specimens import TEETH, arguments

from gplandmark import make_molar
from gplandmark.io.files import write_atomically
from gplandmark.io.scans import as_ply
from gplandmark.landmarks.variance_curve import Study
from gplandmark.runs.study import study_scans
from gplandmark.visual.charts.variance_charts import study_chart
from gplandmark.visual.pictures import write_picture

COUNT = 150
MOLARS = 24


def study_of_teeth(*, molar: bool) -> Study:
    paths = sorted(TEETH.glob("*_sas.off"))
    if paths and not molar:
        return study_scans(paths, COUNT)
    with TemporaryDirectory() as folder:
        made = []
        for seed in range(MOLARS):
            made.append(Path(folder) / f"molar-{seed}.ply")
            made[-1].write_bytes(as_ply(make_molar(seed).surface))
        return study_scans(made, COUNT)


def main() -> None:
    options = arguments(__doc__, "figure_3.png")
    began = time.perf_counter()
    study = study_of_teeth(molar=options.molar)
    seconds = time.perf_counter() - began
    path = write_picture(study_chart(study), options.output)
    beside = path.with_suffix(".csv")
    write_atomically(
        {beside: study.table(), beside.with_stem(f"{path.stem}_summary"): study.summary()}
    )
    print(f"{len(study.specimens)} specimens, {COUNT} landmarks, {seconds:.1f} s: {path}")


if __name__ == "__main__":
    main()
