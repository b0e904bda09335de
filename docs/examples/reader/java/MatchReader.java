import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.avro.generic.GenericRecord;

/** Joins match-state, match-transitions, feed-health and trading-halts: the same as libs/reader for Java. Reads nothing itself. */
final class MatchReader {
  private record Status(String status, long version) {}

  /** The team that a goal counts for, and the scorer's; null where unknown. */
  private record Teams(Object countsFor, Object scorer) {}

  /** A match: its newest state and transition, and the reported status of its goals. */
  private static final class Match {
    final long eventId;
    GenericRecord state;
    TradingRule.Held held;
    long version;
    int n = -1;
    final Map<String, Long> cancelledAt = new HashMap<>();
    final Map<String, String> reported = new LinkedHashMap<>();
    final Map<String, Teams> teams = new HashMap<>();
    Map<String, Object> score;
    Map<String, Object> reportedScore;

    Match(long eventId) {
      this.eventId = eventId;
    }

    long stateVersion() {
      return state == null ? 0 : number(state, "version");
    }

    /** Applies a state; false when it is not newer than the known one. */
    boolean applyState(GenericRecord newer) {
      TradingRule.Held known = held;
      held = TradingRule.next(known, number(newer, "version"), number((GenericRecord) newer.get("cause"), "offset"));
      if (held.equals(known) || held.inDoubt()) return false;
      state = newer;
      cancelledAt.values().removeIf(at -> at <= stateVersion());
      if (cancelledAt.isEmpty()) score = scoreOf(state.get("score"));
      return true;
    }

    /** Starts the transitions after the state, which includes those up to its version. */
    void startAfterState() {
      if (stateVersion() <= version) return;
      version = stateVersion();
      n = Integer.MAX_VALUE;
    }

    /** Applies a transition; null when it is not newer than the last one, else the gap before it, if any. */
    List<Map<String, Object>> applyTransition(GenericRecord transition) {
      long at = number(transition, "version");
      int part = (Integer) transition.get("n");
      long before = version;
      if (at < before || (at == before && part <= n)) return null;
      version = at;
      n = part;
      if (text(transition, "kind").equals("goal_cancelled") && at > stateVersion()) {
        cancelledAt.put(text(transition, "incident_id"), at);
        if (transition.get("score") instanceof GenericRecord change) score = scoreOf(change.get("after"));
      }
      if (at <= before + 1) return List.of();
      return List.of(line("gap", eventId, "version", before + 1, "until", at - 1));
    }

    /** Returns the goals whose status differs from the reported one. */
    List<Map<String, Object>> report() {
      Map<String, Status> now = new LinkedHashMap<>();
      reported.forEach((goal, status) -> {
        if (status.equals("stands")) now.put(goal, new Status("cancelled", stateVersion()));
      });
      if (state != null) {
        for (Object goal : (List<?>) state.get("counting_goals"))
          now.put(goal.toString(), new Status("stands", stateVersion()));
        for (Object goal : ((Map<?, ?>) state.get("void_goals")).keySet())
          now.put(goal.toString(), new Status("cancelled", stateVersion()));
      }
      // The state will report a goal that was not reported as standing.
      cancelledAt.forEach((goal, at) -> {
        if ("stands".equals(reported.get(goal))) now.put(goal, new Status("cancelled", at));
        else now.remove(goal);
      });
      List<Map<String, Object>> changes = new ArrayList<>();
      now.forEach((goal, is) -> {
        // A goal that counts for another team is another goal.
        if (!is.status().equals("stands") || !"stands".equals(reported.get(goal))) return;
        Object team = teamsOf(goal).countsFor();
        Teams was = teams.get(goal);
        if (team == null || was == null || was.countsFor() == null || team.equals(was.countsFor())) return;
        reported.put(goal, "cancelled");
        Map<String, Object> line = goalLine(goal, new Status("cancelled", is.version()));
        line.put("team", was.scorer());
        line.put("player", null);
        reportedScore = without(reportedScore, was.countsFor());
        line.put("score", reportedScore);
        changes.add(line);
      });
      now.forEach((goal, is) -> {
        if (is.status().equals(reported.put(goal, is.status()))) return;
        teams.put(goal, teamsOf(goal));
        changes.add(goalLine(goal, is));
      });
      reportedScore = score;
      return changes;
    }

