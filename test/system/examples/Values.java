import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;

/** Prints the values of expressions, which the test puts into the array, over the records of standard input. */
final class Values {
  public static void main(String[] args) throws Exception {
    ObjectMapper json = new ObjectMapper();
    List<Object> all = new ArrayList<>();
    for (JsonNode records : json.readTree(System.in).get("records")) {
      GenericRecord message = read(records.get("message"));
      GenericRecord record = read(records.get("record"));
      GenericRecord table = read(records.get("table"));
      Object[] values = {/* expressions */};
      all.add(Arrays.stream(values).map(one -> one instanceof CharSequence ? one.toString() : one).toList());
    }
    System.out.println(json.writeValueAsString(all));
  }

  private static GenericRecord read(JsonNode of) throws Exception {
    Schema schema = new Schema.Parser().parse(of.get("schema").asText());
    byte[] bytes = of.get("bytes").binaryValue();
    return new GenericDatumReader<GenericRecord>(schema).read(null, DecoderFactory.get().binaryDecoder(bytes, null));
  }
}
