"""Goals that counted by type and by scorer, of incidents.jsonl: touchline export incidents --out incidents.jsonl

Standard library only: a line is an object. pandas reads the same file with pandas.read_json(file, lines=True).
"""
import collections
import json
import sys

GOALS = {413: "goal", 421: "penalty", 423: "own goal"}
OWN_GOAL = 423

types = collections.Counter()
scorers = collections.Counter()
with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        incident = json.loads(line)
        if not incident["counts"]:
            continue
        types[GOALS[incident["incident_incident_id"]]] += 1
        if incident["incident_incident_id"] != OWN_GOAL:
            scorers[incident["incident_subparticipant_id"], incident["incident_subparticipant_name"]] += 1
best = [[name, goals] for (_, name), goals in scorers.most_common(10)]
print(json.dumps({"goals": sum(types.values()), "types": types, "scorers": best}, sort_keys=True, ensure_ascii=False))
