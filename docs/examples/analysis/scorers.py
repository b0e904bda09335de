"""Goals that counted by type and by scorer, of goals.jsonl: touchline export key-incidents > goals.jsonl

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
        goal = json.loads(line)
        if goal["counts_for_id"] is None:
            continue
        types[GOALS[goal["incident_type"]]] += 1
        if goal["incident_type"] != OWN_GOAL:
            scorers[goal["player_id"], goal["player_name"]] += 1
best = [[name, goals] for (_, name), goals in scorers.most_common(10)]
print(json.dumps({"goals": sum(types.values()), "types": types, "scorers": best}, sort_keys=True, ensure_ascii=False))
