package touchline.peer;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import touchline.Agreement;
import touchline.Cause;
import touchline.Clock;
import touchline.Coverage;
import touchline.Guard;
import touchline.Incident;
import touchline.MatchIncident;
import touchline.MatchState;
import touchline.NormalizedMessage;
import touchline.Participant;
import touchline.Score;
import touchline.ScoreSource;

/** One event: its registers, and the state derived from them. Derives only the parts that a message can change. */
final class Match {
  private static final int SOCCER = 5;
  private static final Set<Integer> FINISHED_STATUSES = Set.of(7, 11, 12, 13, 14, 140);
  private static final Defaults STATE_DEFAULTS = new Defaults(MatchState.getClassSchema());
  private static final Defaults INCIDENT_DEFAULTS = new Defaults(MatchIncident.getClassSchema());
  private static final Defaults CLOCK_DEFAULTS = new Defaults(Clock.getClassSchema());
  private static final Defaults PARTICIPANT_DEFAULTS = new Defaults(Participant.getClassSchema());

  private final EventFields fields = new EventFields();
  private final Map<String, Held> incidents = new HashMap<>();
  /** Goals and their cancellations, in order of their ids. */
  private final TreeMap<String, Held> goalIncidents = new TreeMap<>();
  private final Signals signals = new Signals();
  private final MatchState state = STATE_DEFAULTS.on(new MatchState());
  private Goals goals = new Goals(List.of(), null, null);
  private int known;
  private int starts;

  Match(long eventId) {
    state.setEventId(eventId);
    state.setSource(ScoreSource.none);
    state.setCoverage(Coverage.none);
    state.setAgreement(Agreement.unknown);
    state.setGuard(new Guard(true, List.of()));
    state.setRemoved(List.of());
    // Scorers, which alerts and readers show, are not written.
    state.setKeyIncidents(List.of());
    showGoals();
  }

  /** What the state was before a message, as far as transitions compare it. */
  final class Before {
    final Score score = state.getScore();
    final Score firm = state.getFirm();
    final Integer statusId = state.getStatusId();
    final String statusType = state.getStatusType();
    final String betStatus = state.getBetStatus();
    final Clock clock = state.getClock();
    final Guard guard = state.getGuard();
    final String verified = state.getVerifiedResult();
    final Goals goals = Match.this.goals;
  }

  /** The state after the last change. The object is used again: encode it before the next one. */
  MatchState state() {
    state.setFields(fields.encode());
    return state;
  }

  MatchIncident incident(Held held) {
    MatchIncident one = INCIDENT_DEFAULTS.on(new MatchIncident());
    one.setEventId(state.getEventId());
    one.setId(held.id);
    one.setVersion(state.getVersion());
    one.setRemoved(held.removed);
    one.setDeletedAt(held.deletedAt);
    one.setListedAt(held.listedAt);
    one.setIncident(held.incident);
    one.setCause(state.getCause());
    return one;
  }

  Goals goals() {
    return goals;
  }

  int typeOf(String incidentId) {
    return incidents.get(incidentId).type();
  }

  Change apply(NormalizedMessage message, Cause cause) {
    Change change = new Change();
    Before before = new Before();
    boolean reported = fields.apply(message.getEventFields(), message.getUt());
    if (message.getSnapshot() != null) snapshot(message.getSnapshot(), message.getUt(), change);
    else if (message.getIncident() != null) {
      Incident record = message.getIncident().getIncident();
      if (message.getIncident().getDeleted()) delete(record, change);
      else upsert(record, change);
    }
    if (!reported && change.touched.isEmpty() && !change.snapshot) return change;

    state.setVersion(state.getVersion() + 1);
    state.setCause(cause);
    boolean goalsChanged = reported && readFields();
    for (Held held : change.touched) goalsChanged |= settle(held);
    if (goalsChanged) deriveGoals();
    decideScore();
    state.setGuard(signals.guard(state, incidents.values()));
    change.transitions = new Transitions(this, state, fields.changed(), before).emit(change);
    return change;
  }

