package touchline.peer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.util.RawValue;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecordBase;
import touchline.Event;
import touchline.EventField;
import touchline.Incident;

/** The event and the incident as values: their equality, and the canonical JSON of the contract that they stand for. */
final class Values {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  /** The largest number that JSON readers agree on. */
  private static final long MAX_SAFE = (1L << 53) - 1;
  /** Fields that the contract writes even when they are unknown, of an incident all. */
  private static final Set<String> ALWAYS_WRITTEN = Set.of("value", "order");

  private Values() {}

  /** Whether two records of a type are equal but for one field. */
  static boolean sameBut(String except, SpecificRecordBase a, SpecificRecordBase b) {
    for (Schema.Field field : a.getSchema().getFields()) {
      boolean counts = !field.name().equals(except);
      if (counts && !Objects.equals(a.get(field.pos()), b.get(field.pos()))) return false;
    }
    return true;
  }

  /** The text that orders two events of one second where nothing else does (law 2). */
  static String text(Event event) {
    Map<String, Object> object = object(event, false);
    object.remove("nulls");
    for (EventField name : event.getNulls()) object.put(name.name(), null);
    if (event.getParticipants().isEmpty()) object.remove("participants");
    return write(object);
  }

  /** The text that orders two records of an incident where nothing else does (law 1). */
  static String text(Incident incident) {
    Map<String, Object> object = object(incident, true);
    object.remove("message_id");
    object.put("for", object.remove("counts_for"));
    Integer time = incident.getEventTime();
    if (time != null) object.put("event_time", String.format("%02d:%02d", time / 60, time % 60));
    object.putIfAbsent("event_status_id", "");
    return write(object);
  }

  private static String write(Map<String, Object> object) {
    try {
      return MAPPER.writeValueAsString(object);
    } catch (JsonProcessingException cause) {
      throw new IllegalArgumentException(cause);
    }
  }

  private static Map<String, Object> object(SpecificRecordBase record, boolean withUnknown) {
    Map<String, Object> object = new TreeMap<>();
    for (Schema.Field field : record.getSchema().getFields()) {
      Object value = record.get(field.pos());
      if (field.name().equals("other")) {
        ((Map<?, ?>) value).forEach((name, json) -> object.put((String) name, new RawValue((String) json)));
      } else if (value != null || withUnknown || ALWAYS_WRITTEN.contains(field.name())) {
        object.put(field.name(), written(value));
      }
    }
    return object;
  }

  private static Object written(Object value) {
    if (value instanceof SpecificRecordBase record) return object(record, false);
    if (value instanceof List<?> list) return list.stream().map(Values::written).toList();
    return value instanceof Boolean flag ? flag ? "yes" : "no" : value;
  }

  /** A count, given as text; null for anything else. */
  static Integer count(String text) {
    Long number = text == null ? null : wholeNumber(text.replaceFirst("^-(?=0+$)", ""));
    return number == null || number > Integer.MAX_VALUE ? null : number.intValue();
  }

  /** A whole number without a sign, as of the id of a message; null for anything else. */
  static Long wholeNumber(String digits) {
    if (digits.isEmpty() || digits.length() > 16) return null;
    for (int i = 0; i < digits.length(); i++) if (digits.charAt(i) < '0' || digits.charAt(i) > '9') return null;
    long number = Long.parseLong(digits);
    return number > MAX_SAFE ? null : number;
  }
}
