package touchline.peer;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Objects;
import touchline.Clock;
import touchline.MatchState;
import touchline.Participant;
import touchline.Score;

/** Reads the facts of an event from its register: into the state, and those that no field of the state has. */
final class EventFacts {
  private static final int RESULT = 2;
  private static final Defaults CLOCK_DEFAULTS = new Defaults(Clock.getClassSchema());
  private static final Defaults PARTICIPANT_DEFAULTS = new Defaults(Participant.getClassSchema());

  private final EventFields fields;
  private final MatchState state;
  private Periods lengths = Periods.USUAL;

  EventFacts(EventFields fields, MatchState state) {
    this.fields = fields;
    this.state = state;
  }

  Periods periods() {
    return lengths;
  }

  /** The home participant's id; null while it is unknown. */
  Long home() {
    return idOf(state.getHome());
  }

  Long away() {
    return idOf(state.getAway());
  }

  /** When the status was last reported; null if it never was. */
  Long statusAt() {
    Report status = statusReport();
    return status == null ? null : Long.valueOf(status.ut);
  }

  /** Reads the changed fields; true when a goal's side may have changed. */
  boolean read() {
    boolean sides = false;
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
        case "details" -> lengths = Periods.of(json);
        default -> { }
      }
    }
    if (fields.changed().contains(EventPart.PARTICIPANTS)) sides = readSides();
    state.setStatusType(statusType());
    state.setFirstFinished(fields.firstFinished());
    state.setFirstStarted(fields.firstStarted());
    state.setLastScheduled(fields.lastScheduled());
    readClock();
    return sides;
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
  Long resultsAt() {
    Report home = fields.report(EventPart.PARTICIPANTS + ".1.results");
    Report away = fields.report(EventPart.PARTICIPANTS + ".2.results");
    return home == null || away == null ? null : Long.valueOf(Math.min(home.ut, away.ut));
  }

  private static Long idOf(Participant participant) {
    return participant == null ? null : participant.getId();
  }
}
