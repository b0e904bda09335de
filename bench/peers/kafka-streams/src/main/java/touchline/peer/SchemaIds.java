package touchline.peer;

import java.util.HashMap;
import java.util.Map;

/** The registry's id of each topic's schema, as given on the command line: `topic=id,topic=id`. */
record SchemaIds(Map<String, Integer> byTopic) {
  static final String INPUT = "normalized-messages";
  static final String INCIDENTS = "match-incidents";
  static final String STATE = "match-state";
  static final String TRANSITIONS = "match-transitions";

  static SchemaIds parse(String text) {
    Map<String, Integer> byTopic = new HashMap<>();
    for (String pair : text.split(",")) {
      int equals = pair.indexOf('=');
      if (equals < 0) throw new IllegalArgumentException("--schema-ids takes topic=id pairs, got \"" + pair + "\"");
      byTopic.put(pair.substring(0, equals), Integer.valueOf(pair.substring(equals + 1)));
    }
    return new SchemaIds(byTopic);
  }

  int of(String topic) {
    Integer id = byTopic.get(topic);
    if (id == null) throw new IllegalArgumentException("--schema-ids names no id for " + topic);
    return id;
  }
}
