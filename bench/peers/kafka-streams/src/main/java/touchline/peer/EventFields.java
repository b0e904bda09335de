package touchline.peer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import touchline.FieldsAt;

/**
 * The event register (law 2): field by field, the value with the higher time wins, ties by the larger canonical JSON.
 * Messages carry the fields in a few canonical JSON objects, most of which repeat to the letter; such an object is
 * kept whole and only its time moves, so that nothing is parsed again.
 */
final class EventFields {
  private static final Defaults DEFAULTS = new Defaults(FieldsAt.getClassSchema());

  /** A reported object, and the number of its fields that are still current. */
  private static final class Reported {
    final String json;
    final int fields;
    long ut;
    int standing;

    Reported(String json, int fields, long ut) {
      this.json = json;
      this.fields = fields;
      this.ut = ut;
      this.standing = fields;
    }
  }

  private record Field(String json, Reported reported) {}

  private final Map<String, Field> byName = new HashMap<>();
  private final List<Reported> reported = new ArrayList<>();
  private final List<String> changed = new ArrayList<>();

  /** The names of the fields whose value the last {@link #apply} changed. */
  List<String> changed() {
    return changed;
  }

  /** Returns the field's value as canonical JSON; null when it was never reported. */
  String get(String name) {
    Field field = byName.get(name);
    return field == null ? null : field.json;
  }

  /** The time the field was last reported, or 0. */
  long reportedAt(String name) {
    Field field = byName.get(name);
    return field == null ? 0 : field.reported.ut;
  }

  /** Applies the objects of one message; false when they change nothing, not even a time. */
  boolean apply(List<String> objects, long ut) {
    changed.clear();
    boolean any = false;
    for (String object : objects) any |= applyOne(object, ut);
    if (any) reported.removeIf(one -> one.standing == 0);
    return any;
  }

  private boolean applyOne(String json, long ut) {
    for (Reported one : reported) {
      if (one.standing == one.fields && one.json.equals(json)) {
        if (ut <= one.ut) return false;
        one.ut = ut;
        return true;
      }
    }
    List<String> parts = Json.members(json);
    Reported fresh = new Reported(json, parts.size() / 2, ut);
    for (int i = 0; i < parts.size(); i += 2) {
      String name = parts.get(i);
      String value = parts.get(i + 1);
      Field held = byName.get(name);
      if (held != null && !wins(value, ut, held)) {
        fresh.standing--;
        continue;
      }
      if (held != null) held.reported.standing--;
      if (held == null || !held.json.equals(value)) changed.add(name);
      byName.put(name, new Field(value, fresh));
    }
    if (fresh.standing > 0) reported.add(fresh);
    return fresh.standing > 0;
  }

  private static boolean wins(String value, long ut, Field held) {
    if (ut != held.reported.ut) return ut > held.reported.ut;
    return value.compareTo(held.json) > 0;
  }

  /** Returns the register in the form of the topic, oldest first. */
  List<FieldsAt> encode() {
    reported.sort(Comparator.comparingLong(one -> one.ut));
    List<FieldsAt> out = new ArrayList<>(reported.size());
    for (Reported one : reported) {
      FieldsAt fields = DEFAULTS.on(new FieldsAt());
      fields.setUt(one.ut);
      fields.setJson(one.standing == one.fields ? one.json : standing(one));
      out.add(fields);
    }
    return out;
  }

  private String standing(Reported one) {
    TreeMap<String, String> fields = new TreeMap<>();
    byName.forEach((name, field) -> {
      if (field.reported == one) fields.put(name, field.json);
    });
    StringBuilder json = new StringBuilder("{");
    fields.forEach((name, value) -> {
      if (json.length() > 1) json.append(',');
      json.append('"').append(name).append("\":").append(value);
    });
    return json.append('}').toString();
  }

  /** Restores the register; afterwards every field counts as changed. */
  void restore(List<FieldsAt> fields) {
    for (FieldsAt one : fields) applyOne(one.getJson(), one.getUt());
  }
}
