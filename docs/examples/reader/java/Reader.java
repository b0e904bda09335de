import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Reads matches and prints goals and guards, one JSON value a line (docs/guides/reading.md). For Java 17:
 *
 *     mvn -q compile dependency:copy-dependencies
 *     KAFKA_BROKERS=localhost:9092 SCHEMA_REGISTRY_URL=http://localhost:8085/apis/ccompat/v7 \
 *       java -cp 'target/classes:target/lib/*' Reader
 */
final class Reader implements ConsumerRebalanceListener {
  private static final Map<String, String> ENV = System.getenv();
  private static final String PREFIX = ENV.getOrDefault("TOPIC_PREFIX", "touchline.");
  private static final String STATES = PREFIX + "match-state";
  private static final String TRANSITIONS = PREFIX + "match-transitions";
  private static final TopicPartition HEALTH = new TopicPartition(PREFIX + "feed-health", 0);
  private static final TopicPartition HALTS = new TopicPartition(PREFIX + "trading-halts", 0);
  /** Transitions are read from this time before an assignment; those that the states already have are dropped by version. */
  private static final long OVERLAP_MS = 60_000;
  private static final long GUARD_EVERY_MS = 100;
  private static final long ENDS_EVERY_MS = 400;
  private static final int MAX_ANSWER_MS = 1_000;

