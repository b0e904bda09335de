package touchline.peer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import touchline.Agreement;
import touchline.Cause;
import touchline.Clock;
import touchline.Coverage;
import touchline.Guard;
import touchline.Incident;
import touchline.KeyIncident;
import touchline.MatchIncident;
import touchline.MatchState;
import touchline.NormalizedMessage;
import touchline.Score;
import touchline.ScoreSource;

/** One event: its registers, and the state derived from them. Derives only the parts that a message can change. */
final class Match {
  private static final int RED_CARD = 418;
  private static final Defaults STATE_DEFAULTS = new Defaults(MatchState.getClassSchema());
  private static final Defaults INCIDENT_DEFAULTS = new Defaults(MatchIncident.getClassSchema());
  private static final Defaults KEY_DEFAULTS = new Defaults(KeyIncident.getClassSchema());

  private final EventFields fields = new EventFields();
  private final Map<String, Held> incidents = new HashMap<>();
  /** Goals and their cancellations, in order of their ids. */
  private final TreeMap<String, Held> goalIncidents = new TreeMap<>();
  /** Goals and red cards, in order of their ids. */
  private final TreeMap<String, Held> keyIncidents = new TreeMap<>();
  private final Signals signals = new Signals();
  private final MatchState state = STATE_DEFAULTS.on(new MatchState());
  private final EventFacts facts = new EventFacts(fields, state);
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
    final Goals goals = Match.this.goals;
  }

  /** The state after the last change. The object is used again: encode it before the next one. */
  MatchState state() {
    state.setReports(fields.encode());
    List<KeyIncident> keys = new ArrayList<>(keyIncidents.size());
    for (Held held : keyIncidents.values()) keys.add(keyIncident(held));
    state.setKeyIncidents(keys);
    return state;
  }

  MatchIncident incident(Held held) {
    MatchIncident one = INCIDENT_DEFAULTS.on(new MatchIncident());
    one.setEventId(state.getEventId());
    one.setId(held.id);
    one.setVersion(state.getVersion());
    one.setRemoved(held.removed);
    one.setDeletedAt(held.deletedAt);
    one.setIncident(held.incident);
    one.setCause(state.getCause());
    return one;
  }

  Goals goals() {
    return goals;
  }

  Held held(String incidentId) {
    return incidents.get(incidentId);
  }

  /** The key incident of an incident before a message; null without one. */
  KeyIncident keyBefore(Held held, Goals before) {
    if (held.incidentBefore == null) return null;
    KeyIncident key = newKeyIncident(held.id, held.incidentBefore);
    key.setCountsForId(before.countsFor.get(held.id));
    key.setStands(!held.removedBefore && !"cancelled".equals(held.incidentBefore.getConfirmation())
        && !before.voided.containsKey(held.id));
    return key;
  }

  /** The key incident of an incident with a record. The object is used again: encode it before the next message. */
  KeyIncident keyIncident(Held held) {
    if (held.keyOf != held.incident || held.keyPeriods != facts.periods()) {
      held.key = newKeyIncident(held.id, held.incident);
      held.keyOf = held.incident;
      held.keyPeriods = facts.periods();
    }
    held.key.setCountsForId(goals.countsFor.get(held.id));
    held.key.setStands(!held.removed && !held.isCancelled() && !goals.voided.containsKey(held.id));
    return held.key;
  }

  private KeyIncident newKeyIncident(String id, Incident incident) {
    Long player = incident.getSubparticipantId();
    Integer time = incident.getEventTime();
    KeyIncident key = KEY_DEFAULTS.on(new KeyIncident());
    key.setId(id);
    key.setIncidentType(incident.getIncidentId());
    key.setTeamId(incident.getParticipantId());
    key.setPlayerId(player != null && player > 0 ? player : null);
    key.setPlayerName(incident.getSubparticipantName());
    key.setMinute(time == null ? null : facts.periods().minute(time, incident.getEventStatusId()));
    key.setInShootOut(false);
    return key;
  }

  Change apply(NormalizedMessage message, Cause cause) {
    Change change = new Change();
    Before before = new Before();
    boolean reported = fields.apply(message.getEvent(), message.getUt(), Values.wholeNumber(message.getMessageId()));
    if (message.getIncident() != null) {
      Incident record = message.getIncident().getIncident();
      if (message.getIncident().getDeleted()) delete(record, change);
      else upsert(record, change);
    }
    if (!reported && change.touched.isEmpty()) return change;

    state.setVersion(state.getVersion() + 1);
    state.setCause(cause);
    boolean goalsChanged = reported && facts.read();
    for (Held held : change.touched) goalsChanged |= settle(held);
    change.touched.sort((a, b) -> a.id.compareTo(b.id));
    if (goalsChanged) deriveGoals();
    decide();
    change.transitions = new Transitions(this, state, fields, message, before).emit(change);
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

  private static void touch(Held held, Change change) {
    if (held.remember(change)) change.touched.add(held);
  }

  /** Decides whether it is removed, and updates the indexes beside the register; true when the goals may change. */
  private boolean settle(Held held) {
    boolean wasRemoved = held.removed;
    held.removed = held.isDeleted();
    if (held.indexed == null && held.incident != null) known++;
    starts += start(held.incident, held.removed) - start(held.indexed, held.indexedRemoved);
    if (held.removed != wasRemoved) state.setRemoved(removed());
    signals.update(held);
    int type = held.type();
    int typeBefore = held.indexed == null ? 0 : held.indexed.getIncidentId();
    held.indexed = held.incident;
    held.indexedRemoved = held.removed;
    if (Goals.isGoal(type) || type == RED_CARD) keyIncidents.put(held.id, held);
    else keyIncidents.remove(held.id);
    if (Goals.concerns(type)) goalIncidents.put(held.id, held);
    else goalIncidents.remove(held.id);
    return Goals.concerns(type) || Goals.concerns(typeBefore);
  }

  private static int start(Incident incident, boolean removed) {
    if (incident == null || removed) return 0;
    return incident.getIncidentId() == 427 || incident.getIncidentId() == 429 ? 1 : 0;
  }

  private List<String> removed() {
    List<String> ids = new ArrayList<>();
    for (Held held : incidents.values()) if (held.removed) ids.add(held.id);
    ids.sort(null);
    return ids;
  }

  private void deriveGoals() {
    goals = new Goals(goalIncidents.values(), facts.home(), facts.away());
    showGoals();
  }

  private void showGoals() {
    state.setUnderReview(goals.underReview);
    state.setCountingGoals(goals.counting);
    state.setVoidGoals(goals.voided);
    state.setVoidBy(goals.voidBy);
    state.setOrphans(goals.orphans);
  }

  /** Laws 8 and 9. */
  private void decide() {
    decideScore(Statuses.isFinished(state.getStatusId(), state.getStatusType()));
    state.setAnomalies(goals.anomalies);
    Signals.Facts known = new Signals.Facts(facts.statusAt(), facts.resultsAt(), goals.unexplainedAt);
    state.setGuard(signals.guard(state, known, incidents));
  }

  /** Law 8. */
  private void decideScore(boolean finished) {
    Coverage coverage = starts > 0 ? Coverage.complete : known > 0 ? Coverage.partial : Coverage.none;
    Score reported = state.getReported();
    Score derived = coverage != Coverage.none ? goals.score : null;
    Score complete = coverage == Coverage.complete ? derived : null;
    state.setCoverage(coverage);
    state.setDerived(derived);
    Agreement agreement = reported == null ? Agreement.unknown
        : complete == null || same(complete, reported) ? Agreement.agrees : Agreement.differs;
    if (reported != null && (complete == null || finished)) {
      show(ScoreSource.reported, reported, reported, agreement);
    } else if (derived != null) {
      show(ScoreSource.incidents, derived, goals.firm, agreement);
    } else {
      show(ScoreSource.none, null, null, Agreement.unknown);
    }
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
    fields.restore(restored.getReports(), restored.getFirstFinished(), restored.getFirstStarted(), restored.getLastScheduled());
    state.setVersion(restored.getVersion());
    state.setCause(restored.getCause());
  }

  void restore(MatchIncident restored) {
    Held held = new Held(restored.getId());
    held.incident = restored.getIncident();
    held.deletedAt = restored.getDeletedAt();
    incidents.put(held.id, held);
  }

  /** To be called once after everything was restored. */
  void restored() {
    facts.read();
    for (Held held : incidents.values()) settle(held);
    deriveGoals();
    decide();
  }
}
