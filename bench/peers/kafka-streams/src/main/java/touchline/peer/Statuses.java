package touchline.peer;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The statuses of a soccer match: their types and their order. */
final class Statuses {
  private static final Set<Integer> FINISHED = Set.of(7, 11, 12, 13, 14, 140);
  private static final Map<Integer, String> TYPES = types();
  private static final Map<String, Integer> PROGRESS =
      Map.of("scheduled", 1, "live", 2, "interrupted", 20, "cancelled", 21, "finished", 30, "deleted", 31);
  /** In the order in which they follow each other. */
  private static final List<Set<Integer>> COURSE = List.of(Set.of(33), Set.of(9), Set.of(34), Set.of(48), Set.of(35),
      Set.of(37), Set.of(36), Set.of(142), Set.of(16, 141));

  private Statuses() {}

  private static Map<Integer, String> types() {
    Map<Integer, String> types = new HashMap<>();
    for (int status : new int[] {1, 5, 6}) types.put(status, "scheduled");
    for (int status : new int[] {9, 16, 33, 34, 35, 36, 37, 48, 141, 142}) types.put(status, "live");
    for (int status : FINISHED) types.put(status, "finished");
    types.put(2, "interrupted");
    types.put(3, "cancelled");
    return types;
  }

  /** Law 8. */
  static boolean isFinished(Integer id, String type) {
    return "finished".equals(type) || id != null && FINISHED.contains(id);
  }

  /** How far a match is, as far as going back matters (laws 2 and 9). */
  enum Stage { SCHEDULED, IN_PLAY, FINISHED }

  /** The stage of a match of this status; null for any other. */
  static Stage stage(Integer id, String type) {
    if (isFinished(id, type)) return Stage.FINISHED;
    String known = type == null ? type(id) : type;
    if ("live".equals(known) || "interrupted".equals(known)) return Stage.IN_PLAY;
    return "scheduled".equals(known) ? Stage.SCHEDULED : null;
  }

  /** The type of a status, null when it is not one of soccer. */
  static String type(Integer id) {
    return id == null ? null : TYPES.get(id);
  }

  /** How far a match of this status is: the further one is the later of one second. 0 is unknown. */
  static int progress(Integer id, String type) {
    if (isFinished(id, type)) return PROGRESS.get("finished");
    for (int place = 0; place < COURSE.size(); place++) if (id != null && COURSE.get(place).contains(id)) return place + 2;
    String known = type(id) == null ? type : type(id);
    return known == null ? 0 : PROGRESS.getOrDefault(known, 0);
  }
}
