package touchline.peer;

import touchline.EventReport;

/** A message that reported fields of an event. Law 2 orders messages by time, id, progress of the status and text. */
final class Report implements Comparable<Report> {
  final EventReport message;
  final long ut;
  private final int progress;
  private String text;

  Report(EventReport message) {
    this.message = message;
    this.ut = message.getUt();
    this.progress = Statuses.progress(message.getEvent().getStatusId(), message.getEvent().getStatusType());
  }

  private String text() {
    if (text == null) text = Values.text(message.getEvent());
    return text;
  }

  @Override
  public int compareTo(Report other) {
    if (this == other) return 0;
    int order = comparePlace(other.ut, other.message.getMessageId());
    if (order == 0) order = Integer.compare(progress, other.progress);
    return order != 0 ? order : text().compareTo(other.text());
  }

  /** Compares by time and id. */
  int comparePlace(long otherUt, Long otherId) {
    return ut == otherUt ? compareIds(message.getMessageId(), otherId) : Long.compare(ut, otherUt);
  }

  /** Compares ids of messages of one second; null comes after all numbers. */
  static int compareIds(Long a, Long b) {
    if (a == null || b == null) return a == b ? 0 : a == null ? 1 : -1;
    return Long.compare(a, b);
  }
}
