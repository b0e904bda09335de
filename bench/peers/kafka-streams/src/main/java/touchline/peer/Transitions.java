package touchline.peer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import touchline.Clock;
import touchline.Guard;
import touchline.MatchState;
import touchline.MatchTransition;
import touchline.Score;
import touchline.ScoreChange;
import touchline.ValueChange;

/** Law 10: returns the changes of one message as records of match-transitions, in a fixed order. */
final class Transitions {
  private static final Defaults DEFAULTS = new Defaults(MatchTransition.getClassSchema());
  private static final int TICK_TOLERANCE_SECONDS = 2;
  /** Fields with their own kind of transition. */
  private static final Map<String, String> OWN_KIND = Map.of(
      "status_id", "status_changed",
      "status_type", "status_changed",
      "clock_status", "clock_changed",
      "bet_status", "bet_status_changed",
      "verified_result", "result_verified");

  private final Match match;
  private final MatchState state;
  private final List<String> changedFields;
  private final Match.Before before;
  private final List<MatchTransition> emitted = new ArrayList<>(2);

  Transitions(Match match, MatchState state, List<String> changedFields, Match.Before before) {
    this.match = match;
    this.state = state;
    this.changedFields = changedFields;
    this.before = before;
  }

  List<MatchTransition> emit(Change change) {
    for (Held held : change.touched) incident(held);
    if (before.goals != match.goals()) goals();
    score("score_changed", before.score, state.getScore());
    score("firm_score_changed", before.firm, state.getFirm());
    value("status_changed", words(before.statusId, before.statusType),
        words(state.getStatusId(), state.getStatusType()));
    if (isNews(before.clock, state.getClock())) {
      ValueChange clock = new ValueChange(text(before.clock), text(state.getClock()));
      add("clock_changed", null, null, null, clock, null, List.of());
    }
    value("bet_status_changed", before.betStatus, state.getBetStatus());
    value("result_verified", before.verified, state.getVerifiedResult());
    amended(change);
    if (change.snapshot) add("snapshot_applied", null, null, null, null, null, List.of());
    if (before.guard != state.getGuard()) add("guard_changed", null, null, null, null, state.getGuard(), List.of());
    return emitted;
  }

  private void incident(Held held) {
    if (held.incident == null) {
      incident("incident_deleted_unseen", held.id, null);
      return;
    }
    Integer type = held.type();
    if (held.incidentBefore == null) {
      incident("incident_added", held.id, type);
      if (held.removed) incident("incident_removed", held.id, type);
      return;
    }
    boolean moved = held.removed != held.removedBefore;
    if (moved) incident(held.removed ? "incident_removed" : "incident_reinstated", held.id, type);
    String confirmation = held.incident.getConfirmation();
    String decided = null;
    if (!Objects.equals(confirmation, held.incidentBefore.getConfirmation())) {
      if ("confirmed".equals(confirmation)) decided = "incident_confirmed";
      if ("cancelled".equals(confirmation)) decided = "incident_cancelled";
    }
    if (decided != null) incident(decided, held.id, type);
    boolean amended = held.incident != held.incidentBefore || !Objects.equals(held.deletedAt, held.deletedBefore);
    if (amended && decided == null && !moved) incident("incident_amended", held.id, type);
  }

  private void goals() {
    Map<String, String> was = before.goals.voided;
    Map<String, String> is = match.goals().voided;
    Set<String> turned = new TreeSet<>();
    for (String id : is.keySet()) if (!was.containsKey(id)) turned.add(id);
    for (String id : match.goals().valid) if (was.containsKey(id)) turned.add(id);
    for (String id : turned) {
      incident(is.containsKey(id) ? "goal_cancelled" : "goal_reinstated", id, match.typeOf(id));
    }
  }

  /** Fields that no other kind emitted. A ticking clock or a repeated field alone is emitted only without others. */
  private void amended(Change change) {
    if (changedFields.isEmpty() && !emitted.isEmpty()) return;
    Set<String> kinds = new HashSet<>();
    for (MatchTransition one : emitted) kinds.add(one.getKind());
    TreeSet<String> untold = new TreeSet<>();
    for (String name : changedFields) {
      if (!name.equals("clock_time") && !kinds.contains(OWN_KIND.getOrDefault(name, ""))) untold.add(name);
    }
    if (!untold.isEmpty()) {
      add("event_amended", null, null, null, null, null, List.copyOf(untold));
    } else if (emitted.isEmpty() && !change.snapshot) {
      boolean ticked = changedFields.contains("clock_time");
      add("event_amended", null, null, null, null, null, ticked ? List.of("clock_time") : List.of());
    }
  }

  private void incident(String kind, String id, Integer type) {
    add(kind, id, type, null, null, null, List.of());
  }

  private void score(String kind, Score was, Score is) {
    if (!Match.same(was, is)) add(kind, null, null, new ScoreChange(was, is), null, null, List.of());
  }

  private void value(String kind, String was, String is) {
    if (!Objects.equals(was, is)) add(kind, null, null, null, new ValueChange(was, is), null, List.of());
  }

  /** Whether the status changed, or the time differs from the running clock. */
  private static boolean isNews(Clock was, Clock is) {
    if (was == null || is == null) return was != is;
    if (!Objects.equals(was.getStatus(), is.getStatus())) return true;
    if (was.getTime() == null || is.getTime() == null) return was.getTime() != is.getTime();
    long expected = was.getTime();
    if ("running".equals(was.getStatus())) expected += Math.max(0, is.getUt() - was.getUt());
    return Math.abs(is.getTime() - expected) > TICK_TOLERANCE_SECONDS;
  }

  private static String text(Clock clock) {
    return clock == null ? null : words(clock.getTime(), clock.getStatus());
  }

  private static String words(Integer number, String word) {
    if (number == null) return word;
    return word == null ? number.toString() : number + " " + word;
  }

  /** Without the presence of an incident and the goals of a score, which webhooks and alerts need: the peer writes that much less. */
  private void add(String kind, String incidentId, Integer type, ScoreChange score, ValueChange value, Guard guard,
      List<String> fields) {
    int n = emitted.size();
    String id = state.getEventId() + ":" + state.getVersion() + ":" + n;
    MatchTransition one = DEFAULTS.on(new MatchTransition());
    one.setId(id);
    one.setEventId(state.getEventId());
    one.setVersion(state.getVersion());
    one.setN(n);
    one.setKind(kind);
    one.setIncidentId(incidentId);
    one.setIncidentType(type);
    one.setScore(score);
    one.setValue(value);
    one.setGuard(guard);
    one.setFields(fields);
    one.setCause(state.getCause());
    one.setCompetitionId(state.getCompetitionId());
    emitted.add(one);
  }
}