  private void upsert(Incident record, Change change) {
    Held held = incidents.computeIfAbsent(record.getId(), Held::new);
    if (!held.yieldsTo(record)) return;
    touch(held, change);
    held.incident = record;
  }

  private void delete(Incident record, Change change) {
    Held held = incidents.computeIfAbsent(record.getId(), Held::new);
    if (held.deletedAt != null && held.deletedAt >= record.getUt()) return;
    touch(held, change);
    held.deletedAt = record.getUt();
  }

  private void snapshot(List<Incident> listed, Long at, Change change) {
    for (Incident record : listed) {
      upsert(record, change);
      Held held = incidents.get(record.getId());
      if (held.listedAt != null && held.listedAt >= at) continue;
      touch(held, change);
      held.listedAt = at;
      change.snapshot = true;
    }
    if (state.getSnapshotAt() == null || at > state.getSnapshotAt()) {
      state.setSnapshotAt(at);
      change.snapshot = true;
      for (Held held : incidents.values()) if (held.absent(at) != held.removed) touch(held, change);
    }
    change.touched.sort((a, b) -> a.id.compareTo(b.id));
  }

  private static void touch(Held held, Change change) {
    if (change.touched.contains(held)) return;
    held.remember();
    change.touched.add(held);
  }

  /** Updates the indexes beside the register; true when the goals may change. */
  private boolean settle(Held held) {
    held.removed = held.absent(state.getSnapshotAt());
    if (held.incidentBefore == null && held.incident != null) known++;
    starts += start(held.incident, held.removed) - start(held.incidentBefore, held.removedBefore);
    if (held.removed != held.removedBefore) listRemoved();
    signals.update(held);
    boolean belongs = Goals.concerns(held.type());
    if (belongs) goalIncidents.put(held.id, held);
    else if (held.incidentBefore != null && Goals.concerns(held.incidentBefore.getIncidentId())) {
      goalIncidents.remove(held.id);
      return true;
    }
    return belongs;
  }

  private static int start(Incident incident, boolean removed) {
    if (incident == null || removed) return 0;
    return incident.getIncidentId() == 427 || incident.getIncidentId() == 429 ? 1 : 0;
  }

  private void listRemoved() {
    List<String> removed = new ArrayList<>();
    for (Held held : incidents.values()) if (held.removed) removed.add(held.id);
    removed.sort(null);
    state.setRemoved(removed);
  }

  /** Reads the changed fields; true when a goal's side, or whether goals have rules, may have changed. */
  private boolean readFields() {
    boolean sides = false;
    boolean hadGoalRules = hasGoalRules();
    for (String name : fields.changed()) {
      String json = fields.get(name);
      switch (name) {
        case "name" -> state.setName(Json.text(json));
        case "sport_id" -> state.setSportId(Json.integer(json));
        case "competition_id" -> state.setCompetitionId(Json.number(json));
        case "season_id" -> state.setSeasonId(Json.number(json));
        case "stage_id" -> state.setStageId(Json.number(json));
        case "group_id" -> state.setGroupId(Json.number(json));
        case "start_date" -> state.setStartDate(Json.text(json));
        case "status_id" -> state.setStatusId(Json.integer(json));
        case "status_type" -> state.setStatusType(Json.text(json));
        case "relation_status" -> state.setRelationStatus(Json.text(json));
        case "bet_status" -> state.setBetStatus(Json.text(json));
        case "verified_result" -> state.setVerifiedResult(json.equals("null") ? null : json);
        case "participants" -> sides = readParticipants(json);
        default -> { }
      }
    }
    String time = fields.get("clock_time");
    String status = fields.get("clock_status");
    if (time != null || status != null) {
      Clock clock = CLOCK_DEFAULTS.on(new Clock());
      clock.setTime(Json.integer(time));
      clock.setStatus(Json.text(status));
      clock.setUt(fields.reportedAt(time == null ? "clock_status" : "clock_time"));
      state.setClock(clock);
    }
    return sides || hadGoalRules != hasGoalRules();
  }

