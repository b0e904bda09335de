package touchline.peer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import touchline.Clock;
import touchline.IncidentPresence;
import touchline.IncidentRecord;
import touchline.KeyIncident;
import touchline.TransitionMatch;
import touchline.MatchState;
import touchline.MatchTransition;
import touchline.NormalizedMessage;
import touchline.Score;
import touchline.ScoreChange;
import touchline.ScoreSource;
import touchline.ValueChange;

/** Law 10: returns the changes of one message as records of match-transitions, in a fixed order. */
final class Transitions {
  private static final Defaults DEFAULTS = new Defaults(MatchTransition.getClassSchema());
  private static final int TICK_TOLERANCE_SECONDS = 2;
  /** Fields with their own kind of transition. */
  private static final Map<String, String> OWN_KIND = Map.of(
      "status_id", "status_changed",
      "status_type", "status_changed",
      "status_name", "status_changed",
      "clock_status", "clock_changed",
      "bet_status", "bet_status_changed");

  /** Fields that advance while the match runs. */
  private static final Set<String> TICKING = Set.of("clock_time", "played_time", "ut");
  private static final Defaults PRESENCE_DEFAULTS = new Defaults(IncidentPresence.getClassSchema());

  private static final Set<String> OVER = Set.of("finished", "cancelled", "deleted");

  private final Match match;
  private final MatchState state;
  private final List<String> changedFields;
  private final List<String> outranked;
  private final NormalizedMessage message;
  private final Match.Before before;
  private final TransitionMatch now;
  private final List<MatchTransition> emitted = new ArrayList<>(2);

  Transitions(Match match, MatchState state, EventFields fields, NormalizedMessage message, Match.Before before) {
    this.match = match;
    this.state = state;
    this.changedFields = fields.changed();
    this.outranked = List.copyOf(fields.outranked());
    this.message = message;
    this.before = before;
    this.now = new TransitionMatch(state.getName(), state.getSportId(), state.getCompetitionId(), state.getSeasonId(),
        state.getHome(), state.getAway(), state.getStatusId(), state.getStatusType(), isOver(state.getStatusType()),
        state.getScore(), before.score, state.getFirm(), before.firm, state.getGuard(),
        state.getVersion() == 1 ? null : before.guard);
  }

  private static boolean isOver(String statusType) {
    return statusType != null && OVER.contains(statusType);
  }

  List<MatchTransition> emit(Change change) {
    for (Held held : change.touched) incident(held);
    if (before.goals != match.goals()) goals();
    score("score_changed", before.score, state.getScore(), countedNow());
    score("firm_score_changed", before.firm, state.getFirm(), List.of());
    value("status_changed", words(before.statusId, before.statusType),
        words(state.getStatusId(), state.getStatusType()));
    if (isNews(before.clock, state.getClock())) {
      add("clock_changed").setValue(new ValueChange(text(before.clock), text(state.getClock())));
    }
    value("bet_status_changed", before.betStatus, state.getBetStatus());
    amended();
    if (before.guard != state.getGuard()) add("guard_changed");
    return emitted;
  }

  /** Only the first transition of an incident says where it stands. */
  private void incident(Held held) {
    int first = emitted.size();
    for (String kind : kinds(held)) incident(kind, held);
    if (emitted.size() > first) emitted.get(first).setIncidentPresence(presence(held));
  }

  private static List<String> kinds(Held held) {
    if (held.incident == null) return List.of("incident_deleted_unseen");
    List<String> kinds = new ArrayList<>(2);
    if (held.incidentBefore == null) {
      kinds.add("incident_added");
      if (held.removed) kinds.add("incident_removed");
      return kinds;
    }
    boolean moved = held.removed != held.removedBefore;
    if (moved) kinds.add(held.removed ? "incident_removed" : "incident_reinstated");
    String confirmation = held.incident.getConfirmation();
    String decided = null;
    if (!Objects.equals(confirmation, held.incidentBefore.getConfirmation())) {
      if ("confirmed".equals(confirmation)) decided = "incident_confirmed";
      if ("cancelled".equals(confirmation)) decided = "incident_cancelled";
    }
    if (decided != null) kinds.add(decided);
    boolean amended = !Values.sameBut("message_id", held.incident, held.incidentBefore)
        || !Objects.equals(held.deletedAt, held.deletedBefore);
    if (amended && decided == null && !moved) kinds.add("incident_amended");
    return kinds;
  }

