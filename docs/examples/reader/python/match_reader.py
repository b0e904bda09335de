"""Joins match-state, match-transitions, feed-health and trading-halts: the same as libs/reader for Python. Reads nothing itself."""

from trading import MAX_UNREAD_MS, HaltTable, HealthTable, next_state, trading


class Match:
    """A match: its newest state and transition, and the reported status of its goals."""

    def __init__(self, event_id):
        self.event_id = event_id
        self.state = None
        self.last = (0, -1)
        self.cancelled_at = {}
        self.reported = {}
        self.teams = {}
        self.score = None
        self.reported_score = None

    def apply_state(self, state):
        """Applies a state; false when it is not newer than the known one."""
        self.state = next_state(self.state, state)
        if self.state is not state:
            return False
        self.cancelled_at = {goal: at for goal, at in self.cancelled_at.items() if at > state["version"]}
        if not self.cancelled_at:
            self.score = state["score"]
        return True

    def start_after_state(self):
        """Starts the transitions after the state, which includes those up to its version."""
        version = self.state["version"] if self.state else 0
        if version > self.last[0]:
            self.last = (version, float("inf"))

    def apply_transition(self, transition):
        """Applies a transition; None when it is not newer than the last one, else the gap before it, if any."""
        version, before = transition["version"], self.last[0]
        if (version, transition["n"]) <= self.last:
            return None
        self.last = (version, transition["n"])
        known = self.state["version"] if self.state else 0
        if transition["kind"] == "goal_cancelled" and transition["incident_id"] and version > known:
            self.cancelled_at[transition["incident_id"]] = version
            if transition["score"]:
                self.score = transition["score"]["after"]
        if version <= before + 1:
            return []
        return [{"type": "gap", "event": self.event_id, "version": before + 1, "until": version - 1}]

    def report(self):
        """Returns the goals whose status differs from the reported one."""
        state = self.state or {"version": 0, "counting_goals": [], "void_goals": {}, "key_incidents": []}
        now = {goal: ("cancelled", state["version"]) for goal, status in self.reported.items() if status == "stands"}
        now.update({goal: ("stands", state["version"]) for goal in state["counting_goals"]})
        now.update({goal: ("cancelled", state["version"]) for goal in state["void_goals"]})
        for goal, at in self.cancelled_at.items():
            now.pop(goal, None)
            # The state will report a goal that was not reported as standing.
            if self.reported.get(goal) == "stands":
                now[goal] = ("cancelled", at)
        keys = {one["id"]: one for one in state["key_incidents"]}
        changes = []
        for goal, (status, version) in now.items():
            team = keys.get(goal, {}).get("counts_for_id")
            was, scorer = self.teams.get(goal, (None, None))
            # A goal that counts for another team is another goal.
            if status == self.reported.get(goal) == "stands" and None not in (team, was) and team != was:
                self.reported[goal] = "cancelled"
                change = {"type": "goal", "event": self.event_id, "version": version, "incident": goal, "status": "cancelled"}
                change.update(team=scorer, player=None, minute=keys[goal]["minute"], before=self.reported_score)
                self.reported_score = self.without(self.reported_score, was)
                changes.append({**change, "score": self.reported_score})
        for goal, (status, version) in now.items():
            if self.reported.get(goal) == status:
                continue
            self.reported[goal] = status
            change = {"type": "goal", "event": self.event_id, "version": version, "incident": goal, "status": status}
            key = keys.get(goal, {})
            self.teams[goal] = (key.get("counts_for_id"), key.get("team_id"))
            change.update(team=key.get("team_id"), player=key.get("player_name"), minute=key.get("minute"))
            changes.append({**change, "before": self.reported_score, "score": self.score})
        self.reported_score = self.score
        return changes

    def without(self, score, team):
        """Returns a score without a goal of a team."""
        for side in ("home", "away"):
            if score and (self.state[side] or {}).get("id") == team:
                return {**score, side: score[side] - 1}
        return score


