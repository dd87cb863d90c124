# SPDX-License-Identifier: MIT
"""Colours that appear on the screen as intended.

The browser's renderer multiplies a colour by the light and then applies a tone-mapping curve (ACES,
as fitted by S. Hill), which makes colours pale. We send the colour that the curve, under our own
lights, maps to the intended one: the inverse of the curve, in closed form.
"""

import html
import io
from dataclasses import replace
from functools import cache

import numpy as np

from gplandmark.numerics.arrays import FloatArray
from gplandmark.visual.pictures import ColourScale
from gplandmark.visual.pictures.raster import BONE

COLOURS = 256
LIGHT = 5.0  # brightness under which a surface has the intended colour

# The curve: to its own primaries, a rational function of each, and back.
INTO = np.array(
    [[0.59719, 0.35458, 0.04823], [0.07600, 0.90834, 0.01566], [0.02840, 0.13383, 0.83777]]
)
BACK = np.array(
    [[1.60475, -0.53108, -0.07367], [-0.10208, 1.10813, -0.00605], [-0.00327, -0.07276, 1.07602]]
)
ABOVE = (1.0, 0.0245786, -0.000090537)  # a x^2 + b x + c, over
BELOW = (0.983729, 0.4329510, 0.238081)  # d x^2 + e x + f
EXPOSURE = 1 / 0.6
DIMMED, GREYED = np.meshgrid(np.linspace(1, 0.4, 31), np.linspace(0, 0.6, 31))
COVER, GREY_COVER = 0.72, (0.62, 0.62, 0.62)
GREY = np.array([0.2126, 0.7152, 0.0722])  # brightness of red, green and blue light


def linear(colours: FloatArray) -> FloatArray:
    """Amounts of light for sRGB colours, both 0 to 1."""
    bright = ((colours + 0.055) / 1.055) ** 2.4
    return np.asarray(np.where(colours <= 0.04045, colours / 12.92, bright))


def screen(light: FloatArray) -> FloatArray:
    """The inverse of `linear`."""
    bright = 1.055 * np.maximum(light, 0) ** (1 / 2.4) - 0.055
    return np.asarray(np.where(light <= 0.0031308, light * 12.92, bright))


def before_tone_mapping(light: FloatArray) -> FloatArray:
    """Amounts of light (k, 3), up to `LIGHT`, that the curve maps to the given ones.

    The curve does not reach the brightest and purest colours. Such a colour is dimmed and greyed
    to the nearest (in sRGB) that it reaches.
    """
    grey = (light @ GREY)[:, None, None]
    greyed = GREYED.ravel()[:, None]
    near = DIMMED.ravel()[:, None] * ((1 - greyed) * light[:, None] + greyed * grey)
    sent = _inverse_curve(near)
    reached = (sent >= -1e-3 * LIGHT).all(axis=2) & (sent <= LIGHT).all(axis=2)
    apart = np.linalg.norm(screen(near) - screen(light)[:, None], axis=2)
    best = np.where(reached, apart, np.inf).argmin(axis=1)
    return np.asarray(np.clip(sent[np.arange(len(light)), best], 0, LIGHT))


def _inverse_curve(light: FloatArray) -> FloatArray:
    """Inverse of the curve: y = (a x^2 + b x + c) / (d x^2 + e x + f) is quadratic in x."""
    bent = light @ np.linalg.inv(BACK).T
    inside = ((bent >= 0) & (bent < 0.999 * ABOVE[0] / BELOW[0])).all(axis=-1, keepdims=True)
    bent = np.where(inside, bent, 0.0)
    a, b, c = (up - bent * down for up, down in zip(ABOVE, BELOW, strict=True))
    straight = (-b + np.sqrt(b**2 - 4 * a * c)) / (2 * a)
    return np.where(inside, straight @ np.linalg.inv(INTO).T / EXPOSURE, np.inf)


def after_tone_mapping(light: FloatArray) -> FloatArray:
    """Amounts of light (k, 3) after the tone-mapping curve."""
    x = EXPOSURE * light @ INTO.T
    (a, b, c), (d, e, f) = ABOVE, BELOW
    bent = (a * x**2 + b * x + c) / (d * x**2 + e * x + f)
    return np.asarray(np.clip(bent @ BACK.T, 0, 1))


def shown_colours(colours: FloatArray) -> FloatArray:
    """Colours (k, 3) as they appear: the intended ones, or the nearest that the curve reaches."""
    return screen(after_tone_mapping(before_tone_mapping(linear(colours))))


def sent_light(colours: FloatArray) -> FloatArray:
    """Amounts of light (k, 3), 0 to 1, to send for sRGB colours."""
    return before_tone_mapping(linear(colours)) / LIGHT


def row_of_colours(*rows: FloatArray) -> bytes:
    """A PNG with one row or more: what to send for sRGB colours (k, 3)."""
    from matplotlib.image import imsave

    buffer = io.BytesIO()
    sent = [np.round(255 * screen(sent_light(each))).astype(np.uint8) for each in rows]
    imsave(buffer, np.array(sent), format="png")
    return buffer.getvalue()


def covered_up(colours: FloatArray) -> FloatArray:
    """Colours (k, 3) of a region where no landmarks are placed: mostly grey."""
    return np.asarray((1 - COVER) * colours + COVER * np.array(GREY_COVER))


def from_0_to_1(scale: ColourScale | None) -> ColourScale | None:
    """A scale with the same bar of colours, so that cached colours serve all ranges."""
    return None if scale is None else replace(scale, low=0.0, high=1.0, label="")


def bar_colours(scale: ColourScale | None) -> FloatArray:
    """Colours (k, 3) of a scale from its low to its high end; those of bone without one."""
    if scale is None:
        return np.tile(np.array(BONE), (COLOURS, 1))
    fractions = np.linspace(0, 1, COLOURS) ** (1 / scale.power)
    return scale.paint()(scale.low + (scale.high - scale.low) * fractions)


STOPS = 33
TICKS = 5


def colour_bar(scale: ColourScale | None) -> str:
    """A bar of colours as they appear on the screen, with numbers below, as HTML."""
    if scale is None:
        return ""
    fractions = np.linspace(0, 1, TICKS)
    values = scale.low + (scale.high - scale.low) * fractions ** (1 / scale.power)
    numbers = "".join(
        f"<span style='position:absolute;left:{100 * fraction:.1f}%;"
        f"transform:translateX(-{100 * fraction:.0f}%)'>{value:.3g}</span>"
        for fraction, value in zip(fractions, values, strict=True)
    )
    return (
        "<div class='colour-bar' style='font-size:0.8em;line-height:1.3;padding:0.4em 0.9em'>"
        f"<div>{html.escape(scale.label)}</div>"
        "<div style='height:0.9em;border-radius:2px;"
        f"background:linear-gradient(to right, {_stops(from_0_to_1(scale))})'></div>"
        f"<div style='position:relative;height:1.3em'>{numbers}</div></div>"
    )


@cache
def _stops(scale: ColourScale | None) -> str:
    colours = shown_colours(bar_colours(scale)[np.linspace(0, 255, STOPS).astype(int)])
    return ", ".join(f"rgb({r:.0f},{g:.0f},{b:.0f})" for r, g, b in 255 * colours)
