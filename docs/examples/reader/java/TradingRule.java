import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What may be traded: the same rule as libs/trading for Java, held to the same cases. Without I/O, and without a clock. */
public final class TradingRule {
  private static final Set<String> BELIEVED = Set.of("alive", "recovered");
  private static final Set<String> OVER = Set.of("finished", "cancelled", "deleted");
  /** What was not read to its end for so long is in doubt, milliseconds. */
  static final double MAX_UNREAD_MS = 1_750;
  /** The platform's limits, seconds: a reader may only be stricter. */
  private static final double MAX_LIMIT_S = 20;

  /** A record of feed-health: of a source when `eventId` is null, else of one of its matches. */
  public record Health(
      String source,
      Long eventId,
      String state,
      String reason,
      long since,
      Long delay,
      Long heardAt,
      boolean clockRuns,
      Long clockSince,
      long term,
      Long validUntil,
      long writtenAt) {}

  /** Whether and why a match may be believed. `delay`: from the provider's writing of the newest content to its receipt, milliseconds. */
  public record FeedStatus(boolean believed, String state, String reason, Long since, Long delay, String source) {}

  /** The fields of match state that the rule reads. */
  public record Match(String statusType, boolean hasFirmScore, boolean safe, List<String> reasons) {}

  /** A match's version, the offset of the message that made it, and whether its version went back since. */
  public record Held(long version, long offset, boolean inDoubt) {}

  /** `permission`: safe, halted, not_in_play; `reasons`: why it is halted. */
  public record Trading(String permission, List<String> reasons) {}

  /**
   * A reader's own limits in seconds; null: the platform's. `maxAge`: of the time since the newest content of a match in play; `maxDelay`: of
   * the age of content at its receipt.
   */
  public record Limits(Double maxAge, Double maxDelay) {
    public Limits {
      for (Double limit : new Double[] {maxAge, maxDelay})
        if (limit != null && !(limit > 0 && limit <= MAX_LIMIT_S))
          throw new IllegalArgumentException(
              "a limit must be more than 0 and at most " + MAX_LIMIT_S + " seconds, not " + limit);
    }

    /** Does not believe content that is older than the limits allow. */
    private FeedStatus within(FeedStatus status, Received received, long wall, double steady) {
      Health match = received.record();
      if (!status.believed()) return status;
      if (maxDelay != null && match.delay() != null && match.delay() > maxDelay * 1_000)
        return new FeedStatus(false, "delayed", "delay", match.writtenAt(), status.delay(), status.source());
      if (maxAge == null || !match.clockRuns() || match.heardAt() == null) return status;
      long since = match.clockSince() == null ? 0 : match.clockSince();
      double due = Math.max(match.heardAt(), since) + maxAge * 1_000;
      // By both clocks, as a source's record expires.
      if (wall <= due && match.writtenAt() + steady - received.at() <= due) return status;
      return new FeedStatus(false, "stale", "silence", (long) due, status.delay(), status.source());
    }
  }

  /** A record with the monotonic time of its arrival. */
  private record Received(Health record, double at) {}

  /** The latest records of feed-health. */
  public static final class HealthTable {
    private final Map<String, Received> sources = new HashMap<>();
    private final Map<Long, Map<String, Received>> matches = new HashMap<>();
    private final Limits limits;

    public HealthTable(Limits limits) {
      this.limits = limits;
    }

    /** Applies a record of a key, `source` or `source/event id`, read at a monotonic time in milliseconds; null deletes it. */
    public void apply(String key, Health record, double at) {
      int slash = key.lastIndexOf('/');
      String source = slash < 0 ? key : key.substring(0, slash);
      if (slash < 0) {
        if (record == null) sources.remove(source);
        else sources.put(source, new Received(record, at));
        return;
      }
      Map<String, Received> of =
          matches.computeIfAbsent(Long.valueOf(key.substring(slash + 1)), one -> new LinkedHashMap<>());
      if (record == null) of.remove(source);
      else of.put(source, new Received(record, at));
    }

    /** Whether a match may be believed, by two clocks in milliseconds: one source that is alive is enough. */
    public FeedStatus match(long eventId, long wall, double steady) {
      List<FeedStatus> statuses =
          matches.getOrDefault(eventId, Map.of()).values().stream()
              .map(match -> limits.within(status(sources.get(match.record().source()), match.record(), wall, steady), match, wall, steady))
              .toList();
      return statuses.stream()
          .filter(FeedStatus::believed)
          .findFirst()
          // Of several that are not believed, the most recently disbelieved.
          .or(() -> statuses.stream().max(Comparator.comparingLong(one -> one.since() == null ? 0 : one.since())))
          .orElse(new FeedStatus(false, "unknown", null, null, null, null));
    }
  }