    private Teams teamsOf(String goal) {
      GenericRecord key = keyIncident(goal);
      return key == null ? new Teams(null, null) : new Teams(key.get("counts_for_id"), key.get("team_id"));
    }

    /** Returns a score without a goal of a team. */
    private Map<String, Object> without(Map<String, Object> of, Object team) {
      if (of == null) return null;
      Map<String, Object> lower = new LinkedHashMap<>(of);
      for (String side : List.of("home", "away"))
        if (state.get(side) instanceof GenericRecord one && team.equals(one.get("id")))
          lower.put(side, (Integer) of.get(side) - 1);
      return lower;
    }

    private Map<String, Object> goalLine(String goal, Status is) {
      Map<String, Object> line =
          line("goal", eventId, "version", is.version(), "incident", goal, "status", is.status());
      GenericRecord key = keyIncident(goal);
      line.put("team", key == null ? null : key.get("team_id"));
      line.put("player", key == null ? null : optional(key, "player_name"));
      line.put("minute", key == null ? null : optional(key, "minute"));
      line.put("before", reportedScore);
      line.put("score", score);
      return line;
    }

    /** Scorer and minute; null for an unknown incident. */
    private GenericRecord keyIncident(String id) {
      if (state == null) return null;
      for (Object one : (List<?>) state.get("key_incidents"))
        if (text((GenericRecord) one, "id").equals(id)) return (GenericRecord) one;
      return null;
    }
  }

  /** How far a partition is read, and when it last had an end that is read. */
  private static class ReadProgress {
    private long next;
    private Long end;
    private double endAt;
    double readAt = Double.NEGATIVE_INFINITY;

    void restart() {
      next = 0;
      end = null;
    }

    void endsAt(long offset, double at) {
      // The earlier end stays: a log that grows all the time is never read to its newest end.
      if (end == null) {
        end = offset;
        endAt = at;
      }
      passEnd();
    }

    void readTo(long offset) {
      next = Math.max(next, offset);
      passEnd();
    }

    private void passEnd() {
      if (end == null || next < end) return;
      readAt = endAt;
      end = null;
    }
  }

  private static final class Partition extends ReadProgress {
    boolean loading = true;
    boolean fresh = true;
    final Map<Long, Match> matches = new HashMap<>();

    Match match(long eventId) {
      return matches.computeIfAbsent(eventId, Match::new);
    }
  }

  private final Map<Integer, Partition> partitions = new HashMap<>();
  private final TradingRule.HealthTable health;
  private final TradingRule.HaltTable halts = new TradingRule.HaltTable();
  private final ReadProgress haltsRead = new ReadProgress();

  MatchReader(TradingRule.Limits limits) {
    health = new TradingRule.HealthTable(limits);
  }

  /** Sets the assigned partitions. All are loading until `caughtUp`. */
  void assign(Collection<Integer> assigned) {
    partitions.keySet().retainAll(assigned);
    for (int partition : assigned) {
      Partition of = partitions.computeIfAbsent(partition, one -> new Partition());
      of.loading = true;
      of.restart();
    }
  }

  /** Tells the end that match-state of a partition had at a monotonic time in milliseconds; ask for it each second. */
  void endsAt(int partition, long end, double at) {
    Partition of = partitions.get(partition);
    if (of != null) of.endsAt(end, at);
  }

  /** Tells the offset of the next record of match-state that will be read. */
  void readTo(int partition, long next) {
    Partition of = partitions.get(partition);
    if (of != null) of.readTo(next);
  }

  /** Called at the end that match-state had at the assignment; returns the current goals. */
  List<Map<String, Object>> caughtUp(int partition) {
    Partition of = partitions.get(partition);
    if (of.fresh) of.matches.values().forEach(Match::startAfterState);
    of.loading = false;
    of.fresh = false;
    return of.matches.values().stream().flatMap(match -> match.report().stream()).toList();
  }

  /** Applies a state; null deletes the match. */
  List<Map<String, Object>> applyState(int partition, long eventId, GenericRecord state) {
    Partition of = partitions.get(partition);
    if (of == null) return List.of();
    if (state == null) {
      of.matches.remove(eventId);
      return List.of();
    }
    Match match = of.match(eventId);
    return match.applyState(state) && !of.loading ? match.report() : List.of();
  }