  /** The record is left out where the cause shows it. */
  private IncidentPresence presence(Held held) {
    IncidentRecord own = message.getIncident();
    boolean shown = own != null && own.getIncident().getId().equals(held.id)
        && (own.getDeleted() || own.getIncident() == held.incident);
    boolean cancelledFirst = held.incidentBefore == null && held.incident != null && held.isCancelled();
    IncidentPresence presence = PRESENCE_DEFAULTS.on(new IncidentPresence());
    presence.setRemoved(held.removed);
    presence.setPresentAt(held.incident == null ? null : held.incident.getUt());
    presence.setAbsentAt(held.deletedAt);
    presence.setIncident(shown && !cancelledFirst ? null : held.incident);
    return presence;
  }

  private void goals() {
    Map<String, String> was = before.goals.voided;
    Map<String, String> is = match.goals().voided;
    Set<String> turned = new TreeSet<>();
    for (String id : is.keySet()) if (!was.containsKey(id)) turned.add(id);
    for (String id : match.goals().valid) if (was.containsKey(id)) turned.add(id);
    for (String id : turned) {
      String kind = is.containsKey(id) ? "goal_cancelled" : "goal_reinstated";
      incident(kind, match.held(id)).setScore(new ScoreChange(before.score, state.getScore()));
    }
  }

  /** The goals that count from this version on. */
  private List<KeyIncident> countedNow() {
    if (before.goals == match.goals() || state.getSource() != ScoreSource.incidents) return List.of();
    List<String> counted = new ArrayList<>(match.goals().counting);
    counted.removeAll(before.goals.counting);
    List<KeyIncident> keys = new ArrayList<>(counted.size());
    for (String id : counted) keys.add(match.keyIncident(match.held(id)));
    return keys;
  }

  /** Fields that no other kind emitted. A ticking clock or a repeated field alone is emitted only without others. */
  private void amended() {
    if (changedFields.isEmpty() && !emitted.isEmpty()) return;
    Set<String> kinds = new HashSet<>();
    for (MatchTransition one : emitted) kinds.add(one.getKind());
    TreeSet<String> untold = new TreeSet<>();
    for (String name : changedFields) {
      if (!TICKING.contains(name) && !kinds.contains(OWN_KIND.getOrDefault(name, ""))) untold.add(name);
    }
    if (!untold.isEmpty()) add("event_amended").setFields(List.copyOf(untold));
    else if (emitted.isEmpty()) {
      add("event_amended").setFields(List.copyOf(new TreeSet<>(changedFields)));
    }
  }

  private MatchTransition incident(String kind, Held held) {
    MatchTransition one = add(kind);
    one.setIncidentId(held.id);
    one.setIncidentType(held.incident == null ? null : held.type());
    one.setKeyIncident(held.incident == null ? null : match.keyIncident(held));
    one.setKeyIncidentBefore(match.keyBefore(held, before.goals));
    return one;
  }

  private void score(String kind, Score was, Score is, List<KeyIncident> goals) {
    if (Match.same(was, is)) return;
    MatchTransition one = add(kind);
    one.setScore(new ScoreChange(was, is));
    one.setGoals(goals);
  }

  private void value(String kind, String was, String is) {
    if (!Objects.equals(was, is)) add(kind).setValue(new ValueChange(was, is));
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

  private MatchTransition add(String kind) {
    int n = emitted.size();
    MatchTransition one = DEFAULTS.on(new MatchTransition());
    one.setId(state.getEventId() + ":" + state.getVersion() + ":" + n);
    one.setEventId(state.getEventId());
    one.setVersion(state.getVersion());
    one.setN(n);
    one.setKind(kind);
    one.setFields(List.of());
    one.setCause(state.getCause());
    one.setMatch(now);
    one.setOutranked(outranked);
    emitted.add(one);
    return one;
  }
}