  /** A record of trading-halts. */
  public record Halt(boolean halted, Long until) {}

  /** The latest records of trading-halts: what operators have halted by hand. */
  public static final class HaltTable {
    private final Map<String, Halt> records = new HashMap<>();
    /** On the monotonic clock: a step of the other one neither ends a halt nor brings one back. */
    private final Map<String, Double> ends = new HashMap<>();
    private double readAt = Double.NEGATIVE_INFINITY;

    /** Applies a record of a key; null deletes it. */
    public void apply(String key, Halt record) {
      ends.remove(key);
      if (record == null) records.remove(key);
      else records.put(key, record);
    }

    /** Notes that the topic was read to the end that it had at a monotonic time in milliseconds. */
    public void readTo(double at) {
      readAt = Math.max(readAt, at);
    }

    /** Returns the reasons that halts are against trading a match. A match of an unknown competition (null) may be of any. */
    public List<String> of(long eventId, Long competitionId, long wall, double steady) {
      Set<String> about = Set.of("all", "match:" + eventId, "competition:" + competitionId);
      records.forEach(
          (key, one) ->
              ends.putIfAbsent(key, one.until() == null ? Double.POSITIVE_INFINITY : one.until() - wall + steady));
      boolean halted =
          records.entrySet().stream()
              .anyMatch(
                  one ->
                      one.getValue().halted()
                          && steady < ends.get(one.getKey())
                          && (about.contains(one.getKey())
                              || competitionId == null && one.getKey().startsWith("competition:")));
      List<String> reasons = new ArrayList<>();
      if (halted) reasons.add("halted_by_hand");
      if (steady - readAt > MAX_UNREAD_MS) reasons.add("halts_unread");
      return reasons;
    }
  }

  private TradingRule() {}

  /** Returns the permission to trade on a match. `match` is null without a state; `doubts` are the reader's own reasons. */
  public static Trading trading(Match match, FeedStatus feed, List<String> halts, List<String> doubts) {
    if (match != null && match.statusType() != null && OVER.contains(match.statusType()))
      return new Trading("not_in_play", List.of());
    List<String> reasons = new ArrayList<>(match == null ? List.of("unknown_match") : match.reasons());
    if (match != null && !match.safe() && reasons.isEmpty()) reasons.add("unsafe");
    // Before the kick-off there is no score to act on, and no feed to believe.
    boolean begins = match != null && "scheduled".equals(match.statusType());
    if (match != null && !match.hasFirmScore() && !begins) reasons.add("unknown_score");
    reasons.addAll(halts);
    reasons.addAll(doubts);
    if (!feed.believed() && !begins) reasons.add("feed_" + feed.state());
    if (!reasons.isEmpty()) return new Trading("halted", reasons);
    return new Trading(begins ? "not_in_play" : "safe", reasons);
  }

  /** Returns what to hold of a match once a state was read. A later message that made an earlier version is a doubt. */
  public static Held next(Held known, long version, long offset) {
    if (known == null || version > known.version()) return new Held(version, offset, false);
    if (version == known.version())
      return known.inDoubt() || offset > known.offset() ? new Held(version, offset, false) : known;
    // An earlier message was only read again.
    return offset < known.offset() ? known : new Held(known.version(), known.offset(), true);
  }

  /** Combines a source's record with that of one of its matches. */
  private static FeedStatus status(Received received, Health match, long wall, double steady) {
    if (match.state().equals("ended")) return recorded(match);
    if (received == null) return new FeedStatus(false, "unknown", null, null, null, match.source());
    Health source = received.record();
    Long until = source.validUntil();
    if (until == null) return new FeedStatus(false, "expired", null, null, null, source.source());
    // Both clocks: the wall clock detects a record that was read late, the monotonic one is right when wall clocks differ or step.
    if (wall >= until || steady - received.at() >= until - source.writtenAt())
      return new FeedStatus(false, "expired", null, Math.min(until, wall), null, source.source());
    // The leading monitor has not evaluated the match yet.
    if (match.term() < source.term())
      return new FeedStatus(false, "expired", null, match.since(), null, match.source());
    return recorded(BELIEVED.contains(source.state()) || !BELIEVED.contains(match.state()) ? match : source);
  }

  private static FeedStatus recorded(Health record) {
    return new FeedStatus(
        BELIEVED.contains(record.state()),
        record.state(),
        record.reason(),
        record.since(),
        record.delay(),
        record.source());
  }
}
