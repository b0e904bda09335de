package touchline.peer;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
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
import touchline.Participant;
import touchline.ReportKey;
import touchline.Score;
import touchline.ScoreSource;
import touchline.UnreadField;

/** One event: its registers, and the state derived from them. Derives only the parts that a message can change. */
final class Match {
  private static final int SOCCER = 5;
  private static final int RED_CARD = 418;
  private static final int RESULT = 2;
  private static final int SHOOT_OUT_RESULT = 7;
  private static final Set<String> YES = Set.of("true", "1", "yes");
  private static final Defaults STATE_DEFAULTS = new Defaults(MatchState.getClassSchema());
  private static final Defaults INCIDENT_DEFAULTS = new Defaults(MatchIncident.getClassSchema());
  private static final Defaults KEY_DEFAULTS = new Defaults(KeyIncident.getClassSchema());
  private static final Defaults CLOCK_DEFAULTS = new Defaults(Clock.getClassSchema());
  private static final Defaults PARTICIPANT_DEFAULTS = new Defaults(Participant.getClassSchema());

  private final EventFields fields = new EventFields();
  private final Map<String, Held> incidents = new HashMap<>();
  /** Goals and their cancellations, in order of their ids. */
  private final TreeMap<String, Held> goalIncidents = new TreeMap<>();
  /** Goals and red cards, in order of their ids. */
  private final TreeMap<String, Held> keyIncidents = new TreeMap<>();
  private final TreeMap<String, Long> unread = new TreeMap<>();
  private final Signals signals = new Signals();
  private final MatchState state = STATE_DEFAULTS.on(new MatchState());
  private Goals goals = new Goals(List.of(), null, null, held -> held.removed);
  private Periods periods = Periods.USUAL;
  private Score reportedShootOut;
  private boolean verified;
  private boolean wentBack;
  /** Whether the provider's result contradicts its list (law 3). */
  private boolean contradicted;
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
    final String verified = state.getVerifiedResult();
    final Goals goals = Match.this.goals;
  }

  /** The state after the last change. The object is used again: encode it before the next one. */
  MatchState state() {
    state.setFields(fields.encode());
    List<KeyIncident> keys = new ArrayList<>(keyIncidents.size());
    if (hasGoalRules()) for (Held held : keyIncidents.values()) keys.add(keyIncident(held));
    state.setKeyIncidents(keys);
    return state;
  }

  MatchIncident incident(Held held) {
    MatchIncident one = INCIDENT_DEFAULTS.on(new MatchIncident());
    one.setEventId(state.getEventId());
    one.setId(held.id);
    one.setVersion(state.getVersion());
    one.setRemoved(held.removed);
    one.setMissing(held.missing);
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

  private KeyIncident keyIncident(Held held) {
    Incident incident = held.incident;
    if (held.keyOf == incident && held.keyPeriods == periods) return held.key;
    JsonNode body = Json.tree(incident.getBody());
    Long player = Json.number(body.path("subparticipant_id"));
    boolean isPlayer = player != null && player > 0;
    Integer time = incident.getEventTime();
    KeyIncident key = KEY_DEFAULTS.on(new KeyIncident());
    key.setId(held.id);
    key.setIncidentType(incident.getIncidentId());
    key.setTeamId(incident.getParticipantId());
    key.setPlayerId(isPlayer ? player : null);
    key.setPlayerName(isPlayer ? Json.text(body.path("subparticipant_name")) : null);
    key.setMinute(time == null ? null : periods.minute(time, incident.getEventStatusId()));
    key.setInShootOut(Goals.inShootOut(incident));
    held.key = key;
    held.keyOf = incident;
    held.keyPeriods = periods;
    return key;
  }

  Change apply(NormalizedMessage message, Cause cause) {
    Change change = new Change();
    Before before = new Before();
    boolean reported =
        fields.apply(message.getEventFields(), message.getUt(), Json.messageId(message.getMessageId()));
    boolean unreadChanged = noteUnread(message, change);
    if (message.getSnapshot() != null) snapshot(message, change);
    else if (message.getIncident() != null) {
      Incident record = message.getIncident().getIncident();
      if (message.getIncident().getDeleted()) delete(record, change);
      else upsert(record, change);
    }
    if (!reported && !unreadChanged && change.touched.isEmpty() && !change.snapshot) return change;

    state.setVersion(state.getVersion() + 1);
    state.setCause(cause);
    boolean goalsChanged = reported && readFields();
    for (Held held : change.touched) goalsChanged |= settle(held);
    goalsChanged |= contradict(change);
    change.touched.sort((a, b) -> a.id.compareTo(b.id));
    if (goalsChanged) deriveGoals();
    decide();
    change.transitions = new Transitions(this, state, fields, message, before).emit(change);
    return change;
  }

  private boolean noteUnread(NormalizedMessage message, Change change) {
    long ut = message.getUt();
    boolean changed = false;
    for (String path : message.getUnread()) {
      Long known = unread.get(path);
      if (known != null && known >= ut) continue;
      if (known == null) change.unread.add(path);
      unread.put(path, ut);
      changed = true;
    }
    if (changed) {
      List<UnreadField> all = new ArrayList<>(unread.size());
      unread.forEach((path, at) -> all.add(new UnreadField(path, at)));
      state.setUnread(all);
    }
    if (message.getUnreadable() != null && (state.getUnreadAt() == null || state.getUnreadAt() < ut)) {
      state.setUnreadAt(ut);
      changed = true;
    }
    return changed;
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

  /** Applies a list and the deletes beside it. A list without any incident is evidence of nothing. */
  private void snapshot(NormalizedMessage message, Change change) {
    Long at = message.getUt();
    for (Incident record : message.getSnapshot()) {
      upsert(record, change);
      Held held = incidents.get(record.getId());
      if (held.listedAt != null && held.listedAt >= at) continue;
      touch(held, change);
      held.listedAt = at;
      change.snapshot = true;
    }
    for (Incident record : message.getDeleted()) delete(record, change);
    if (message.getSnapshot().isEmpty() || state.getSnapshotAt() != null && at <= state.getSnapshotAt()) return;
    state.setSnapshotAt(at);
    change.snapshot = true;
    touchUnsettled(change);
  }

  private void touchUnsettled(Change change) {
    Long at = state.getSnapshotAt();
    for (Held held : incidents.values()) {
      if (held.isRemoved(at, contradicted) != held.removed || held.isMissing(at, contradicted) != held.missing) {
        touch(held, change);
      }
    }
  }

  private static void touch(Held held, Change change) {
    if (held.remember(change)) change.touched.add(held);
  }

  /** Law 3: the result contradicts the list when it is the score with all that the list omits, and not the one without it. */
  private boolean contradict(Change change) {
    boolean now = hasGoalRules() && isContradicted();
    if (now == contradicted) return false;
    contradicted = now;
    touchUnsettled(change);
    boolean goalsChanged = false;
    for (Held held : change.touched) goalsChanged |= settle(held);
    return goalsChanged;
  }

  private boolean isContradicted() {
    Long at = state.getSnapshotAt();
    Score reported = state.getReported();
    if (at == null || reported == null) return false;
    boolean any = false;
    for (Held held : goalIncidents.values()) any |= held.omitted(at);
    if (!any) return false;
    Score with = tally(held -> !held.omitted(at) && held.removed).score;
    Score without = tally(held -> held.omitted(at) || held.removed).score;
    return same(reported, with) && !same(reported, without);
  }

  private Goals tally(Predicate<Held> removed) {
    return new Goals(goalIncidents.values(), idOf(state.getHome()), idOf(state.getAway()), removed);
  }

  /** Decides whether it is removed or missing, and updates the indexes beside the register; true when the goals may change. */
  private boolean settle(Held held) {
    boolean wasRemoved = held.removed;
    boolean wasMissing = held.missing;
    held.removed = held.isRemoved(state.getSnapshotAt(), contradicted);
    held.missing = held.isMissing(state.getSnapshotAt(), contradicted);
    if (held.indexed == null && held.incident != null) known++;
    starts += start(held.incident, held.removed) - start(held.indexed, held.indexedRemoved);
    if (held.removed != wasRemoved) state.setRemoved(listed(one -> one.removed));
    if (held.missing != wasMissing) state.setMissing(listed(one -> one.missing));
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

  private List<String> listed(Predicate<Held> belongs) {
    List<String> ids = new ArrayList<>();
    for (Held held : incidents.values()) if (belongs.test(held)) ids.add(held.id);
    ids.sort(null);
    return ids;
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
        case "relation_status" -> state.setRelationStatus(Json.text(json));
        case "bet_status" -> state.setBetStatus(Json.text(json));
        case "verified_result" -> readVerified(json);
        case "details" -> periods = Periods.of(json);
        default -> { }
      }
    }
    if (fields.changed().contains(EventPart.PARTICIPANTS)) sides = readSides();
    state.setStatusType(statusType());
    state.setFirstFinished(fields.firstFinished());
    wentBack = hasGoneBack();
    readClock();
    return sides || hadGoalRules != hasGoalRules();
  }

  private void readVerified(String json) {
    state.setVerifiedResult(json.equals("null") ? null : json);
    String text = Json.text(json);
    verified = YES.contains(text == null ? json : text.toLowerCase(Locale.ROOT));
  }

  private void readClock() {
    Integer time = Json.integer(fields.get("clock_time"));
    String status = Json.text(fields.get("clock_status"));
    Clock clock = null;
    if (time != null || status != null) {
      clock = CLOCK_DEFAULTS.on(new Clock());
      clock.setTime(time);
      clock.setStatus(status);
      clock.setUt(fields.report(time == null ? "clock_status" : "clock_time").ut);
    }
    state.setClock(clock);
  }

  /** Law 2: `deleted` for a deleted event; where the provider leaves the type out, that of the status. */
  private String statusType() {
    String type = Json.text(fields.get("status_type"));
    if ("deleted".equals(type) || "deleted".equals(Json.text(fields.get("item_status")))) return "deleted";
    if ("delete".equals(Json.text(fields.get("action")))) {
      Report status = fields.report("status_id");
      if (status == null || fields.report("action").ut >= status.ut) return "deleted";
    }
    return type == null ? Statuses.type(state.getStatusId()) : type;
  }

  /** Law 2: whether an event that was reported as finished is now reported as scheduled. */
  private boolean hasGoneBack() {
    ReportKey finished = fields.firstFinished();
    if (!"scheduled".equals(state.getStatusType()) || finished == null) return false;
    Report status = statusReport();
    return status != null && status.comparePlace(finished.getUt(), finished.getMessageId()) > 0;
  }

  private Report statusReport() {
    Report id = fields.report("status_id");
    Report type = fields.report("status_type");
    if (id == null || type == null) return id == null ? type : id;
    return id.comparePlace(type.ut, type.messageId) < 0 ? type : id;
  }

  private boolean readSides() {
    Participant home = participant(1);
    Participant away = participant(2);
    boolean changed = !Objects.equals(idOf(home), idOf(state.getHome()))
        || !Objects.equals(idOf(away), idOf(state.getAway()));
    state.setHome(home);
    state.setAway(away);
    JsonNode homeResults = results(1);
    JsonNode awayResults = results(2);
    state.setReported(score(result(homeResults, RESULT), result(awayResults, RESULT)));
    reportedShootOut = score(result(homeResults, SHOOT_OUT_RESULT), result(awayResults, SHOOT_OUT_RESULT));
    return changed;
  }

  private Participant participant(int side) {
    String json = fields.get(EventPart.PARTICIPANTS + "." + side);
    if (json == null) return null;
    JsonNode one = Json.tree(json);
    Participant participant = PARTICIPANT_DEFAULTS.on(new Participant());
    participant.setId(Json.number(one.path("id")));
    participant.setName(Json.text(one.path("name")));
    participant.setShortName(Json.text(one.path("short_name")));
    participant.setAcronym(Json.text(one.path("acronym")));
    return participant;
  }

  private JsonNode results(int side) {
    String json = fields.get(EventPart.PARTICIPANTS + "." + side + ".results");
    return json == null ? null : Json.tree(json);
  }

  /** The first value of a result; null where it is unknown or no count. */
  private static Integer result(JsonNode results, int id) {
    if (results == null) return null;
    for (JsonNode item : results) {
      if (!Objects.equals(Json.integer(item.path("id")), id)) continue;
      Integer value = Json.integer(item.path("value"));
      return value == null || value < 0 ? null : value;
    }
    return null;
  }

  private static Score score(Integer home, Integer away) {
    return home == null || away == null ? null : new Score(home, away);
  }

  /** When the results of both sides were last reported; null while those of a side are unknown. */
  private Long resultsAt() {
    Report home = fields.report(EventPart.PARTICIPANTS + ".1.results");
    Report away = fields.report(EventPart.PARTICIPANTS + ".2.results");
    return home == null || away == null ? null : Long.valueOf(Math.min(home.ut, away.ut));
  }

  private static Long idOf(Participant participant) {
    return participant == null ? null : participant.getId();
  }

  private void deriveGoals() {
    goals = hasGoalRules() ? tally(held -> held.removed) : new Goals(List.of(), idOf(state.getHome()),
        idOf(state.getAway()), held -> held.removed);
    showGoals();
  }

  /** An unknown sport counts as soccer. */
  private boolean hasGoalRules() {
    return state.getSportId() == null || state.getSportId() == SOCCER;
  }

  private void showGoals() {
    state.setUnderReview(goals.underReview);
    state.setCountingGoals(goals.counting);
    state.setVoidGoals(goals.voided);
    state.setVoidBy(goals.voidBy);
    state.setOrphans(goals.orphans);
  }

  /** Laws 8 and 9, and what shows the doubt that a match went back. */
  private void decide() {
    boolean finished = Statuses.isFinished(state.getStatusId(), state.getStatusType());
    decideScore(finished);
    boolean byResult = (finished || goals.shootOut == null) && hasGoalRules() && reportedShootOut != null;
    state.setShootOut(byResult ? reportedShootOut : goals.shootOut);
    List<String> anomalies = goals.anomalies;
    if (wentBack) {
      anomalies = new ArrayList<>(anomalies);
      anomalies.add("status_went_back");
    }
    state.setAnomalies(anomalies);
    Report status = statusReport();
    state.setGuard(signals.guard(state, new Signals.Facts(hasGoalRules(), verified, status == null ? null : status.ut,
        resultsAt(), goals.unexplainedAt, goals.missing, wentBack), incidents));
  }

  /** Law 8. */
  private void decideScore(boolean finished) {
    Coverage coverage = state.getSnapshotAt() != null || starts > 0 ? Coverage.complete
        : known > 0 ? Coverage.partial : Coverage.none;
    Score reported = state.getReported();
    Score derived = hasGoalRules() && coverage != Coverage.none ? goals.score : null;
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
    fields.restore(restored.getFields(), restored.getFirstFinished());
    state.setVersion(restored.getVersion());
    state.setSnapshotAt(restored.getSnapshotAt());
    state.setCause(restored.getCause());
    state.setUnread(restored.getUnread());
    state.setUnreadAt(restored.getUnreadAt());
    for (UnreadField one : restored.getUnread()) unread.put(one.getPath(), one.getUt());
  }

  void restore(MatchIncident restored) {
    Held held = new Held(restored.getId());
    held.incident = restored.getIncident();
    held.deletedAt = restored.getDeletedAt();
    held.listedAt = restored.getListedAt();
    incidents.put(held.id, held);
    // Nothing but a contradiction keeps an incident that the list omits for so long.
    if (restored.getMissing() && held.omittedLong(state.getSnapshotAt())) contradicted = true;
  }

  /** To be called once after everything was restored. */
  void restored() {
    readFields();
    for (Held held : incidents.values()) settle(held);
    deriveGoals();
    decide();
  }
}
