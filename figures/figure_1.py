"""Figure 1 of the paper: the first 8 landmarks, and the variance after each of them.

It is what `gplandmark picture --steps 8` draws.
"""

from specimens import arguments, specimen

from gplandmark.visual.pictures import picture_of_steps, write_picture


def main() -> None:
    options = arguments(__doc__, "figure_1.png")
    shown = specimen("B03", molar=options.molar)
    figure = picture_of_steps(shown.surface, unit=shown.unit)
    print(f"{shown.surface.name}: {write_picture(figure, options.output)}")


if __name__ == "__main__":
    main()
