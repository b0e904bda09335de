package touchline.peer;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import touchline.FieldsAt;
import touchline.ReportKey;

/**
 * The event register (law 2): field by field, and side by side of the participants, the value of the latest message wins. Messages
 * carry the fields in a few canonical JSON objects, most of which repeat to the letter; the fields of such an object share one
 * stamp, and only the stamp changes, so that nothing is parsed again.
 */
final class EventFields {
  private static final Defaults DEFAULTS = new Defaults(FieldsAt.getClassSchema());

  /** The report that all fields share which one object reported last, and their number. */
  private static final class Stamp {
    Report report;
    int fields;

    Stamp(Report report) {
      this.report = report;
    }
  }

  private static final class Field {
    EventPart.PartField current;
    Stamp stamp;
  }

  private record Last(EventPart part, Stamp stamp) {}

  /** By slot: a side's own fields come before its results, and all of the participants between the names beside it. */
  private final TreeMap<String, Field> bySlot = new TreeMap<>();
  private final List<Last> last = new ArrayList<>();
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

  /** Returns the slot's value as canonical JSON; null when it was never reported. */
  String get(String slot) {
    Field field = bySlot.get(slot);
    return field == null ? null : field.current.json();
  }

  /** The message that last reported the slot; null when none did. */
  Report report(String slot) {
    Field field = bySlot.get(slot);
    return field == null ? null : field.stamp.report;
  }

  /** Applies the objects of one message; false when they change nothing, not even a time. */
  boolean apply(List<String> objects, long ut, Long messageId) {
    changed.clear();
    outranked.clear();
    List<EventPart> parts = new ArrayList<>(objects.size());
    for (int i = 0; i < objects.size(); i++) {
      Last known = i < last.size() ? last.get(i) : null;
      parts.add(known != null && known.part.text.equals(objects.get(i)) ? known.part : new EventPart(objects.get(i)));
    }
    Report report = Report.of(ut, messageId, parts);
    boolean any = false;
    for (int i = 0; i < parts.size(); i++) any |= applyAt(i, parts.get(i), report);
    return any;
  }

  private boolean applyAt(int index, EventPart part, Report report) {
    while (last.size() <= index) last.add(null);
    if (part.fields.isEmpty()) return false;
    boolean any = remember(part, report);
    Last known = last.get(index);
    if (known != null && known.part == part && known.stamp.fields == part.fields.size()) {
      if (report.compareTo(known.stamp.report) > 0) {
        known.stamp.report = report;
        return true;
      }
      if (report.ut == known.stamp.report.ut && report.compareTo(known.stamp.report) < 0) {
        for (EventPart.PartField field : part.fields) outranked.add(field.label());
      }
      return any;
    }
    Stamp stamp = applyEach(part, report);
    if (known == null || report.comparePlace(known.stamp.report.ut, known.stamp.report.messageId) >= 0) {
      last.set(index, new Last(part, stamp));
    }
    return any || stamp.fields > 0;
  }

  private Stamp applyEach(EventPart part, Report report) {
    Stamp stamp = new Stamp(report);
    for (EventPart.PartField current : part.fields) {
      Field field = bySlot.get(current.slot());
      if (field == null) {
        field = new Field();
        bySlot.put(current.slot(), field);
        changed.add(current.name());
      } else {
        int order = report.compareTo(field.stamp.report);
        if (order <= 0) {
          if (order < 0 && report.ut == field.stamp.report.ut) outranked.add(current.label());
          continue;
        }
        if (!field.current.json().equals(current.json())) changed.add(current.name());
        field.stamp.fields--;
      }
      field.current = current;
      field.stamp = stamp;
      stamp.fields++;
    }
    return stamp;
  }

  /** Remembers a report of the match's stage; false when the memory stays as it was. */
  private boolean remember(EventPart part, Report report) {
    ReportKey place = new ReportKey(report.ut, report.messageId);
    if (part.stage == Statuses.Stage.SCHEDULED) {
      if (lastScheduled != null && compare(report, lastScheduled) <= 0) return false;
      lastScheduled = place;
      return true;
    }
    boolean started = part.stage != null && (firstStarted == null || compare(report, firstStarted) < 0);
    boolean finished =
        part.stage == Statuses.Stage.FINISHED && (firstFinished == null || compare(report, firstFinished) < 0);
    if (started) firstStarted = place;
    if (finished) firstFinished = place;
    return started || finished;
  }

  private static int compare(Report report, ReportKey key) {
    return report.comparePlace(key.getUt(), key.getMessageId());
  }

  /** The fields that one message reported last, as they are written. */
  private static final class Group {
    final StringBuilder json = new StringBuilder(512).append('{');
    final List<EventPart.PartField> sides = new ArrayList<>(0);
    int fields;

    void add(EventPart.PartField field) {
      fields++;
      if (field.name().equals(EventPart.PARTICIPANTS)) {
        sides.add(field);
        return;
      }
      endSides();
      member(field.slot(), field.json());
    }

    void endSides() {
      if (sides.isEmpty()) return;
      member(EventPart.PARTICIPANTS, EventPart.joinSides(sides));
      sides.clear();
    }

    private void member(String name, String value) {
      if (json.length() > 1) json.append(',');
      json.append('"').append(name).append("\":").append(value);
    }
  }

  /** Returns the register in the form of the topic: an object for each message that reported some fields last, oldest first. */
  List<FieldsAt> encode() {
    Map<Report, Group> groups = new IdentityHashMap<>(4);
    for (Field field : bySlot.values()) groups.computeIfAbsent(field.stamp.report, report -> new Group()).add(field.current);
    List<Report> reports = new ArrayList<>(groups.keySet());
    reports.sort(null);
    List<FieldsAt> out = new ArrayList<>(reports.size());
    for (Report report : reports) {
      Group group = groups.get(report);
      group.endSides();
      FieldsAt fields = DEFAULTS.on(new FieldsAt());
      fields.setUt(report.ut);
      fields.setJson(group.json.append('}').toString());
      fields.setMessageId(report.messageId);
      fields.setProgress(report.progress);
      fields.setText(group.fields == report.total ? null : report.text());
      out.add(fields);
    }
    return out;
  }

  /** Restores the register; afterwards every field counts as changed. */
  void restore(List<FieldsAt> fields, ReportKey finished, ReportKey started, ReportKey scheduled) {
    for (FieldsAt one : fields) {
      EventPart part = new EventPart(one.getJson());
      int total = one.getText() == null ? part.fields.size() : 0;
      String text = one.getText() == null ? one.getJson() : one.getText();
      applyEach(part, new Report(one.getUt(), one.getMessageId(), one.getProgress(), total, List.of(part), text));
    }
    firstFinished = finished;
    firstStarted = started;
    lastScheduled = scheduled;
  }
}
