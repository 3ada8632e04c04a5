#!/usr/bin/env python3
"""What cells of a terminal look like: reads what `tmux capture-pane -epN` prints.

cells.py TEXT     the look of the first character of the first line that holds TEXT, from TEXT on:
                  "bold reverse fg=114 bg=24", "plain"
cells.py -bar N   the looks of line N (from 0), from left to right, each once in a row, "|" between
cells.py -has     "colours" if any cell has one, else "none"
"""
import re
import sys

NAMES = {1: "bold", 2: "dim", 4: "underline", 7: "reverse"}


def colour(codes):
    """The colour that begins with this code, which is popped with its arguments."""
    code = codes.pop(0)
    if code % 10 == 8:
        kind = codes.pop(0)
        return str(codes.pop(0)) if kind == 5 else ";".join(str(codes.pop(0)) for _ in range(3))
    return str(code % 10 + (8 if code >= 90 else 0))


def apply(look, text):
    codes = [int(c or 0) for c in text.split(";")]
    while codes:
        code = codes[0]
        if code == 0:
            look.clear()
        elif code in NAMES:
            look[NAMES[code]] = ""
        elif code == 22:
            look.pop("bold", None), look.pop("dim", None)
        elif code in (24, 27):
            look.pop(NAMES[code - 20], None)
        elif code in (39, 49):
            look.pop("fg" if code == 39 else "bg", None)
        elif 30 <= code <= 38 or 90 <= code <= 97:
            look["fg"] = "=" + colour(codes)
            continue
        elif 40 <= code <= 48 or 100 <= code <= 107:
            look["bg"] = "=" + colour(codes)
            continue
        codes.pop(0)


def read(text):
    """Lines of (character, look)."""
    look, lines = {}, [[]]
    for part in re.split(r"(\x1b\[[0-9;]*m|\x1b[()][A-Z0-9]|[\x0e\x0f]|\n)", text):
        if part.startswith("\x1b["):
            apply(look, part[2:-1])
        elif part == "\n":
            lines.append([])
        elif part[:1] not in ("\x1b", "\x0e", "\x0f"):
            order = ("bold", "dim", "underline", "reverse", "fg", "bg")
            said = " ".join(k + look[k] for k in order if k in look) or "plain"
            lines[-1] += [(c, said) for c in part]
    return lines


def main():
    lines = read(sys.stdin.read())
    if sys.argv[1] == "-has":
        print("colours" if any("g=" in said for line in lines for _, said in line) else "none")
    elif sys.argv[1] == "-bar":
        said = [s for _, s in lines[int(sys.argv[2])]]
        print("|".join(s for i, s in enumerate(said) if i == 0 or s != said[i - 1]), len(said))
    else:
        for line in lines:
            at = "".join(c for c, _ in line).find(sys.argv[1])
            if at >= 0:
                print(line[at][1])
                return


main()
