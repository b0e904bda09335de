package touchline.peer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import touchline.Agreement;
import touchline.Guard;
import touchline.Incident;
import touchline.MatchState;
import touchline.ScoreSource;

/**
 * Law 9: the trading guard, decided from the last incident, in order of ids, of each kind that speaks for or against
 * it. Kept up to date incident by incident; the whole timeline is read only when such a last one is removed.
 */
final class Signals {
  private static final int POSSIBLE_GOAL = 0;
  private static final int POSSIBLE_CARD = 1;
  private static final int POSSIBLE_PENALTY = 2;
  private static final int POSSIBLE_VAR = 3;
  private static final int GOAL_DECIDED = 4;
  private static final int CARD_DECIDED = 5;
  private static final int PENALTY_DECIDED = 6;
  private static final int VAR_DECIDED = 7;
  private static final int GAME_BREAK = 8;
  private static final int PLAY = 9;
  private static final int INTERRUPTION = 10;
  private static final int OTHER_STATUS = 11;
  private static final int DECIDED =
      1 << GOAL_DECIDED | 1 << CARD_DECIDED | 1 << PENALTY_DECIDED | 1 << VAR_DECIDED;

  private static final int[] STARTS = {429, 430, 431, 432, 433};
  private static final int[] ENDS = {445, 446, 447, 448};
  private static final int[] FINISHES = {434, 435, 436, 437};
  private static final Map<Integer, Integer> MASKS = masks();

  private final String[] last = new String[12];
  private int lost;

  private static Map<Integer, Integer> masks() {
    Map<Integer, Integer> masks = new HashMap<>();
    give(masks, POSSIBLE_GOAL, 1827);
    give(masks, POSSIBLE_CARD, 1829);
    give(masks, POSSIBLE_PENALTY, 1832);
    give(masks, POSSIBLE_VAR, 1834);
    give(masks, GOAL_DECIDED, 413, 421, 423, 424, 1833);
    give(masks, GOAL_DECIDED, ENDS);
    give(masks, CARD_DECIDED, 418, 419, 1830);
    give(masks, PENALTY_DECIDED, 420, 421, 422, 1831);
    give(masks, VAR_DECIDED, 2753);
    for (int signal = GOAL_DECIDED; signal <= VAR_DECIDED; signal++) {
      give(masks, signal, STARTS);
      give(masks, signal, FINISHES);
    }
    give(masks, GAME_BREAK, 420, 438, 439, 440, 441, 442, 451, 1834, 2753);
    give(masks, GAME_BREAK, ENDS);
    give(masks, GAME_BREAK, FINISHES);
    give(masks, PLAY, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 416, 421, 422, 423, 425,
        1833);
    give(masks, PLAY, STARTS);
    give(masks, INTERRUPTION, 441, 442);
    give(masks, OTHER_STATUS, 427, 438, 439, 440, 451);
    give(masks, OTHER_STATUS, STARTS);
    give(masks, OTHER_STATUS, ENDS);
    give(masks, OTHER_STATUS, FINISHES);
    return masks;
  }

  private static void give(Map<Integer, Integer> masks, int signal, int... types) {
    for (int type : types) masks.merge(type, 1 << signal, (a, b) -> a | b);
  }

  private static int of(Incident incident, boolean removed) {
    if (incident == null || removed) return 0;
    int mask = MASKS.getOrDefault(incident.getIncidentId(), 0);
    return "cancelled".equals(incident.getConfirmation()) ? mask & DECIDED : mask;
  }

  /** Applies the change of an incident since it was last indexed. */
  void update(Held held) {
    int had = of(held.indexed, held.indexedRemoved);
    int has = of(held.incident, held.removed);
    note(held.id, has & ~had);
    for (int bits = had & ~has; bits != 0; bits &= bits - 1) {
      int signal = Integer.numberOfTrailingZeros(bits);
      if (held.id.equals(last[signal])) lost |= 1 << signal;
    }
  }

  private void note(String id, int mask) {
    for (int bits = mask; bits != 0; bits &= bits - 1) {
      int signal = Integer.numberOfTrailingZeros(bits);
      if (last[signal] == null || id.compareTo(last[signal]) > 0) last[signal] = id;
    }
  }

  /** What the guard reads beside the state and the timeline. Times are Unix seconds; null is never. */
  record Facts(Long statusAt, Long resultsAt, Long unexplainedAt) {}

  /** Returns the guard; the previous object when it is equal. */
  Guard guard(MatchState state, Facts facts, Map<String, Held> all) {
    if (lost != 0) findLost(all.values());
    String type = state.getStatusType();
    boolean over = "finished".equals(type) || "cancelled".equals(type) || "deleted".equals(type);
    boolean live = "live".equals(type);
    List<String> reasons = new ArrayList<>(0);
    if (state.getUnderReview()) reasons.add("under_review");
    if (!over) {
      if (later(POSSIBLE_GOAL, GOAL_DECIDED)) reasons.add("possible_goal");
      if (later(POSSIBLE_CARD, CARD_DECIDED)) reasons.add("possible_card");
      if (later(POSSIBLE_PENALTY, PENALTY_DECIDED)) reasons.add("possible_penalty");
      if (later(POSSIBLE_VAR, VAR_DECIDED)) reasons.add("possible_var");
    }
    if (live && later(GAME_BREAK, PLAY)) reasons.add("game_break");
    if (!over && "suspended".equals(state.getBetStatus())) reasons.add("bet_suspended");
    if (state.getAgreement() == Agreement.differs) reasons.add("score_differs");
    if (interrupted(state, facts, all)) reasons.add("interrupted");
    if (live && state.getScore() == null) reasons.add("score_unknown");
    if (facts.unexplainedAt != null && !agreedSince(facts.unexplainedAt, state, facts)) {
      reasons.add("unexplained_cancellation");
    }
    Guard before = state.getGuard();
    return before.getReasons().equals(reasons) ? before : new Guard(reasons.isEmpty(), reasons);
  }

  /** An interruption ends with the next status, with play, or with a later report of a live phase. */
  private boolean interrupted(MatchState state, Facts facts, Map<String, Held> all) {
    String type = state.getStatusType();
    Integer status = state.getStatusId();
    if ("interrupted".equals(type) || Objects.equals(status, 2) || Objects.equals(status, 7)) return true;
    if (!later(INTERRUPTION, OTHER_STATUS) || !later(INTERRUPTION, PLAY)) return false;
    long at = all.get(last[INTERRUPTION]).incident.getUt();
    return !("live".equals(type) && facts.statusAt != null && facts.statusAt > at);
  }

  /** Whether the provider reported a result after this time that confirms the score, or that is the score. */
  private static boolean agreedSince(long ut, MatchState state, Facts facts) {
    return facts.resultsAt != null && facts.resultsAt > ut
        && (state.getAgreement() == Agreement.agrees || state.getSource() == ScoreSource.reported);
  }

  private boolean later(int signal, int other) {
    return last[signal] != null && (last[other] == null || last[signal].compareTo(last[other]) > 0);
  }

  private void findLost(Collection<Held> all) {
    for (int bits = lost; bits != 0; bits &= bits - 1) last[Integer.numberOfTrailingZeros(bits)] = null;
    for (Held held : all) note(held.id, of(held.incident, held.removed) & lost);
    lost = 0;
  }
}
