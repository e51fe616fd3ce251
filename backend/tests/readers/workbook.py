"""Reads an exported workbook as a spreadsheet would, computes its formulas anew, and prints both as JSON.

Arguments: the workbook.
"""

import json
import re
import sys

import openpyxl

(path,) = sys.argv[1:]
live = openpyxl.load_workbook(path)
kept = openpyxl.load_workbook(path, data_only=True)
assert live.sheetnames == kept.sheetnames


def computed(sheet, address, changed):
    """The value of a cell: of arithmetic over other cells, or as it stands."""
    if address in changed:
        return changed[address]
    value = sheet[address].value
    if not (isinstance(value, str) and value.startswith("=")):
        return value
    assert re.fullmatch(r"=[A-Z0-9+*/().-]+", value), value
    cell = lambda found: repr(float(computed(sheet, found.group(), changed)))
    return eval(re.sub(r"[A-Z]+[0-9]+", cell, value[1:]), {"__builtins__": {}})


sheets, money = [], {}
for name in live.sheetnames:
    sheets.append([[cell.value for cell in row if cell.value is not None] for row in live[name].iter_rows()])
places = {}
for id, defined in live.defined_names.items():
    ((name, address),) = defined.destinations
    places[id] = (name, address.replace("$", ""))
for id, (name, address) in places.items():
    sheet = live[name]
    if not (isinstance(sheet[address].value, str) and sheet[address].value.startswith("=")):
        continue
    gpu = places["gpu_hour_" + id.rsplit("_", 1)[1]][1]
    money[id] = {
        "kept": float(kept[name][address].value),
        "computed": computed(sheet, address, {}),
        "at_twice_the_gpu_price": computed(sheet, address, {gpu: 2 * sheet[gpu].value}),
    }
json.dump({"sheets": sheets, "money": money}, sys.stdout)
