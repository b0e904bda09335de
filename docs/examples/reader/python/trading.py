"""What may be traded: the same rule as libs/trading for Python, held to the same cases. Without I/O, and without a clock."""

BELIEVED = {"alive", "recovered"}
WENT_BACK = "version_went_back"
OVER = {"finished", "cancelled", "deleted"}
# What was not read to its end for so long is in doubt, milliseconds.
MAX_UNREAD_MS = 1_750
# The platform's limits, seconds: a reader may only be stricter.
MAX_LIMIT_S = 20


class HealthTable:
    """The latest records of feed-health."""

    def __init__(self, max_age_seconds=None, max_delay_seconds=None):
        """Limits of the reader's own: of the time since the newest content of a match in play, and of its age at its receipt."""
        self.sources = {}
        self.matches = {}
        for limit in (max_age_seconds, max_delay_seconds):
            if limit is not None and not 0 < limit <= MAX_LIMIT_S:
                raise ValueError(f"a limit must be more than 0 and at most {MAX_LIMIT_S} seconds, not {limit}")
        self.max_age_ms = float("inf") if max_age_seconds is None else max_age_seconds * 1_000
        self.max_delay_ms = float("inf") if max_delay_seconds is None else max_delay_seconds * 1_000

    def apply(self, key, record, at):
        """Applies a record of a source, or of a match of a source, read at a monotonic time; None deletes it."""
        source, _, event_id = key.partition("/")
        of = self.matches.setdefault(int(event_id), {}) if event_id else self.sources
        if record is None:
            of.pop(source, None)
        else:
            of[source] = (record, at)

    def match(self, event_id, wall, steady):
        """Whether a match may be believed, by two clocks in milliseconds: one source that is alive is enough."""
        statuses = [
            self._within(self._status_of(source, match, wall, steady), match, at, wall, steady)
            for source, (match, at) in self.matches.get(event_id, {}).items()
        ]
        believed = [status for status in statuses if status["state"] in BELIEVED]
        # Of several that are not believed, the most recently disbelieved.
        return believed[0] if believed else max(statuses, key=lambda one: one["since"] or 0, default=_status("unknown"))

    def _status_of(self, name, match, wall, steady):
        """Combines a source's record with that of one of its matches."""
        if match["state"] == "ended":
            return _recorded(match)
        if name not in self.sources:
            return _status("unknown", source=name)
        source, at = self.sources[name]
        until = source["valid_until"]
        # Both clocks: the wall clock detects a record that was read late, the monotonic one is right when wall clocks differ or step.
        if until is None or wall >= until or steady - at >= until - source["written_at"]:
            return _status("expired", since=None if until is None else min(until, wall), source=name)
        if match["term"] < source["term"]:  # the monitor that leads now has not judged it
            return _status("expired", since=match["since"], source=name)
        return _recorded(match if source["state"] in BELIEVED or match["state"] not in BELIEVED else source)

    def _within(self, status, match, at, wall, steady):
        """Does not believe content that is older than the reader's limits allow."""
        if not status["believed"]:
            return status
        if match["delay"] is not None and match["delay"] > self.max_delay_ms:
            return {**status, "believed": False, "state": "delayed", "reason": "delay", "since": match["written_at"]}
        if not match["clock_runs"] or match["heard_at"] is None:
            return status
        due = max(match["heard_at"], match["clock_since"] or 0) + self.max_age_ms
        if max(wall, match["written_at"] + steady - at) <= due:  # both clocks, as above
            return status
        return {**status, "believed": False, "state": "stale", "reason": "silence", "since": due}


class HaltTable:
    """The latest records of trading-halts: what operators have halted by hand."""

    def __init__(self):
        self.records = {}
        self.ends = {}  # on the monotonic clock: a step of the other one neither ends a halt nor brings one back
        self.read_at = float("-inf")

    def apply(self, key, record):
        """Applies a record of a key; None deletes it."""
        self.records.pop(key, None)
        self.ends.pop(key, None)
        if record is not None:
            self.records[key] = record

    def read_to(self, at):
        """Notes that the topic was read to the end that it had at a monotonic time."""
        self.read_at = max(self.read_at, at)

    def of(self, event_id, competition_id, wall, steady):
        """Returns the reasons that halts are against trading a match. A match of an unknown competition may be of any."""
        about = {"all", f"match:{event_id}", f"competition:{competition_id}"}
        for key, record in self.records.items():
            until = float("inf") if record["until"] is None else record["until"]
            self.ends.setdefault(key, until - wall + steady)
        halted = any(
            record["halted"]
            and steady < self.ends[key]
            and (key in about or competition_id is None and key.startswith("competition:"))
            for key, record in self.records.items()
        )
        unread = steady - self.read_at > MAX_UNREAD_MS
        return (["halted_by_hand"] if halted else []) + (["halts_unread"] if unread else [])


def trading(match, feed, halts, doubts=()):
    """Returns the permission to trade on a match, with the reasons; `doubts` are the reader's own reasons."""
    if match and match["status_type"] in OVER:
        return {"permission": "not_in_play", "reasons": []}
    reasons = list(match["guard"]["reasons"]) if match else ["unknown_match"]
    if match and not match["guard"]["safe"] and not reasons:
        reasons.append("unsafe")
    # Before the kick-off there is no score to act on, and no feed to believe.
    begins = bool(match) and match["status_type"] == "scheduled"
    if match and match["firm"] is None and not begins:
        reasons.append("unknown_score")
    reasons.extend([*halts, *doubts])
    if feed["state"] not in BELIEVED and not begins:
        reasons.append(f"feed_{feed['state']}")
    if reasons:
        return {"permission": "halted", "reasons": reasons}
    return {"permission": "not_in_play" if begins else "safe", "reasons": reasons}


def next_state(known, state):
    """Returns the state to hold once `state` was read. A later message that made an earlier version closes the guard of what is known."""
    if known is None or state["version"] > known["version"]:
        return state
    in_doubt = WENT_BACK in known["guard"]["reasons"]
    is_later = state["cause"]["offset"] > known["cause"]["offset"]
    if state["version"] == known["version"]:
        return state if in_doubt or is_later else known
    # An earlier message was only read again.
    if in_doubt or state["cause"]["offset"] < known["cause"]["offset"]:
        return known
    return {**known, "guard": {"safe": False, "reasons": [*known["guard"]["reasons"], WENT_BACK]}}


def _recorded(record):
    return _status(record["state"], record["reason"], record["since"], record["source"], record["delay"])


def _status(state, reason=None, since=None, source=None, delay=None):
    """`delay`: milliseconds from the provider's writing of the newest content to its receipt."""
    return {
        "believed": state in BELIEVED,
        "state": state,
        "reason": reason,
        "since": since,
        "delay": delay,
        "source": source,
    }
