"""Figure 1 of the paper: the first 8 landmarks, and the variance after each of them."""

import numpy as np
from specimens import arguments, specimen

from gplandmark import Surface, covariance, select
from gplandmark.pictures import ColourScale, Marks, Panel, draw_panels, write_picture

STEPS = 8
EARLIER, NEW = "#5be34b", "#e41a1c"


def panels(surface: Surface) -> list[Panel]:
    kernel = covariance(surface)
    selection, steps = None, []
    for count in range(1, STEPS + 1):
        selection = select(kernel, count, after=selection)
        marks = Marks(
            surface.points[selection.indices],
            tuple(str(number + 1) for number in range(count)),
            (EARLIER,) * (count - 1) + (NEW,),
        )
        left = 100 * np.clip(selection.variance / selection.initial, 0, 1)
        steps.append(Panel(surface, marks, left, f"after landmark {count}"))
    return steps


def main() -> None:
    options = arguments(__doc__, "figure_1.png")
    shown = specimen("B03", molar=options.molar)
    figure = draw_panels(
        panels(shown.surface),
        columns=4,
        scale=ColourScale(0, 100, "variance left, % of the start", power=0.5),
        unit=shown.unit,
    )
    print(f"{shown.surface.name}: {write_picture(figure, options.output)}")


if __name__ == "__main__":
    main()
