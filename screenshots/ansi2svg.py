#!/usr/bin/env python3
"""Draws a terminal screen as SVG: reads what `tmux capture-pane -epN` prints, writes the picture.

ansi2svg.py COLUMNS [light]
"""
import html
import re
import sys
import unicodedata

COLUMN, LINE, MARGIN = 8.4, 18, 12  # pixels
LIGHT = sys.argv[2:] == ["light"]
FOREGROUND, BACKGROUND = ("#24292f", "#ffffff") if LIGHT else ("#d8dee9", "#1b1f27")
PALETTE = ["#3b4252", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d8dee9",
           "#6b7388", "#ff7b86", "#b5e890", "#ffd68a", "#82c4ff", "#e09bf2", "#7fdbe6", "#ffffff"]


def color(n):
    """One of the 256 colours of xterm."""
    if n < 16:
        return PALETTE[n]
    if n >= 232:
        return "#" + f"{8 + 10 * (n - 232):02x}" * 3
    n -= 16
    return "#" + "".join(f"{0 if v == 0 else 55 + 40 * v:02x}" for v in (n // 36, n // 6 % 6, n % 6))


class Style:
    def __init__(self):
        self.fg = self.bg = None
        self.bold = self.dim = self.reverse = self.underline = False

    def key(self):
        return (self.fg, self.bg, self.bold, self.dim, self.reverse, self.underline)

    def apply(self, codes):
        codes = [int(c or 0) for c in codes.split(";")]
        while codes:
            c = codes.pop(0)
            if c == 0:
                self.__init__()
            elif c in (1, 2, 4, 7):
                setattr(self, {1: "bold", 2: "dim", 4: "underline", 7: "reverse"}[c], True)
            elif c == 22:
                self.bold = self.dim = False
            elif c in (24, 27):
                setattr(self, {24: "underline", 27: "reverse"}[c], False)
            elif 30 <= c <= 37 or 90 <= c <= 97:
                self.fg = c - 30 if c < 90 else c - 82
            elif 40 <= c <= 47 or 100 <= c <= 107:
                self.bg = c - 40 if c < 100 else c - 92
            elif c in (38, 48) and codes[:1] == [5]:
                setattr(self, "fg" if c == 38 else "bg", codes[1])
                codes = codes[2:]
            elif c in (39, 49):
                setattr(self, "fg" if c == 39 else "bg", None)


def cells(line, style):
    """Characters with the style that each has, and its column."""
    column = 0
    for part in re.split(r"(\x1b\[[0-9;]*m|\x1b[()][A-Z0-9]|[\x0e\x0f])", line):
        if part.startswith("\x1b["):
            style.apply(part[2:-1])
        elif part[:1] not in ("\x1b", "\x0e", "\x0f"):
            for ch in part:
                yield column, ch, style.key()
                column += 2 if unicodedata.east_asian_width(ch) in "WF" else 1


def runs(line, style):
    """Neighbouring cells of one style, as one piece of text."""
    start, text, last = 0, "", None
    for column, ch, key in cells(line, style):
        if key != last and text:
            yield start, text, last
            start, text = column, ""
        text, last = text + ch, key
    if text:
        yield start, text, last


def draw(run, y):
    column, text, (fg, bg, bold, dim, reverse, underline) = run
    fg = color(fg) if fg is not None else FOREGROUND
    bg = color(bg) if bg is not None else None
    if reverse:
        fg, bg = bg or BACKGROUND, fg
    x, width = MARGIN + column * COLUMN, len(text) * COLUMN
    out = ""
    if bg:
        out += f'<rect x="{x:.1f}" y="{y - 14}" width="{width:.1f}" height="{LINE}" fill="{bg}"/>'
    if text.strip() or underline:
        out += (f'<text x="{x:.1f}" y="{y}" fill="{fg}" textLength="{width:.1f}"'
                + (' font-weight="bold"' if bold else "") + (' opacity="0.6"' if dim else "")
                + (' text-decoration="underline"' if underline else "")
                + f'>{html.escape(text)}</text>')
    return out


def main():
    columns = int(sys.argv[1])
    lines = sys.stdin.read().rstrip("\n").split("\n")
    width, height = 2 * MARGIN + columns * COLUMN, 2 * MARGIN + len(lines) * LINE
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" '
          f'width="{width:.0f}" height="{height}" xml:space="preserve" '
          'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">')
    print(f'<rect width="100%" height="100%" rx="6" fill="{BACKGROUND}"'
          + (' stroke="#d0d7de"' if LIGHT else "") + '/>')
    style = Style()
    for number, line in enumerate(lines):
        y = MARGIN + 14 + number * LINE
        for run in runs(line, style):
            print(draw(run, y))
    print("</svg>")


main()
