package touchline.peer;

import java.util.ArrayList;
import java.util.List;
import touchline.MatchTransition;

/** The changes of a match by one message. */
final class Change {
  final List<Held> touched = new ArrayList<>(1);
  boolean snapshot;
  /** Paths that could not be read for the first time. */
  final List<String> unread = new ArrayList<>(0);
  /** Not empty when anything changed. */
  List<MatchTransition> transitions = List.of();
}
