"""A still of 10,000 vertices takes at most three times as long as matplotlib's own 3D axes.

The same triangles and the same values, seen from above and about as large, to the bytes of a PNG
file. matplotlib is asked in its two ways: `plot_trisurf`, and a `Poly3DCollection` with a colour
per triangle. It sorts triangles by depth, paints each in one colour and has no depth at a
pixel, so that it cannot tell which landmarks are hidden; ours also draws scale and colour bar.
"""

import time
from io import BytesIO

import numpy as np
from matplotlib.image import imread
from specimens import specimens, subdivided

from gplandmark import Surface
from gplandmark.mesh import vertex_areas
from gplandmark.visual.pictures import Camera, ColourScale, Panel, draw_panels, picture_bytes

VERTICES = 10_000
WIDTH, RESOLUTION = 4.5, 200
REPEATS = 7
ZOOM = 1.6  # fills the sheet


def surface_of_about(count: int) -> Surface:
    """Refine the first specimen, and decimate it to about that many vertices."""
    import fast_simplification

    surface = specimens(1)[0].surface
    while surface.vertex_count < count:
        surface = subdivided(surface)
    share = 1 - count / surface.vertex_count
    points, triangles = fast_simplification.simplify(
        surface.points.astype(np.float32), surface.triangles.astype(np.int32), share
    )
    return Surface(points.astype(float), triangles, surface.name)


def ours(surface: Surface, values: np.ndarray) -> bytes:
    scale = ColourScale(float(values.min()), float(values.max()), "height")
    panel = Panel(surface, values=values, camera=Camera((0, 0, 1), (0, 1, 0)))
    return picture_bytes(
        draw_panels([panel], columns=1, width=WIDTH, scale=scale, resolution=RESOLUTION), ".png"
    )


def axes_of_matplotlib(surface: Surface):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, WIDTH), dpi=RESOLUTION)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), projection="3d")
    axes.set_axis_off()
    axes.set_proj_type("ortho")
    axes.view_init(elev=90, azim=-90)
    axes.set_box_aspect(np.ptp(surface.points, axis=0), zoom=ZOOM)
    return figure, axes


def trisurf(surface: Surface, values: np.ndarray) -> bytes:
    figure, axes = axes_of_matplotlib(surface)
    drawn = axes.plot_trisurf(*surface.points.T, triangles=surface.triangles, linewidth=0)
    drawn.set_array(values[surface.triangles].mean(axis=1))
    return written(figure)


def collection(surface: Surface, values: np.ndarray) -> bytes:
    from matplotlib import colormaps
    from matplotlib.colors import LightSource, Normalize
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    figure, axes = axes_of_matplotlib(surface)
    flat = values[surface.triangles].mean(axis=1)
    colours = colormaps["viridis"](Normalize(flat.min(), flat.max())(flat))
    drawn = Poly3DCollection(
        surface.points[surface.triangles], facecolors=colours, shade=True,
        lightsource=LightSource(),
    )  # fmt: skip
    axes.add_collection3d(drawn)
    low, high = surface.points.min(axis=0), surface.points.max(axis=0)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    return written(figure)


def written(figure) -> bytes:
    buffer = BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def main() -> None:
    surface = surface_of_about(VERTICES)
    vertex_areas(surface)
    values = surface.points[:, 2].copy()
    ways = {"gplandmark": ours, "plot_trisurf": trisurf, "Poly3DCollection": collection}
    seconds, painted = {name: [] for name in ways}, {}
    for repeat in range(REPEATS + 1):  # the first time imports and warms up
        for name, draw in ways.items():
            began = time.perf_counter()
            content = draw(surface, values)
            if repeat:
                seconds[name].append(time.perf_counter() - began)
            painted[name] = int((imread(BytesIO(content))[..., :3] < 1).any(axis=2).sum())
    print(
        f"{surface.name}: {surface.vertex_count:,} vertices, {len(surface.triangles):,} triangles"
    )
    print(f"{'way':<18} {'seconds':>8} {'ratio to ours':>14} {'pixels painted':>15}")
    for name, each in seconds.items():
        ratio = np.median(np.array(each) / np.array(seconds["gplandmark"]))
        print(f"{name:<18} {np.median(each):>8.2f} {ratio:>14.2f} {painted[name]:>15,}")


if __name__ == "__main__":
    main()
