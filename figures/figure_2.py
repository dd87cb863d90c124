"""Figure 2 of the paper: landmarks of an observer beside the first 22 of ours, by class."""

from specimens import Specimen, arguments, specimen

from gplandmark import place
from gplandmark.landmarks import classify, nearest_vertices
from gplandmark.visual.pictures import CLASS_COLOURS, Marks, Panel, draw_panels, write_picture

COUNT = 22


def known(shown: Specimen) -> Panel:
    vertices, _ = nearest_vertices(shown.surface, shown.known)
    colours = tuple(CLASS_COLOURS[kind] for kind in classify(shown.surface, vertices))
    numbers = tuple(str(number + 1) for number in range(len(vertices)))
    title = f"{len(numbers)} {shown.known_as}"
    return Panel(shown.surface, Marks(shown.known, numbers, colours), title=title)


def placed(shown: Specimen) -> Panel:
    landmarks = place(shown.surface, COUNT)
    colours = tuple(CLASS_COLOURS[kind] for kind in landmarks.classes)
    marks = Marks(landmarks.points, landmarks.labels, colours)
    return Panel(shown.surface, marks, title=f"the first {COUNT} of Gaussian process landmarking")


def main() -> None:
    options = arguments(__doc__, "figure_2.png")
    shown = specimen("Q10", molar=options.molar)
    figure = draw_panels(
        [known(shown), placed(shown)],
        columns=2,
        legend={
            "sharp feature": CLASS_COLOURS["sharp"],
            "ridge, groove or basin": CLASS_COLOURS["semilandmark"],
            "outline": CLASS_COLOURS["outline"],
        },
        unit=shown.unit,
        mark_size=7,
    )
    print(f"{shown.surface.name}: {write_picture(figure, options.output)}")


if __name__ == "__main__":
    main()