class ReadProgress:
    """How far a partition is read, and when it last had an end that is read."""

    def __init__(self):
        self.next = 0
        self.end = None
        self.read_at = float("-inf")

    def restart(self):
        self.next, self.end = 0, None

    def ends_at(self, end, at):
        # The earlier end stays: a log that grows all the time is never read to its newest end.
        self.end = self.end or (end, at)
        self._pass_end()

    def read_to(self, next_offset):
        self.next = max(self.next, next_offset)
        self._pass_end()

    def _pass_end(self):
        if self.end is not None and self.next >= self.end[0]:
            self.read_at, self.end = self.end[1], None


class Partition(ReadProgress):
    def __init__(self):
        super().__init__()
        self.loading = True
        self.fresh = True
        self.matches = {}

    def match(self, event_id):
        return self.matches.setdefault(event_id, Match(event_id))


class MatchReader:
    """Takes the records of a partition in order; a record that is read twice changes nothing."""

    def __init__(self, max_age_seconds=None, max_delay_seconds=None):
        self.partitions = {}
        self.health = HealthTable(max_age_seconds, max_delay_seconds)
        self.halts = HaltTable()
        self.halts_read = ReadProgress()

    def assign(self, partitions):
        """Sets the assigned partitions. All are loading until `caught_up`."""
        self.partitions = {one: self.partitions.get(one, Partition()) for one in partitions}
        for partition in self.partitions.values():
            partition.loading = True
            partition.restart()

    def ends_at(self, partition, end, at):
        """Tells the end that match-state of a partition had at a monotonic time in milliseconds; ask for it each second."""
        if partition in self.partitions:
            self.partitions[partition].ends_at(end, at)

    def read_to(self, partition, next_offset):
        """Tells the offset of the next record of match-state that will be read."""
        if partition in self.partitions:
            self.partitions[partition].read_to(next_offset)

    def caught_up(self, partition):
        """Called at the end that match-state had at the assignment; returns the current goals."""
        of = self.partitions.get(partition)
        if of is None or not of.loading:
            return []
        for match in of.matches.values():
            if of.fresh:
                match.start_after_state()
        of.loading = of.fresh = False
        return [change for match in of.matches.values() for change in match.report()]

    def apply_state(self, partition, event_id, state):
        of = self.partitions.get(partition)
        if of is None:
            return []
        if state is None:
            of.matches.pop(event_id, None)
            return []
        match = of.match(event_id)
        return match.report() if match.apply_state(state) and not of.loading else []

    def apply_transition(self, partition, transition):
        of = self.partitions.get(partition)
        if of is None:
            return []
        match = of.match(transition["event_id"])
        gap = match.apply_transition(transition)
        if gap is None or of.fresh:
            return []
        return gap if of.loading else gap + match.report()

    def apply_health(self, key, record, at):
        """Applies a record of feed-health, read at a monotonic time in milliseconds; None deletes it."""
        self.health.apply(key, record, at)

    def apply_halt(self, key, record):
        """Applies a record of trading-halts; None deletes it."""
        self.halts.apply(key, record)

    def halts_end_at(self, end, at):
        """As `ends_at`, for trading-halts: without it, every match is halted."""
        self.halts_read.ends_at(end, at)
        self.halts.read_to(self.halts_read.read_at)

    def halts_read_to(self, next_offset):
        """As `read_to`, for trading-halts."""
        self.halts_read.read_to(next_offset)
        self.halts.read_to(self.halts_read.read_at)

    def event_ids(self):
        return [event_id for partition in self.partitions.values() for event_id in partition.matches]

    def guard(self, event_id, wall, steady):
        """Whether trading may act on a match now, and why not. Call it before each act: the guard can close by time alone."""
        partition = next((one for one in self.partitions.values() if event_id in one.matches), None)
        match = partition.matches[event_id] if partition else None
        state = match.state if match else None
        doubts = []
        if partition and partition.loading:
            doubts.append("loading")
        elif state:
            doubts += ["behind"] if match.last[0] > state["version"] else []
            doubts += ["states_unread"] if steady - partition.read_at > MAX_UNREAD_MS else []
        halts = self.halts.of(event_id, state and state["competition_id"], wall, steady)
        may = trading(state, self.health.match(event_id, wall, steady), halts, doubts)
        safe = may["permission"] == "safe"
        return {"type": "guard", "event": event_id, "permission": may["permission"], "safe": safe, "reasons": may["reasons"]}
