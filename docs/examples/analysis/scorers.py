"""Goals that counted by type, of incidents.jsonl: touchline export incidents --out incidents.jsonl

Standard library only: a line is an object. pandas reads the same file with pandas.read_json(file, lines=True).
"""
import collections
import json
import sys

GOALS = {413: "goal", 421: "penalty", 423: "own goal"}

counts = collections.Counter()
with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        incident = json.loads(line)
        if incident["incident_type"] in GOALS and not incident["removed"] and incident["confirmation"] != "cancelled":
            counts[GOALS[incident["incident_type"]]] += 1
print(json.dumps(counts, sort_keys=True))
