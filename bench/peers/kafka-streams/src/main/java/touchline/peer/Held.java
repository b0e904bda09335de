package touchline.peer;

import touchline.Incident;
import touchline.KeyIncident;

/** One incident of the register: its winning record, and its last delete. */
final class Held {
  final String id;
  Incident incident;
  Long deletedAt;
  boolean removed;

  /** The change that remembers its state, and that state. */
  private Change remembers;
  Incident incidentBefore;
  Long deletedBefore;
  boolean removedBefore;

  /** What the indexes beside the register know of it. */
  Incident indexed;
  boolean indexedRemoved;
  /** Its key incident, and the record and the lengths of periods that it was made of. */
  KeyIncident key;
  Incident keyOf;
  Periods keyPeriods;

  Held(String id) {
    this.id = id;
  }

  /** Remembers the state before the first change of a message; false when this change has done so. */
  boolean remember(Change change) {
    if (remembers == change) return false;
    remembers = change;
    incidentBefore = incident;
    deletedBefore = deletedAt;
    removedBefore = removed;
    return true;
  }

  /** Law 1: the higher time, the stronger confirmation, the later message of the second, the larger canonical JSON. */
  boolean yieldsTo(Incident next) {
    if (incident == null) return true;
    if (next.getUt() != incident.getUt()) return next.getUt() > incident.getUt();
    int order = Integer.compare(strength(next), strength(incident));
    if (order == 0) order = Report.compareIds(next.getMessageId(), incident.getMessageId());
    return (order != 0 ? order : Values.text(next).compareTo(Values.text(incident))) > 0;
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

  /** Law 3: whether a delete is not older than its record. */
  boolean isDeleted() {
    return incident != null && deletedAt != null && deletedAt >= incident.getUt();
  }

  boolean isCancelled() {
    return "cancelled".equals(incident.getConfirmation());
  }

  boolean isToBeConfirmed() {
    return "tbd".equals(incident.getConfirmation());
  }

  /** Whether a cancellation subtracts what it names: it awaits no confirmation. */
  boolean stands() {
    return incident.getConfirmation() == null || "confirmed".equals(incident.getConfirmation());
  }

  /** The incident's type; 0 when only deletes have arrived. */
  int type() {
    return incident == null ? 0 : incident.getIncidentId();
  }
}