  private boolean readParticipants(String json) {
    Participant[] side = new Participant[3];
    Integer[] result = new Integer[3];
    for (JsonNode one : Json.tree(json)) {
      int counter = one.path("counter").asInt();
      if (counter != 1 && counter != 2) continue;
      Participant participant = PARTICIPANT_DEFAULTS.on(new Participant());
      participant.setId(one.path("id").asLong());
      participant.setName(Json.text(one.path("name")));
      participant.setShortName(Json.text(one.path("short_name")));
      participant.setAcronym(Json.text(one.path("acronym")));
      side[counter] = participant;
      for (JsonNode item : one.path("results")) {
        if (item.path("id").asInt() == 2) result[counter] = Json.integer(item.path("value"));
      }
    }
    boolean changed = !Objects.equals(idOf(side[1]), idOf(state.getHome()))
        || !Objects.equals(idOf(side[2]), idOf(state.getAway()));
    state.setHome(side[1]);
    state.setAway(side[2]);
    state.setReported(result[1] == null || result[2] == null ? null : new Score(result[1], result[2]));
    return changed;
  }

  private static Long idOf(Participant participant) {
    return participant == null ? null : participant.getId();
  }

  private void deriveGoals() {
    goals = new Goals(hasGoalRules() ? goalIncidents.values() : List.of(), idOf(state.getHome()), idOf(state.getAway()));
    showGoals();
  }

  /** An unknown sport counts as soccer. */
  private boolean hasGoalRules() {
    return state.getSportId() == null || state.getSportId() == SOCCER;
  }

  private void showGoals() {
    state.setShootOut(goals.shootOut);
    state.setUnderReview(goals.underReview);
    state.setCountingGoals(goals.counting);
    state.setVoidGoals(goals.voided);
    state.setOrphans(goals.orphans);
    state.setAnomalies(goals.anomalies);
  }

  /** Law 8. */
  private void decideScore() {
    Coverage coverage = state.getSnapshotAt() != null || starts > 0 ? Coverage.complete
        : known > 0 ? Coverage.partial : Coverage.none;
    Score reported = state.getReported();
    Score derived = hasGoalRules() && coverage != Coverage.none ? goals.score : null;
    Score complete = coverage == Coverage.complete ? derived : null;
    state.setCoverage(coverage);
    state.setDerived(derived);
    Agreement agreement = reported == null ? Agreement.unknown
        : complete == null || same(complete, reported) ? Agreement.agrees : Agreement.differs;
    if (reported != null && (complete == null || isFinished())) {
      show(ScoreSource.reported, reported, reported, agreement);
    } else if (derived != null) {
      show(ScoreSource.incidents, derived, goals.firm, agreement);
    } else {
      show(ScoreSource.none, null, null, Agreement.unknown);
    }
  }

  private boolean isFinished() {
    return "finished".equals(state.getStatusType())
        || state.getStatusId() != null && FINISHED_STATUSES.contains(state.getStatusId());
  }

  private void show(ScoreSource source, Score score, Score firm, Agreement agreement) {
    state.setSource(source);
    state.setScore(score);
    state.setFirm(firm);
    state.setAgreement(agreement);
  }

  static boolean same(Score a, Score b) {
    return a == b || a != null && b != null && a.getHome() == b.getHome() && a.getAway() == b.getAway();
  }

  void restore(MatchState restored) {
    fields.restore(restored.getFields());
    state.setVersion(restored.getVersion());
    state.setSnapshotAt(restored.getSnapshotAt());
    state.setCause(restored.getCause());
  }

  void restore(MatchIncident restored) {
    Held held = new Held(restored.getId());
    held.incident = restored.getIncident();
    held.deletedAt = restored.getDeletedAt();
    held.listedAt = restored.getListedAt();
    incidents.put(held.id, held);
  }

  /** To be called once after everything was restored. */
  void restored() {
    for (Held held : incidents.values()) settle(held);
    readFields();
    deriveGoals();
    decideScore();
    state.setGuard(signals.guard(state, incidents.values()));
  }
}
