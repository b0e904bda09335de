package touchline.peer;

import java.util.Objects;
import touchline.Incident;
import touchline.KeyIncident;

/** One incident of the register: its winning record, and its last deletes and lists. */
final class Held {
  /** How long an incident may take from being written to being listed, seconds. */
  private static final long SETTLE_SECONDS = 5;
  /** How much newer than an incident's last sign of life a list must be that proves its removal, seconds. */
  private static final long REMOVAL_SECONDS = 75;

  final String id;
  Incident incident;
  Long deletedAt;
  Long listedAt;
  boolean removed;
  boolean missing;

  /** The change that remembers its state, and that state. */
  private Change remembers;
  Incident incidentBefore;
  Long deletedBefore;
  private Long listedBefore;
  boolean removedBefore;
  boolean missingBefore;

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
    listedBefore = listedAt;
    missingBefore = missing;
    return true;
  }

  boolean isChanged() {
    return incident != incidentBefore || removed != removedBefore || missing != missingBefore
        || !Objects.equals(deletedAt, deletedBefore) || !Objects.equals(listedAt, listedBefore);
  }

  /** Law 1: the higher time, the stronger confirmation, the later message of the second, the larger canonical JSON. */
  boolean yieldsTo(Incident next) {
    if (incident == null) return true;
    if (next.getUt() != incident.getUt()) return next.getUt() > incident.getUt();
    int order = Integer.compare(strength(next), strength(incident));
    if (order == 0) order = Report.compareIds(next.getMessageId(), incident.getMessageId());
    if (order == 0) order = next.getBody().compareTo(incident.getBody());
    if (order == 0) order = Integer.compare(phase(next), phase(incident));
    return order > 0;
  }

  private static int phase(Incident incident) {
    return incident.getEventStatusId() == null ? 0 : incident.getEventStatusId();
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

  /** Law 3: whether a delete is not older than the incident was last known present. */
  private boolean deleted(Long snapshotAt) {
    return incident != null && deletedAt != null && deletedAt >= presentAt(snapshotAt);
  }

  private long presentAt(Long snapshotAt) {
    return listedAt != null && listedAt.equals(snapshotAt) ? Math.max(incident.getUt(), listedAt) : incident.getUt();
  }

  private long lastSign() {
    return listedAt == null ? incident.getUt() : Math.max(incident.getUt(), listedAt);
  }

  /** By how much the latest list that omits it is newer than its last sign of life, seconds; 0 when no list omits it clearly. */
  private long omittedFor(Long snapshotAt) {
    if (incident == null || snapshotAt == null) return 0;
    long since = snapshotAt - lastSign();
    return since < SETTLE_SECONDS ? 0 : since;
  }

  /** Whether the latest list omits it, and no delete says that it is removed. */
  boolean omitted(Long snapshotAt) {
    return omittedFor(snapshotAt) > 0 && !deleted(snapshotAt);
  }

  /** Whether only a contradicting result can keep it from being removed. */
  boolean omittedLong(Long snapshotAt) {
    return omittedFor(snapshotAt) >= REMOVAL_SECONDS;
  }

  /** Law 3. `contradicted`: the provider's result speaks for what its list omits. */
  boolean isRemoved(Long snapshotAt, boolean contradicted) {
    return deleted(snapshotAt) || omittedLong(snapshotAt) && !contradicted;
  }

  boolean isMissing(Long snapshotAt, boolean contradicted) {
    return omittedFor(snapshotAt) > 0 && !isRemoved(snapshotAt, contradicted);
  }

  /** When it was last known present: where it is, an older list that has it counts too. */
  Long presentSince(Long snapshotAt) {
    if (incident == null) return null;
    return removed ? presentAt(snapshotAt) : lastSign();
  }

  /** When it was last known absent; null when it never was. */
  Long absentAt(Long snapshotAt) {
    if (!omittedLong(snapshotAt)) return deletedAt;
    long absent = snapshotAt - REMOVAL_SECONDS;
    return deletedAt == null ? absent : Math.max(deletedAt, absent);
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