  /** UTF-8, because names have letters that the default encoding may lack. */
  private static final PrintStream OUT =
      new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);

  private final ObjectMapper json = new ObjectMapper();
  private final Map<Integer, Schema> schemas = new HashMap<>();
  private final MatchReader reader =
      new MatchReader(new TradingRule.Limits(limit("MAX_AGE_SECONDS"), limit("MAX_DELAY_SECONDS")));
  private final KafkaConsumer<String, ByteBuffer> consumer = new KafkaConsumer<>(options());
  /** Feed health and halts have one partition each, which every instance reads outside of the group. */
  private final KafkaConsumer<String, ByteBuffer> health = new KafkaConsumer<>(options());
  private final Admin admin = Admin.create(Map.of("bootstrap.servers", options().get("bootstrap.servers")));
  /** Ends of the states of loading partitions. */
  private final Map<TopicPartition, Long> ends = new HashMap<>();
  private final Map<Long, Map<String, Object>> guards = new HashMap<>();

  private static Properties options() {
    Properties options = new Properties();
    options.put("bootstrap.servers", ENV.getOrDefault("KAFKA_BROKERS", "localhost:9092"));
    options.put("group.id", ENV.getOrDefault("READER_GROUP", "reader-example"));
    options.put("isolation.level", "read_committed");
    options.put("enable.auto.commit", false);
    // Assigns all topics alike: the owner of a partition of one topic also owns it in the others.
    options.put("partition.assignment.strategy", RangeAssignor.class.getName());
    options.put("session.timeout.ms", 10_000);
    options.put("key.deserializer", StringDeserializer.class);
    options.put("value.deserializer", ByteBufferDeserializer.class);
    return options;
  }

  public static void main(String[] args) throws InterruptedException {
    Reader reader = new Reader();
    Thread running = Thread.currentThread();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      reader.consumer.wakeup();
      try {
        running.join();
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
      }
    }));
    reader.run();
  }

  /** Returns a limit of the reader's own; null where it is not set. */
  private static Double limit(String name) {
    return ENV.containsKey(name) ? Double.valueOf(ENV.get(name)) : null;
  }

  private void run() {
    consumer.subscribe(List.of(STATES, TRANSITIONS), this);
    health.assign(List.of(HEALTH, HALTS));
    health.seekToBeginning(List.of(HEALTH, HALTS));
    // A separate thread, because a broker that does not answer may block this one.
    var guarding = Executors.newSingleThreadScheduledExecutor();
    guarding.scheduleWithFixedDelay(this::printGuards, 0, GUARD_EVERY_MS, TimeUnit.MILLISECONDS);
    guarding.scheduleWithFixedDelay(this::askForEnds, 0, ENDS_EVERY_MS, TimeUnit.MILLISECONDS);
    try (consumer; health; admin) {
      while (true) {
        for (var record : health.poll(Duration.ZERO)) applyClosing(record);
        for (var record : consumer.poll(Duration.ofMillis(50))) apply(record).forEach(this::print);
        tellPositions();
        checkCaughtUp();
      }
    } catch (WakeupException stopped) {
      // Asked to stop: leaves the group.
    } finally {
      guarding.shutdownNow();
    }
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
    Map<Boolean, List<TopicPartition>> byTopic =
        assigned.stream().collect(Collectors.partitioningBy(one -> one.topic().equals(STATES)));
    List<Integer> partitions = byTopic.get(true).stream().map(TopicPartition::partition).sorted().toList();
    synchronized (reader) {
      reader.assign(partitions);
    }
    ends.clear();
    consumer.seekToBeginning(byTopic.get(true));
    ends.putAll(consumer.endOffsets(byTopic.get(true)));
    long since = System.currentTimeMillis() - OVERLAP_MS;
    consumer.seekToEnd(byTopic.get(false));
    consumer
        .offsetsForTimes(byTopic.get(false).stream().collect(Collectors.toMap(one -> one, one -> since)))
        .forEach((of, first) -> {
          if (first != null) consumer.seek(of, first.offset());
        });
    print(Map.of("type", "assigned", "partitions", partitions));
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
    ends.clear();
  }

  /** Tells the reader how far its states and the halts are read. */
  private void tellPositions() {
    long read = health.position(HALTS);
    synchronized (reader) {
      reader.haltsReadTo(read);
    }
    for (TopicPartition of : consumer.assignment()) {
      if (!of.topic().equals(STATES)) continue;
      // The position is known once records were requested, and does not wait for a broker.
      long next = consumer.position(of);
      synchronized (reader) {
        reader.readTo(of.partition(), next);
      }
    }
  }

  /** Asks where the states and the halts end, so that the reader does not believe what it knows while it gets no records. */
  private void askForEnds() {
    double at = steadyMs();
    Map<TopicPartition, OffsetSpec> latest = new HashMap<>(Map.of(HALTS, OffsetSpec.latest()));
    synchronized (reader) {
      for (int one : reader.partitions()) latest.put(new TopicPartition(STATES, one), OffsetSpec.latest());
    }
    var ends = admin.listOffsets(
        latest, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED).timeoutMs(MAX_ANSWER_MS));
    for (TopicPartition of : latest.keySet())
      // A broker that does not answer withholds its own ends only.
      ends.partitionResult(of).whenComplete((end, error) -> {
        if (error != null) return;
        synchronized (reader) {
          if (of.equals(HALTS)) reader.haltsEndAt(end.offset(), at);
          else reader.endsAt(of.partition(), end.offset(), at);
        }
      });
  }

  /** The position includes the markers of transactions, which are not returned as records. */
  private void checkCaughtUp() {
    for (TopicPartition of : List.copyOf(ends.keySet())) {
      if (consumer.position(of) < ends.get(of)) continue;
      ends.remove(of);
      synchronized (reader) {
        reader.caughtUp(of.partition()).forEach(this::print);
      }
      print(Map.of("type", "caught_up", "partition", of.partition()));
    }
  }

  private List<Map<String, Object>> apply(ConsumerRecord<String, ByteBuffer> record) {
    GenericRecord value = decode(record.value());
    synchronized (reader) {
      return record.topic().equals(STATES)
          ? reader.applyState(record.partition(), Long.parseLong(record.key()), value)
          : reader.applyTransition(record.partition(), value);
    }
  }

  /** Applies a record of feed-health or trading-halts, which can close a guard. */
  private void applyClosing(ConsumerRecord<String, ByteBuffer> record) {
    GenericRecord value = decode(record.value());
    synchronized (reader) {
      if (record.topic().equals(HALTS.topic())) reader.applyHalt(record.key(), value);
      else reader.applyHealth(record.key(), value, steadyMs());
    }
  }

  /** Prints each changed guard. Called by a timer, because a dead feed closes the guard without a record. */
  private void printGuards() {
    synchronized (reader) {
      for (long eventId : reader.eventIds()) {
        Map<String, Object> guard = reader.guard(eventId, System.currentTimeMillis(), steadyMs());
        if (!guard.equals(guards.put(eventId, guard))) print(guard);
      }
    }
  }

  private static double steadyMs() {
    return System.nanoTime() / 1e6;
  }

  private void print(Map<String, Object> line) {
    try {
      OUT.println(json.writeValueAsString(line));
    } catch (JsonProcessingException error) {
      throw new UncheckedIOException(error);
    }
  }

  /** Avro behind a zero byte and the id of its schema in the registry. */
  private GenericRecord decode(ByteBuffer value) {
    if (value == null) return null;
    value.get();
    Schema schema = schemas.computeIfAbsent(value.getInt(), this::fetchSchema);
    byte[] bytes = new byte[value.remaining()];
    value.get(bytes);
    try {
      return new GenericDatumReader<GenericRecord>(schema)
          .read(null, DecoderFactory.get().binaryDecoder(bytes, null));
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private Schema fetchSchema(int id) {
    try (var body = URI.create(ENV.get("SCHEMA_REGISTRY_URL") + "/schemas/ids/" + id).toURL().openStream()) {
      return new Schema.Parser().parse(json.readTree(body).get("schema").asText());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
