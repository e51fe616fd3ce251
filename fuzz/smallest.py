"""Keeps the few files of a corpus that reach most of what all of it reaches: each next file is the
one that adds most.

Arguments: the control file of a libFuzzer set-cover merge, the folder to copy to, how many files
at most.
"""

import shutil
import sys

control, folder, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open(control, encoding="utf-8") as file:
    lines = file.read().splitlines()
names = lines[2 : 2 + int(lines[0])]
reached = {}
for line in lines[2 + len(names) :]:
    kind, *numbers = line.split()
    if kind == "FT":
        reached[names[int(numbers[0])]] = set(numbers[1:])

everything = set().union(*reached.values())
seen, kept = set(), 0
while reached and kept < most:
    best = max(sorted(reached), key=lambda name: len(reached[name] - seen))
    if reached[best] <= seen:
        break
    seen |= reached.pop(best)
    shutil.copy(best, folder)
    kept += 1
print(f"{kept} files of {len(names)} reach {len(seen)} of {len(everything)}")
