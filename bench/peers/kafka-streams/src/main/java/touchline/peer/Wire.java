package touchline.peer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.avro.Schema;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.avro.specific.SpecificRecordBase;

/**
 * One record type in the registry's wire format: a zero byte, the schema's id in four, the Avro bytes.
 * Uses the coders generated with the records, without reflection. Not for use by several threads.
 */
final class Wire<T extends SpecificRecordBase> {
  private static final int HEADER = 5;

  private final int schemaId;
  private final SpecificDatumReader<T> reader;
  private final SpecificDatumWriter<T> writer;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream(4096);
  private BinaryEncoder encoder;
  private BinaryDecoder decoder;

  /** The sample gives the generated model of the record's class. */
  Wire(Schema schema, T sample, int schemaId) {
    SpecificData model = sample.getSpecificData();
    model.setCustomCoders(true);
    this.schemaId = schemaId;
    this.reader = new SpecificDatumReader<>(schema, schema, model);
    this.writer = new SpecificDatumWriter<>(schema, model);
  }

  byte[] encode(T value) {
    try {
      out.reset();
      out.write(0);
      out.write(schemaId >>> 24);
      out.write(schemaId >>> 16);
      out.write(schemaId >>> 8);
      out.write(schemaId);
      encoder = EncoderFactory.get().binaryEncoder(out, encoder);
      writer.write(value, encoder);
      encoder.flush();
      return out.toByteArray();
    } catch (IOException cause) {
      throw new UncheckedIOException(cause);
    }
  }

  /** Decodes a record. Fails when the bytes were written with another schema: this program knows one version of each. */
  T decode(byte[] bytes) {
    int id = (bytes[1] & 0xff) << 24 | (bytes[2] & 0xff) << 16 | (bytes[3] & 0xff) << 8 | bytes[4] & 0xff;
    if (bytes[0] != 0 || id != schemaId) {
      throw new IllegalStateException("A record was written with schema " + id + ", expected " + schemaId);
    }
    try {
      decoder = DecoderFactory.get().binaryDecoder(bytes, HEADER, bytes.length - HEADER, decoder);
      return reader.read(null, decoder);
    } catch (IOException cause) {
      throw new UncheckedIOException(cause);
    }
  }
}
