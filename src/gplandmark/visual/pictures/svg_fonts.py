# SPDX-License-Identifier: MIT
"""Fonts inside SVG files, so that a picture looks the same everywhere and its text stays text."""

import re
from base64 import b64encode
from functools import lru_cache
from html import unescape
from io import BytesIO

from gplandmark.visual.print_style import STYLE

TEXT = re.compile(r"<text\b([^>]*)>(.*?)</text>", re.DOTALL)
TAG = re.compile(r"<[^>]+>")
BOLD = re.compile(r"font(-weight)?:[^;]*\b(bold|[6-9]00)\b")


def with_fonts(svg: bytes) -> bytes:
    """An SVG file of matplotlib with the letters that it uses, as fonts in its style."""
    text = svg.decode("utf-8")
    letters: dict[str, set[str]] = {}
    for style, content in TEXT.findall(text):
        weight = "bold" if BOLD.search(style) else "normal"
        letters.setdefault(weight, set()).update(unescape(TAG.sub("", content)))
    rules = "".join(_rule(weight, "".join(sorted(used))) for weight, used in letters.items())
    if not rules:
        return svg
    start = text.index(">", text.index("<svg")) + 1
    return f"{text[:start]}\n <style>{rules}</style>{text[start:]}".encode()


@lru_cache(maxsize=64)
def _rule(weight: str, letters: str) -> str:
    """The rule of a style sheet that brings a font with only these letters."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont
    from matplotlib.font_manager import FontProperties, findfont

    family = STYLE["font.family"][0]
    path = findfont(FontProperties(family=family, weight=weight))
    font = TTFont(path, recalcTimestamp=False)
    options = Options(hinting=False, layout_features=[], notdef_outline=True)
    options.drop_tables += ["FFTM"]
    chosen = Subsetter(options)
    chosen.populate(text=letters)
    chosen.subset(font)
    buffer = BytesIO()
    font.save(buffer)
    content = b64encode(buffer.getvalue()).decode("ascii")
    return (
        f"@font-face{{font-family:'{family}';font-weight:{weight};"
        f"src:url(data:font/ttf;base64,{content})}}"
    )
