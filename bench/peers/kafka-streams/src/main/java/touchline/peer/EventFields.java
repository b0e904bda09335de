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
 * Messages tell the fields in a few canonical JSON objects, most of which repeat to the letter; such an object is
 * kept whole and only its time moves, so that nothing is parsed again.
 */
final class EventFields {
  /** One object as it was told, and how many of its fields still stand. */
  private static final class Told {
    final String json;
    final int fields;
    long ut;
    int standing;

    Told(String json, int fields, long ut) {
      this.json = json;
      this.fields = fields;
      this.ut = ut;
      this.standing = fields;
    }
  }

  private record Field(String json, Told told) {}

  private final Map<String, Field> byName = new HashMap<>();
  private final List<Told> told = new ArrayList<>();
  private final List<String> changed = new ArrayList<>();

  /** The names of the fields whose value the last {@link #tell} changed. */
  List<String> changed() {
    return changed;
  }

  /** The field's value as canonical JSON, or null where it was never told. */
  String get(String name) {
    Field field = byName.get(name);
    return field == null ? null : field.json;
  }

  /** The time the field was last told, or 0. */
  long toldAt(String name) {
    Field field = byName.get(name);
    return field == null ? 0 : field.told.ut;
  }

  /** Applies the objects of one message; false where they change nothing, not even a time. */
  boolean tell(List<String> objects, long ut) {
    changed.clear();
    boolean any = false;
    for (String object : objects) any |= tellOne(object, ut);
    if (any) told.removeIf(one -> one.standing == 0);
    return any;
  }

  private boolean tellOne(String json, long ut) {
    for (Told one : told) {
      if (one.standing == one.fields && one.json.equals(json)) {
        if (ut <= one.ut) return false;
        one.ut = ut;
        return true;
      }
    }
    List<String> parts = Json.members(json);
    Told fresh = new Told(json, parts.size() / 2, ut);
    for (int i = 0; i < parts.size(); i += 2) {
      String name = parts.get(i);
      String value = parts.get(i + 1);
      Field held = byName.get(name);
      if (held != null && !wins(value, ut, held)) {
        fresh.standing--;
        continue;
      }
      if (held != null) held.told.standing--;
      if (held == null || !held.json.equals(value)) changed.add(name);
      byName.put(name, new Field(value, fresh));
    }
    if (fresh.standing > 0) told.add(fresh);
    return fresh.standing > 0;
  }

  private static boolean wins(String value, long ut, Field held) {
    if (ut != held.told.ut) return ut > held.told.ut;
    return value.compareTo(held.json) > 0;
  }

  /** The register as the topic keeps it, oldest first. */
  List<FieldsAt> encode() {
    told.sort(Comparator.comparingLong(one -> one.ut));
    List<FieldsAt> out = new ArrayList<>(told.size());
    for (Told one : told) out.add(new FieldsAt(one.ut, one.standing == one.fields ? one.json : standing(one)));
    return out;
  }

  private String standing(Told one) {
    TreeMap<String, String> fields = new TreeMap<>();
    byName.forEach((name, field) -> {
      if (field.told == one) fields.put(name, field.json);
    });
    StringBuilder json = new StringBuilder("{");
    fields.forEach((name, value) -> {
      if (json.length() > 1) json.append(',');
      json.append('"').append(name).append("\":").append(value);
    });
    return json.append('}').toString();
  }

  /** Afterwards every field counts as changed. */
  void restore(List<FieldsAt> fields) {
    for (FieldsAt one : fields) tellOne(one.getJson(), one.getUt());
  }
}
