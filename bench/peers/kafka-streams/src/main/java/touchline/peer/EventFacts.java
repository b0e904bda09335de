package touchline.peer;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.util.List;
import java.util.Objects;
import touchline.Clock;
import touchline.EventParticipant;
import touchline.MatchState;
import touchline.Participant;
import touchline.ReportedValue;
import touchline.Score;

/** Reads the facts of an event from its register: into the state, and those that no field of the state has. */
final class EventFacts {
  private static final int SCORE = 2;
  private static final DateTimeFormatter START_DATE =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm").withResolverStyle(ResolverStyle.STRICT);
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

  /** Reads the fields; true when a goal's side may have changed. */
  boolean read() {
    state.setName(fields.get("name"));
    state.setSportId(fields.get("sport_id"));
    state.setCompetitionId(fields.get("competition_id"));
    state.setSeasonId(fields.get("season_id"));
    state.setStageId(fields.get("stage_id"));
    state.setGroupId(fields.get("group_id"));
    state.setStartDate(fields.get("start_date"));
    state.setKickOff(kickOff(state.getStartDate()));
    state.setStatusId(fields.get("status_id"));
    state.setRelationStatus(fields.get("relation_status"));
    state.setBetStatus(fields.get("bet_status"));
    if (fields.changed().contains("details")) lengths = Periods.of(fields.get("details"));
    boolean sides = fields.changed().contains(EventFields.PARTICIPANTS) && readSides();
    state.setStatusType(statusType());
    state.setFirstFinished(fields.firstFinished());
    state.setFirstStarted(fields.firstStarted());
    state.setLastScheduled(fields.lastScheduled());
    readClock();
    return sides;
  }

  private static Instant kickOff(String startDate) {
    try {
      return startDate == null ? null : LocalDateTime.parse(startDate, START_DATE).toInstant(ZoneOffset.UTC);
    } catch (DateTimeParseException error) {
      return null;
    }
  }

  private void readClock() {
    Integer time = fields.get("clock_time");
    String status = fields.get("clock_status");
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
    String type = fields.get("status_type");
    if ("deleted".equals(type) || "deleted".equals(fields.get("item_status"))) return "deleted";
    if ("delete".equals(fields.get("action"))) {
      Report status = fields.report("status_id");
      if (status == null || fields.report("action").ut >= status.ut) return "deleted";
    }
    return type == null ? Statuses.type(state.getStatusId()) : type;
  }

  private Report statusReport() {
    Report id = fields.report("status_id");
    Report type = fields.report("status_type");
    if (id == null || type == null) return id == null ? type : id;
    return id.comparePlace(type.ut, type.message.getMessageId()) < 0 ? type : id;
  }

  private boolean readSides() {
    Participant home = participant(1);
    Participant away = participant(2);
    boolean changed = !Objects.equals(idOf(home), idOf(state.getHome()))
        || !Objects.equals(idOf(away), idOf(state.getAway()));
    state.setHome(home);
    state.setAway(away);
    state.setReported(score(points(1), points(2)));
    return changed;
  }

  private Participant participant(int side) {
    EventParticipant one = fields.get(EventFields.PARTICIPANTS + "." + side);
    if (one == null) return null;
    Participant participant = PARTICIPANT_DEFAULTS.on(new Participant());
    participant.setId(one.getId());
    participant.setName(one.getName());
    participant.setShortName(one.getShortName());
    participant.setAcronym(one.getAcronym());
    return participant;
  }

  /** The score of a side; null where it is unknown or no count. */
  private Integer points(int side) {
    List<ReportedValue> results = fields.get(results(side));
    if (results == null) return null;
    for (ReportedValue one : results) if (one.getId() == SCORE) return Values.count(one.getValue());
    return null;
  }

  private static String results(int side) {
    return EventFields.PARTICIPANTS + "." + side + ".results";
  }

  private static Score score(Integer home, Integer away) {
    return home == null || away == null ? null : new Score(home, away);
  }

  /** When the results of both sides were last reported; null while those of a side are unknown. */
  Long resultsAt() {
    Report home = fields.report(results(1));
    Report away = fields.report(results(2));
    return home == null || away == null ? null : Long.valueOf(Math.min(home.ut, away.ut));
  }

  private static Long idOf(Participant participant) {
    return participant == null ? null : participant.getId();
  }
}
