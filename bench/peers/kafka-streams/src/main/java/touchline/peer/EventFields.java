package touchline.peer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.apache.avro.Schema;
import touchline.Event;
import touchline.EventField;
import touchline.EventParticipant;
import touchline.EventReport;
import touchline.ReportKey;

/** The event register (law 2): field by field, and side by side of the participants, the value of the latest message wins. */
final class EventFields {
  static final String PARTICIPANTS = "participants";
  private static final List<Schema.Field> OWN_FIELDS = Event.getClassSchema().getFields().stream()
      .filter(field -> !Set.of(PARTICIPANTS, "nulls", "other").contains(field.name())).toList();

  private record Field(Object value, Report report) {}

  /** A side has a slot for its results, and one for everything else of it. */
  private final Map<String, Field> bySlot = new HashMap<>();
  private final List<String> changed = new ArrayList<>();
  private final List<String> outranked = new ArrayList<>();
  private ReportKey firstFinished;
  private ReportKey firstStarted;
  private ReportKey lastScheduled;

  /** The names of the fields whose value the last {@link #apply} changed. */
  List<String> changed() {
    return changed;
  }

  /** The fields of the last applied message that another message of its second decides. */
  List<String> outranked() {
    return outranked;
  }

  /** The earliest report that the match is finished; null without one. */
  ReportKey firstFinished() {
    return firstFinished;
  }

  /** The earliest report that the match is in play or finished; null without one. */
  ReportKey firstStarted() {
    return firstStarted;
  }

  /** The latest report that the match is not started or postponed; null without one. */
  ReportKey lastScheduled() {
    return lastScheduled;
  }

  /** Returns the slot's value, of the type of its field; null when it is unknown or was never reported. */
  @SuppressWarnings("unchecked")
  <T> T get(String slot) {
    Field field = bySlot.get(slot);
    return field == null ? null : (T) field.value;
  }

  /** The message that last reported the slot; null when none did. */
  Report report(String slot) {
    Field field = bySlot.get(slot);
    return field == null ? null : field.report;
  }

  /** Applies the event of one message, null for none; false when it changes nothing, not even a time. */
  boolean apply(Event event, long ut, Long messageId) {
    changed.clear();
    outranked.clear();
    if (event == null) return false;
    Report report = new Report(new EventReport(ut, messageId, event));
    return accept(report) | remember(report);
  }

  private boolean accept(Report report) {
    Event event = report.message.getEvent();
    boolean any = false;
    for (Schema.Field field : OWN_FIELDS) {
      Object value = event.get(field.pos());
      if (value != null) any |= accept(field.name(), field.name(), value, report);
    }
    for (EventField name : event.getNulls()) any |= accept(name.name(), name.name(), null, report);
    for (Map.Entry<String, String> other : event.getOther().entrySet()) {
      any |= accept("other." + other.getKey(), other.getKey(), other.getValue(), report);
    }
    Set<Integer> taken = new HashSet<>(4);
    for (EventParticipant side : event.getParticipants()) {
      boolean says = side.getCounter() != null && (side.getId() != null || !side.getResults().isEmpty());
      if (!says || !taken.add(side.getCounter())) continue;
      String slot = PARTICIPANTS + "." + side.getCounter();
      if (side.getId() != null) any |= accept(slot, PARTICIPANTS, side, report);
      if (!side.getResults().isEmpty()) any |= accept(slot + ".results", PARTICIPANTS, side.getResults(), report);
    }
    return any;
  }

  private boolean accept(String slot, String name, Object value, Report report) {
    Field current = bySlot.get(slot);
    int order = current == null ? 1 : report.compareTo(current.report);
    if (order <= 0) {
      if (order < 0 && report.ut == current.report.ut) outranked.add(name.equals(PARTICIPANTS) ? slot : name);
      return false;
    }
    bySlot.put(slot, new Field(value, report));
    if (current == null || !same(current.value, value)) changed.add(name);
    return true;
  }

  private static boolean same(Object a, Object b) {
    return a instanceof EventParticipant one ? Values.sameBut("results", one, (EventParticipant) b) : Objects.equals(a, b);
  }

  /** Remembers a report of the match's stage; false when the memory stays as it was. */
  private boolean remember(Report report) {
    Event event = report.message.getEvent();
    Statuses.Stage stage = Statuses.stage(event.getStatusId(), event.getStatusType());
    ReportKey place = new ReportKey(report.ut, report.message.getMessageId());
    if (stage == Statuses.Stage.SCHEDULED) {
      if (lastScheduled != null && compare(report, lastScheduled) <= 0) return false;
      lastScheduled = place;
      return true;
    }
    boolean started = stage != null && (firstStarted == null || compare(report, firstStarted) < 0);
    boolean finished = stage == Statuses.Stage.FINISHED && (firstFinished == null || compare(report, firstFinished) < 0);
    if (started) firstStarted = place;
    if (finished) firstFinished = place;
    return started || finished;
  }

  private static int compare(Report report, ReportKey key) {
    return report.comparePlace(key.getUt(), key.getMessageId());
  }

  /** Returns the reports that still decide a field, oldest first. */
  List<EventReport> encode() {
    Set<Report> reports = new TreeSet<>();
    for (Field field : bySlot.values()) reports.add(field.report);
    return reports.stream().map(report -> report.message).toList();
  }

  /** Restores the register; afterwards every field counts as changed. */
  void restore(List<EventReport> reports, ReportKey finished, ReportKey started, ReportKey scheduled) {
    for (EventReport one : reports) accept(new Report(one));
    firstFinished = finished;
    firstStarted = started;
    lastScheduled = scheduled;
  }
}