  List<Map<String, Object>> applyTransition(int partition, GenericRecord transition) {
    Partition of = partitions.get(partition);
    if (of == null) return List.of();
    Match match = of.match(number(transition, "event_id"));
    List<Map<String, Object>> gap = match.applyTransition(transition);
    if (gap == null || of.fresh) return List.of();
    return of.loading ? gap : Stream.concat(gap.stream(), match.report().stream()).toList();
  }

  /** Applies a record of feed-health, read at a monotonic time in milliseconds; null deletes it. */
  void applyHealth(String key, GenericRecord value, double at) {
    health.apply(key, value == null ? null : healthOf(value), at);
  }

  /** Applies a record of trading-halts; null deletes it. */
  void applyHalt(String key, GenericRecord value) {
    halts.apply(
        key,
        value == null ? null : new TradingRule.Halt((Boolean) value.get("halted"), (Long) value.get("until")));
  }

  /** As `endsAt`, for trading-halts: without it, every match is halted. */
  void haltsEndAt(long end, double at) {
    haltsRead.endsAt(end, at);
    halts.readTo(haltsRead.readAt);
  }

  /** As `readTo`, for trading-halts. */
  void haltsReadTo(long next) {
    haltsRead.readTo(next);
    halts.readTo(haltsRead.readAt);
  }

  List<Integer> partitions() {
    return List.copyOf(partitions.keySet());
  }

  List<Long> eventIds() {
    return partitions.values().stream().flatMap(of -> of.matches.keySet().stream()).toList();
  }

  /** Whether trading may act on a match, by two clocks in milliseconds, and why not. Call it before each act. */
  Map<String, Object> guard(long eventId, long wall, double steady) {
    Partition of =
        partitions.values().stream().filter(one -> one.matches.containsKey(eventId)).findFirst().orElse(null);
    Match match = of == null ? null : of.matches.get(eventId);
    List<String> doubts = new ArrayList<>();
    if (of != null && of.loading) doubts.add("loading");
    else if (match != null && match.state != null) {
      if (match.version > match.stateVersion()) doubts.add("behind");
      if (steady - of.readAt > TradingRule.MAX_UNREAD_MS) doubts.add("states_unread");
    }
    TradingRule.Match traded = match == null || match.state == null ? null : tradedOf(match);
    Long competitionId = traded == null ? null : (Long) match.state.get("competition_id");
    TradingRule.Trading trading =
        TradingRule.trading(
            traded,
            health.match(eventId, wall, steady),
            halts.of(eventId, competitionId, wall, steady),
            doubts);
    boolean safe = trading.permission().equals("safe");
    return line(
        "guard", eventId, "permission", trading.permission(), "safe", safe, "reasons", trading.reasons());
  }

  private static TradingRule.Match tradedOf(Match match) {
    GenericRecord state = match.state;
    GenericRecord guard = (GenericRecord) state.get("guard");
    List<String> reasons = new ArrayList<>();
    for (Object reason : (List<?>) guard.get("reasons")) reasons.add(reason.toString());
    if (match.held.inDoubt()) reasons.add("version_went_back");
    boolean safe = (Boolean) guard.get("safe") && !match.held.inDoubt();
    return new TradingRule.Match(optional(state, "status_type"), state.get("firm") != null, safe, reasons);
  }

  private static TradingRule.Health healthOf(GenericRecord record) {
    return new TradingRule.Health(
        text(record, "source"),
        (Long) record.get("event_id"),
        text(record, "state"),
        optional(record, "reason"),
        number(record, "since"),
        (Long) record.get("delay"),
        (Long) record.get("heard_at"),
        (Boolean) record.get("clock_runs"),
        (Long) record.get("clock_since"),
        number(record, "term"),
        (Long) record.get("valid_until"),
        number(record, "written_at"));
  }

  private static Map<String, Object> scoreOf(Object score) {
    if (!(score instanceof GenericRecord of)) return null;
    return new LinkedHashMap<>(Map.of("home", of.get("home"), "away", of.get("away")));
  }

  private static String optional(GenericRecord record, String field) {
    return record.get(field) == null ? null : text(record, field);
  }

  private static long number(GenericRecord record, String field) {
    return (Long) record.get(field);
  }

  private static String text(GenericRecord record, String field) {
    return String.valueOf(record.get(field));
  }

  private static Map<String, Object> line(String type, long eventId, Object... rest) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("type", type);
    line.put("event", eventId);
    for (int at = 0; at < rest.length; at += 2) line.put(rest[at].toString(), rest[at + 1]);
    return line;
  }
}
