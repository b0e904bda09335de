package touchline.peer;

import java.util.ArrayList;
import java.util.List;
import touchline.MatchTransition;

/** The changes of a match by one message. */
final class Change {
  final List<Held> touched = new ArrayList<>(1);
  /** Not empty when anything changed. */
  List<MatchTransition> transitions = List.of();
}
