# SPDX-License-Identifier: MIT
"""The panel beside the specimens: controls, colour bar, coordinates of clicks, variance curve."""

import html
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.pictures import ColourScale
from gplandmark.visual.pictures.colour_maps import NEW
from gplandmark.visual.viewer.displayed_specimen import LOWEST, DisplayedSpecimen, offered
from gplandmark.visual.viewer.picking import Pick
from gplandmark.visual.viewer.screen_colours import colour_bar

if TYPE_CHECKING:
    from viser import GuiApi


LINES = ("#0072B2", "#D55E00")  # of Okabe and Ito's colours; one for each specimen
LAST = 1e6  # order of the curve, below all controls
CLICK = "Click the specimen to read coordinates."


class Wanted(NamedTuple):
    """What the controls of the panel are set to."""

    painting: str
    step: int
    numbers: bool
    hidden_numbers: bool


class ControlPanel:
    """The controls, shared by all browsers that look at one viewer.

    `changed` is called when a control is moved, from some thread.
    """

    def __init__(
        self, gui: "GuiApi", specimens: Sequence[DisplayedSpecimen], changed: Callable[[], None]
    ) -> None:
        self._gui = gui
        self._count = 0
        gui.set_panel_label(" | ".join(dict.fromkeys(each.surface.name for each in specimens)))
        gui.main_panel.dock_right()
        self._about = gui.add_html(_about(specimens))
        self._painting = gui.add_dropdown("Colours", offered(specimens), initial_value="variance")
        self._bar = gui.add_html("")
        self._step = gui.add_slider(
            "Landmarks", min=0, max=1, step=1, initial_value=0, visible=False
        )
        self._numbers = gui.add_checkbox("Numbers", True, visible=False)
        self._hidden = gui.add_checkbox("Hidden numbers", False, visible=False)
        self._place = gui.add_html(line(CLICK))
        self._curve: Any = None
        self._curves: list[FloatArray] = []
        self._names: list[str] = []
        for control in (self._painting, self._step, self._numbers, self._hidden):
            control.on_update(lambda _: changed())

    def wanted(self) -> Wanted:
        """What the controls are set to now."""
        return Wanted(
            self._painting.value, int(self._step.value), self._numbers.value, self._hidden.value
        )

    def offer_steps(self, specimens: Sequence[DisplayedSpecimen], step: int | None = None) -> None:
        """Make the slider as long as the landmarks, and draw the curve of their variance."""
        sets = [each.steps for each in specimens if each.steps is not None]
        names = [each.name for each in sets]
        self._count = max((len(each) for each in sets), default=0)
        self._curves = [100 * each.largest for each in sets]
        set_new(self._about, "content", _about(specimens))
        step = self._count if step is None else min(step, self._count)
        if self._curve is None or names != self._names:
            self._names = names
            if self._curve is not None:
                self._curve.remove()
            self._curve = self._draw_curve(step) if sets else None
        for control in (self._step, self._numbers, self._hidden):
            set_new(control, "visible", self._count > 0)
        self._step.max = max(self._count, 1)
        self._step.value = step

    def mark_step(self, step: int) -> None:
        """Mark a step on the curve."""
        if self._curve is not None:
            self._curve.data = self._curve_data(step)

    def show_scale(self, scale: ColourScale | None) -> None:
        """Show what the colours mean."""
        set_new(self._bar, "content", colour_bar(scale))

    def show_pick(self, pick: Pick) -> None:
        """Show where a click met a specimen."""
        surface = pick.specimen.surface
        x, y, z = (f"{each:.6g}" for each in pick.point)
        number = int(surface.in_file(np.array([pick.vertex]))[0])
        self._place.content = line(
            f"<b>{html.escape(pick.specimen.title)}</b><br>x {x} &nbsp; y {y} &nbsp; z {z}<br>"
            f"nearest vertex: {number:,}"
        )

    def _draw_curve(self, step: int) -> Any:
        from viser import uplot

        series = [uplot.Series(label="landmarks")]
        for name, colour in zip(self._names, LINES, strict=False):
            series.append(uplot.Series(label=name, stroke=colour, width=2))
        dots: Any = {"show": True, "size": 9, "fill": NEW}
        now = uplot.Series(label="now", stroke=NEW, width=0, points=dots)
        series += [now] * len(self._curves)
        return self._gui.add_uplot(
            self._curve_data(step), tuple(series), title="largest remaining variance, %",
            scales={"x": uplot.Scale(time=False), "y": uplot.Scale(distr=3)},
            legend=uplot.Legend(show=False), aspect=1.5,
            padding=(12, 24, 0, 0), order=LAST,
        )  # fmt: skip

    def _curve_data(self, step: int) -> tuple[FloatArray, ...]:
        counts = np.arange(self._count + 1, dtype=np.float64)
        lines, now = [], []
        for curve in self._curves:
            # After its last landmark, a set keeps its variance.
            line = np.append(curve, np.full(len(counts) - len(curve), curve[-1]))
            line = np.maximum(line, LOWEST)
            lines.append(line)
            now.append(np.where(counts == min(step, len(curve) - 1), line, np.nan))
        return (counts, *lines, *now)


def _about(specimens: Sequence[DisplayedSpecimen]) -> str:
    lines = []
    for each, colour in zip(specimens, LINES, strict=False):
        text = f"<span style='color:{colour}'>&#9632;</span> " if len(specimens) > 1 else ""
        lines.append(f"{text}<b>{html.escape(each.title)}</b>: {each.size_in_words}")
    if len(specimens) > 1 and specimens[0].surface is not specimens[1].surface:
        lines.append("Each specimen is at its own scale.")
    return line("<br>".join(lines))


def set_new(handle: Any, name: str, value: object) -> None:
    """Send a property only if it is new."""
    if getattr(handle, name) != value:
        setattr(handle, name, value)


def line(content: str) -> str:
    """HTML in the style of the panel."""
    return f"<div style='font-size:0.85em;padding:0.25em 0.9em'>{content}</div>"
