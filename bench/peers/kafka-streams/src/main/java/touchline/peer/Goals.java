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

  private final Long home;
  private final Long away;
  private final Score points = new Score(0, 0);
  private final Score firmPoints = new Score(0, 0);
  private final Score shootOutPoints = new Score(0, 0);
  /** Null when a side is unknown. */
  final Score score;
  final Score firm;
  /** Null when no goal counts in it. */
  Score shootOut;
  boolean underReview;
  final List<String> counting = new ArrayList<>(4);
  /** All goals that are not void, in play or in the shoot-out. */
  final List<String> valid = new ArrayList<>(4);
  final Map<String, String> voided = new LinkedHashMap<>(4);
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

  private static boolean isGoal(int type) {
    return type == 413 || type == 421 || type == OWN_GOAL;
  }

  private Map<String, List<Held>> nameGoals(Collection<Held> inOrder) {
    List<Held> withoutParent = new ArrayList<>(0);
    Map<String, List<Held>> named = new HashMap<>(4);
    for (Held one : inOrder) {
      if (one.type() != GOAL_CANCELLED || one.removed || one.isCancelled()) continue;
      String parent = one.incident.getParentId();
      if (parent == null) withoutParent.add(one);
      else if (hasGoal(inOrder, parent)) named.computeIfAbsent(parent, id -> new ArrayList<>(1)).add(one);
      else orphans.add(one.id);
    }
    for (Held one : withoutParent) {
      Held nearest = null;
      for (Held goal : inOrder) {
        if (goal.id.compareTo(one.id) >= 0) break;
        if (isGoal(goal.type()) && !named.containsKey(goal.id) && mayMean(one, goal)) nearest = goal;
      }
      if (nearest == null) orphans.add(one.id);
      else named.put(nearest.id, List.of(one));
    }
    orphans.sort(null);
    return named;
  }

  private static boolean hasGoal(Collection<Held> inOrder, String id) {
    for (Held one : inOrder) if (one.id.equals(id)) return isGoal(one.type());
    return false;
  }

  private boolean mayMean(Held cancellation, Held goal) {
    int side = side(cancellation.incident);
    if (side == 0 || side != side(goal.incident)) return false;
    if (inShootOut(cancellation.incident) != inShootOut(goal.incident)) return false;
    Integer at = goal.incident.getEventTime();
    Integer until = cancellation.incident.getEventTime();
    return at == null || until == null || Math.abs(at - until) <= NEAR_SECONDS;
  }

  private static boolean inShootOut(Incident incident) {
    Integer phase = incident.getEventStatusId();
    return phase != null && (phase == 16 || phase == 141);
  }

  private void count(Held goal, List<Held> named) {
    boolean stands = false;
    boolean doubted = goal.isToBeConfirmed();
    for (Held one : named) {
      if (one.isToBeConfirmed()) doubted = true;
      else stands = true;
    }
    if (goal.removed || goal.isCancelled() || stands) {
      voided.put(goal.id, goal.removed ? "removed" : goal.isCancelled() ? "cancelled" : "goal_cancelled");
      return;
    }
    valid.add(goal.id);
    int side = side(goal.incident);
    if (side == 0) {
      anomalies.add(goal.id + ":" + whyNoSide(goal.incident));
    } else if (inShootOut(goal.incident)) {
      shootOut = shootOutPoints;
      add(shootOutPoints, side);
    } else {
      counting.add(goal.id);
      add(points, side);
      if (!goal.isToBeConfirmed()) add(firmPoints, side);
      underReview |= doubted;
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
    return switch (countsFor(incident)) {
      case "own" -> own;
      case "rival" -> 3 - own;
      default -> 0;
    };
  }

  private static String countsFor(Incident incident) {
    String reported = incident.getCountsFor();
    if (reported != null && !reported.isEmpty()) return reported;
    return incident.getIncidentId() == OWN_GOAL ? "rival" : "own";
  }

  private static String whyNoSide(Incident incident) {
    return switch (countsFor(incident)) {
      case "own", "rival" -> "unknown_participant";
      case "all" -> "for_all";
      case "none" -> "for_none";
      default -> "unknown_for";
    };
  }
}
