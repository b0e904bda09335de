package touchline.peer;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A message that reported fields of an event. Law 2 orders messages by time, id, progress of the status and text. */
final class Report implements Comparable<Report> {
  final long ut;
  /** The whole-number id; null for any other, which comes after all numbers of its second. */
  final Long messageId;
  final int progress;
  /** Number of fields that the message reported; 0 where they are not its whole event. */
  final int total;
  private final List<EventPart> parts;
  private String text;

  Report(long ut, Long messageId, int progress, int total, List<EventPart> parts, String text) {
    this.ut = ut;
    this.messageId = messageId;
    this.progress = progress;
    this.total = total;
    this.parts = parts;
    this.text = text;
  }

  static Report of(long ut, Long messageId, List<EventPart> parts) {
    int progress = 0;
    int total = 0;
    boolean exact = true;
    for (EventPart part : parts) {
      progress = Math.max(progress, part.progress);
      total += part.fields.size();
      exact &= part.exact;
    }
    return new Report(ut, messageId, progress, exact ? total : 0, parts, null);
  }

  /** Canonical JSON of the message's whole event. Written only where nothing else decides. */
  String text() {
    if (text == null) {
      TreeMap<String, String> members = new TreeMap<>();
      for (EventPart part : parts) {
        List<String> own = Json.members(part.text);
        for (int i = 0; i < own.size(); i += 2) members.put(own.get(i), own.get(i + 1));
      }
      StringBuilder json = new StringBuilder("{");
      for (Map.Entry<String, String> member : members.entrySet()) {
        if (json.length() > 1) json.append(',');
        json.append('"').append(member.getKey()).append("\":").append(member.getValue());
      }
      text = json.append('}').toString();
    }
    return text;
  }

  @Override
  public int compareTo(Report other) {
    if (this == other) return 0;
    int order = comparePlace(other.ut, other.messageId);
    if (order == 0) order = Integer.compare(progress, other.progress);
    return order != 0 ? order : text().compareTo(other.text());
  }

  /** Compares by time and id. */
  int comparePlace(long otherUt, Long otherId) {
    return ut == otherUt ? compareIds(messageId, otherId) : Long.compare(ut, otherUt);
  }

  /** Compares ids of messages of one second; null comes after all numbers. */
  static int compareIds(Long a, Long b) {
    if (a == null || b == null) return a == b ? 0 : a == null ? 1 : -1;
    return Long.compare(a, b);
  }
}
