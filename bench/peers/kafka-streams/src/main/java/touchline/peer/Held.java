package touchline.peer;

import touchline.Incident;

/** One incident of the register: its winning record, and its last deletes and lists. */
final class Held {
  /** How long an incident may take from being written to being listed, seconds. */
  private static final long SETTLE_SECONDS = 5;

  final String id;
  Incident incident;
  Long deletedAt;
  Long listedAt;
  boolean removed;

  /** Its state before the current message. */
  Incident incidentBefore;
  Long deletedBefore;
  boolean removedBefore;

  Held(String id) {
    this.id = id;
  }

  void remember() {
    incidentBefore = incident;
    deletedBefore = deletedAt;
    removedBefore = removed;
  }

  /** Law 1: the higher time, then the stronger confirmation, then the larger canonical JSON. */
  boolean yieldsTo(Incident next) {
    if (incident == null) return true;
    if (next.getUt() != incident.getUt()) return next.getUt() > incident.getUt();
    int byStrength = Integer.compare(strength(next), strength(incident));
    return byStrength != 0 ? byStrength > 0 : next.getBody().compareTo(incident.getBody()) > 0;
  }

  private static int strength(Incident incident) {
    String confirmation = incident.getConfirmation();
    if (confirmation == null) return 0;
    return switch (confirmation) {
      case "cancelled" -> 3;
      case "confirmed" -> 2;
      case "tbd" -> 1;
      default -> 0;
    };
  }

  /** Law 3: removed when it was last known absent no earlier than last known present. */
  boolean absent(Long snapshotAt) {
    if (incident == null) return false;
    long present = incident.getUt();
    long absent = deletedAt == null ? Long.MIN_VALUE : deletedAt;
    if (snapshotAt != null) {
      if (snapshotAt.equals(listedAt)) present = Math.max(present, snapshotAt);
      else absent = Math.max(absent, snapshotAt - SETTLE_SECONDS);
    }
    return absent >= present;
  }

  boolean isCancelled() {
    return "cancelled".equals(incident.getConfirmation());
  }

  boolean isToBeConfirmed() {
    return "tbd".equals(incident.getConfirmation());
  }

  /** The incident's type; 0 when only deletes have arrived. */
  int type() {
    return incident == null ? 0 : incident.getIncidentId();
  }
}
