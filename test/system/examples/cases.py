"""Plays the cases of standard input through the rule of the Python example; prints what it says of each."""

import json
import sys

from tradability import HealthTable, trading


def said(case, event_id):
    table = HealthTable()
    for entry in case["health"]:
        table.apply(entry["key"], entry["record"], entry["at"])
    feed = table.match(event_id, **case["now"])
    return {**trading(case["match"], feed, case["doubts"]), "feed": feed}


given = json.load(sys.stdin)
json.dump([said(case, given["event_id"]) for case in given["cases"]], sys.stdout)
