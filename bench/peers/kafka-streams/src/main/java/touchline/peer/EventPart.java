package touchline.peer;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** One part of a message's event, read: some of its fields, as one canonical JSON text. */
final class EventPart {
  static final String PARTICIPANTS = "participants";
  private static final Set<String> ALWAYS_KNOWN =
      Set.of("status_id", "status_type", "sport_id", "competition_id", "season_id", "stage_id");

  /**
   * A field of the event, or of one side of its participants: its results, or everything else of it. `slot` names it (a field of
   * the event as its JSON does), `json` is its value, `whole` the value as reported (of a side with its results). `side` is 0 for
   * a field of the event.
   */
  record PartField(String slot, String name, int side, boolean results, String json, String whole) {
    /** Its name, of a side e.g. participants.1.results. */
    String label() {
      return name.equals(PARTICIPANTS) ? slot : name;
    }
  }

  final String text;
  final List<PartField> fields = new ArrayList<>();
  /** Whether the fields give the text again: it has nothing that reports nothing. */
  boolean exact = true;
  final int progress;
  /** Null where the part does not say it. */
  final Statuses.Stage stage;

  /** Reads a part. Fails when it is no canonical JSON object. */
  EventPart(String text) {
    this.text = text;
    Integer statusId = null;
    String statusType = null;
    List<String> members = Json.members(text);
    for (int i = 0; i < members.size(); i += 2) {
      String name = members.get(i);
      String json = members.get(i + 1);
      if (name.equals(PARTICIPANTS)) {
        readSides(json);
      } else if (json.equals("null") && ALWAYS_KNOWN.contains(name)) {
        exact = false;
      } else {
        String plain = name.indexOf('\\') < 0 ? name : Json.text('"' + name + '"');
        fields.add(new PartField(name, plain, 0, false, json, json));
        if (name.equals("status_id")) statusId = Json.integer(json);
        if (name.equals("status_type")) statusType = Json.text(json);
      }
    }
    progress = Statuses.progress(statusId, statusType);
    stage = Statuses.stage(statusId, statusType);
  }

  private void readSides(String json) {
    TreeMap<Integer, List<PartField>> sides = new TreeMap<>();
    if (json.charAt(0) == '[') {
      for (String item : Json.items(json)) {
        List<PartField> own = item.charAt(0) == '{' ? readSide(item, sides) : List.of();
        if (!own.isEmpty()) sides.put(own.get(0).side(), own);
      }
    }
    List<PartField> all = new ArrayList<>();
    sides.values().forEach(all::addAll);
    exact &= !all.isEmpty() && json.equals(joinSides(all));
    fields.addAll(all);
  }

  private static List<PartField> readSide(String item, Map<Integer, List<PartField>> sides) {
    Integer counter = null;
    Long id = null;
    String results = null;
    int others = 0;
    StringBuilder own = new StringBuilder("{");
    List<String> members = Json.members(item);
    for (int i = 0; i < members.size(); i += 2) {
      String name = members.get(i);
      String json = members.get(i + 1);
      if (name.equals("results")) {
        results = json;
        continue;
      }
      if (name.equals("counter")) counter = Json.integer(json);
      if (name.equals("id")) id = Json.number(json);
      if (others++ > 0) own.append(',');
      own.append('"').append(name).append("\":").append(json);
    }
    if (counter == null || counter < 0 || sides.containsKey(counter)) return List.of();
    if (id == null && others > 1) return List.of();
    List<PartField> fields = new ArrayList<>(2);
    String slot = PARTICIPANTS + "." + counter;
    if (id != null) fields.add(new PartField(slot, PARTICIPANTS, counter, false, own.append('}').toString(), item));
    if (results != null && results.startsWith("[") && !results.equals("[]")) {
      fields.add(new PartField(slot + ".results", PARTICIPANTS, counter, true, results, item));
    }
    return fields;
  }

  /** Writes sides that one message reported, given in order of sides, of each the results last. */
  static String joinSides(List<PartField> fields) {
    StringBuilder json = new StringBuilder("[");
    for (int i = 0; i < fields.size(); i++) {
      PartField field = fields.get(i);
      if (json.length() > 1) json.append(',');
      boolean both = i + 1 < fields.size() && fields.get(i + 1).side() == field.side();
      if (field.results()) json.append("{\"counter\":").append(field.side()).append(",\"results\":").append(field.json()).append('}');
      else json.append(both ? field.whole() : field.json());
      if (both) i++;
    }
    return json.append(']').toString();
  }
}
