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
    sheet = live[name]
    rows = sheet.iter_rows()
    sheets.append([[cell.value for cell in row if cell.value is not None] for row in rows])
    for row in range(1, sheet.max_row + 1):
        label, address = sheet.cell(row, 1).value, f"B{row}"
        if isinstance(sheet[address].value, str) and sheet[address].value.startswith("="):
            gpu = next(f"B{r}" for r in range(1, row) if sheet.cell(r, 1).value == "GPU-hour")
            dearer = {gpu: 2 * sheet[gpu].value}
            money[label] = {
                "kept": float(kept[name][address].value),
                "computed": computed(sheet, address, {}),
                "at_twice_the_gpu_price": computed(sheet, address, dearer),
            }
json.dump({"sheets": sheets, "money": money}, sys.stdout)
