package touchline.peer;

import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecordBase;

/**
 * The schema's default values of one record type. A record gets them before its own fields, so a field with a default that
 * the schema gains needs no change here. Unlike a generated builder it neither copies nor validates, as that would slow the peer.
 */
final class Defaults {
  private record Value(int position, Object value) {}

  private final List<Value> values = new ArrayList<>();

  Defaults(Schema schema) {
    for (Schema.Field field : schema.getFields()) {
      if (!field.hasDefaultValue()) continue;
      Object value = SpecificData.get().getDefaultValue(field);
      if (value != null) values.add(new Value(field.pos(), value));
    }
  }

  /** Sets every default of a new record, which shares the values with others: replace them, never change them. */
  <T extends SpecificRecordBase> T on(T record) {
    for (Value one : values) record.put(one.position, one.value);
    return record;
  }
}
