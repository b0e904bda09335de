"""Plays the cases of standard input through the rule of the Python example; prints what it says of each."""

import json
import sys

from functools import reduce

from trading import HaltTable, HealthTable, next_state, trading


def said(case, event_id):
    limits = case["limits"]
    table = HealthTable(limits.get("maxAgeSeconds"), limits.get("maxDelaySeconds"))
    for entry in case["health"]:
        table.apply(entry["key"], entry["record"], entry["at"])
    feed = table.match(event_id, **case["now"])
    halts = HaltTable()
    for record in case["halts"]:
        halts.apply(record["scope"], record)
    halts.of(event_id, None, **case["seen"])
    halts.read_to(case["now"]["steady"] - case["unreadFor"])
    by_hand = halts.of(event_id, (case["match"] or {}).get("competition_id"), **case["now"])
    return {**trading(case["match"], feed, by_hand, case["doubts"]), "feed": feed}


def held(case):
    states = [{"version": v, "cause": {"offset": at}, "guard": {"safe": True, "reasons": []}} for v, at in case["read"]]
    last = reduce(next_state, states, None)
    return {"version": last["version"], "reasons": last["guard"]["reasons"]}


given = json.load(sys.stdin)
trading_said = [said(case, given["event_id"]) for case in given["cases"]]
json.dump({"trading": trading_said, "held": [held(case) for case in given["state_cases"]]}, sys.stdout)
