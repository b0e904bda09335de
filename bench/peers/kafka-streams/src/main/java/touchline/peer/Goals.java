package touchline.peer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import touchline.Incident;
import touchline.Score;

/** Laws 5 to 7: decides which goals count for which side, and why the others do not. */
final class Goals {
  private static final int OWN_GOAL = 423;
  private static final int GOAL_CANCELLED = 424;
  private static final int NEAR_SECONDS = 600;
  private static final int REPETITION_SECONDS = 60;

  private final Long home;
  private final Long away;
  private final Score points = new Score(0, 0);
  private final Score firmPoints = new Score(0, 0);
  /** Null when a side is unknown. */
  final Score score;
  final Score firm;
  boolean underReview;
  /** The latest time of a standing cancellation that names no goal; null without one. */
  Long unexplainedAt;
  final List<String> counting = new ArrayList<>(4);
  /** The team whose score a goal that counts raises. */
  final Map<String, Long> countsFor = new HashMap<>(4);
  /** All goals that are not void. */
  final List<String> valid = new ArrayList<>(4);
  final Map<String, String> voided = new LinkedHashMap<>(4);
  /** The standing cancellations that name each void goal. */
  final Map<String, List<String>> voidBy = new LinkedHashMap<>(4);
  final List<String> orphans = new ArrayList<>(0);
  final List<String> anomalies = new ArrayList<>(0);

  /** Derives everything from the goals and cancellations of a match, given in order of their ids. */
  Goals(Collection<Held> inOrder, Long home, Long away) {
    this.home = home;
    this.away = away;
    boolean sides = home != null && away != null;
    score = sides ? points : null;
    firm = sides ? firmPoints : null;
    Map<String, List<Held>> named = nameGoals(inOrder);
    for (Held goal : inOrder) {
      if (isGoal(goal.type())) count(goal, named.getOrDefault(goal.id, List.of()));
    }
  }

  static boolean concerns(int type) {
    return isGoal(type) || type == GOAL_CANCELLED;
  }

  static boolean isGoal(int type) {
    return type == 413 || type == 421 || type == OWN_GOAL;
  }

  /** Law 6. */
  private Map<String, List<Held>> nameGoals(Collection<Held> inOrder) {
    List<Held> standing = new ArrayList<>(0);
    for (Held one : inOrder) {
      if (one.type() == GOAL_CANCELLED && !one.removed && !one.isCancelled()) standing.add(one);
    }
    Map<String, List<Held>> named = new HashMap<>(4);
    if (standing.isEmpty()) return named;
    Map<String, Held> goals = new LinkedHashMap<>(4);
    for (Held one : inOrder) if (isGoal(one.type())) goals.put(one.id, one);
    Map<Held, Held> goalOf = new HashMap<>(4);
    for (Held one : standing) {
      String parent = one.incident.getParentId();
      if (parent != null) name(one, goals.get(parent), named, goalOf);
    }
    for (Held one : standing) {
      if (one.incident.getParentId() != null) continue;
      List<Held> fitting = new ArrayList<>(2);
      for (Held goal : goals.values()) if (fits(goal, one)) fitting.add(goal);
      Held goal = repeated(one, standing, fitting, goalOf);
      for (int i = fitting.size() - 1; goal == null && i >= 0; i--) {
        if (!named.containsKey(fitting.get(i).id)) goal = fitting.get(i);
      }
      name(one, goal, named, goalOf);
    }
    orphans.sort(null);
    return named;
  }

  private void name(Held one, Held goal, Map<String, List<Held>> named, Map<Held, Held> goalOf) {
    if (goal == null) {
      orphans.add(one.id);
      long ut = one.incident.getUt();
      if (one.stands() && (unexplainedAt == null || ut > unexplainedAt)) unexplainedAt = ut;
      return;
    }
    goalOf.put(one, goal);
    named.computeIfAbsent(goal.id, id -> new ArrayList<>(1)).add(one);
  }

  /** The goal of the latest earlier cancellation that this one repeats; null when it repeats none. */
  private static Held repeated(Held one, List<Held> standing, List<Held> fitting, Map<Held, Held> goalOf) {
    Integer time = one.incident.getEventTime();
    if (fitting.isEmpty() || time == null) return null;
    String last = fitting.get(fitting.size() - 1).id;
    for (int i = standing.size() - 1; i >= 0; i--) {
      Held earlier = standing.get(i);
      if (earlier.id.compareTo(one.id) >= 0 || earlier.id.compareTo(last) <= 0) continue;
      Integer at = earlier.incident.getEventTime();
      Held goal = goalOf.get(earlier);
      if (at != null && Math.abs(at - time) <= REPETITION_SECONDS && goal != null && fitting.contains(goal)) return goal;
    }
    return null;
  }

  private boolean fits(Held goal, Held cancellation) {
    if (goal.id.compareTo(cancellation.id) >= 0) return false;
    int side = side(cancellation.incident);
    Long participant = cancellation.incident.getParticipantId();
    boolean ownGoal = goal.type() == OWN_GOAL && participant != null
        && participant.equals(goal.incident.getParticipantId());
    if (!ownGoal && (side == 0 || side != side(goal.incident))) return false;
    Integer at = goal.incident.getEventTime();
    Integer until = cancellation.incident.getEventTime();
    return at == null || until == null || Math.abs(at - until) <= NEAR_SECONDS;
  }

  private void count(Held goal, List<Held> named) {
    List<String> by = new ArrayList<>(0);
    for (Held one : named) {
      if (one.stands()) by.add(one.id);
    }
    if (goal.removed || goal.isCancelled() || !by.isEmpty()) {
      voided.put(goal.id, goal.removed ? "removed" : goal.isCancelled() ? "cancelled" : "goal_cancelled");
      if (!by.isEmpty()) voidBy.put(goal.id, by);
      return;
    }
    valid.add(goal.id);
    int side = side(goal.incident);
    if (side == 0) {
      anomalies.add(goal.id + ":unknown_participant");
    } else {
      boolean isFirm = !goal.isToBeConfirmed();
      counting.add(goal.id);
      countsFor.put(goal.id, side == 1 ? home : away);
      add(points, side);
      if (isFirm) add(firmPoints, side);
      underReview |= !isFirm || !named.isEmpty();
    }
  }

  private static void add(Score to, int side) {
    if (side == 1) to.setHome(to.getHome() + 1);
    else to.setAway(to.getAway() + 1);
  }

  /** 1 home, 2 away, 0 no one. */
  private int side(Incident incident) {
    Long participant = incident.getParticipantId();
    if (participant == null) return 0;
    int own = participant.equals(home) ? 1 : participant.equals(away) ? 2 : 0;
    if (own == 0) return 0;
    return incident.getIncidentId() == OWN_GOAL ? 3 - own : own;
  }
}
