package touchline.peer;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;

/** Runs the peer until SIGTERM or the end of its standard input. */
public final class Main {
  private static final String USAGE = """
      usage: java -cp 'target/peer.jar:target/lib/*' touchline.peer.Main OPTIONS

        --brokers HOST:PORT          required
        --input-prefix PREFIX        prefix of normalized-messages, required
        --output-prefix PREFIX       prefix of what it writes, required; the topics must exist
        --schema-ids TOPIC=ID,…      ids of normalized-messages, match-incidents, match-state, match-transitions, required
        --application-id ID          also the consumer group, required
        --state-dir FOLDER           required; Kafka Streams keeps its process file there
        --set NAME=VALUE             any setting of Kafka Streams; may be repeated
      """;

  private Main() {}

  public static void main(String[] args) throws Exception {
    if (args.length == 0 || args[0].equals("--help")) {
      System.out.print(USAGE);
      return;
    }
    Map<String, String> options = new HashMap<>();
    Properties properties = defaults();
    for (int i = 0; i + 1 < args.length; i += 2) {
      if (!args[i].equals("--set")) {
        options.put(args[i], args[i + 1]);
        continue;
      }
      int equals = args[i + 1].indexOf('=');
      properties.put(args[i + 1].substring(0, equals), args[i + 1].substring(equals + 1));
    }
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, required(options, "--brokers"));
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, required(options, "--application-id"));
    Path stateDir = Path.of(required(options, "--state-dir"));
    Files.createDirectories(stateDir);
    properties.put(StreamsConfig.STATE_DIR_CONFIG, stateDir.toString());
    SchemaIds ids = SchemaIds.parse(required(options, "--schema-ids"));

    KafkaStreams streams = new KafkaStreams(
        Pipeline.build(required(options, "--input-prefix"), required(options, "--output-prefix"), ids), properties);
    CompletableFuture<Integer> exitCode = new CompletableFuture<>();
    streams.setUncaughtExceptionHandler(cause -> {
      cause.printStackTrace();
      exitCode.complete(1);
      return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    });
    streams.setStateListener((now, before) -> {
      if (now == KafkaStreams.State.RUNNING) System.out.println("running");
    });
    Runtime.getRuntime().addShutdownHook(new Thread(() -> streams.close(Duration.ofSeconds(20))));
    endWithParent(exitCode);
    streams.start();
    System.exit(exitCode.get());
  }

  /** The best settings, measured by `npm run bench -- throughput`; docs/reference/performance.md has the figures. */
  private static Properties defaults() {
    Properties properties = new Properties();
    properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
    properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
    properties.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 256L * 1024 * 1024);
    properties.put(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, 0);
    properties.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, 1);
    properties.put(StreamsConfig.BUFFERED_RECORDS_PER_PARTITION_CONFIG, 5000);
    properties.put(StreamsConfig.consumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "earliest");
    properties.put(StreamsConfig.consumerPrefix(ConsumerConfig.MAX_POLL_RECORDS_CONFIG), 5000);
    properties.put(StreamsConfig.consumerPrefix(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG), 4 * 1024 * 1024);
    properties.put(StreamsConfig.consumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), 10_000);
    properties.put(StreamsConfig.producerPrefix(ProducerConfig.BATCH_SIZE_CONFIG), 256 * 1024);
    properties.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), 20);
    properties.put(StreamsConfig.producerPrefix(ProducerConfig.BUFFER_MEMORY_CONFIG), 128L * 1024 * 1024);
    return properties;
  }

  private static String required(Map<String, String> options, String name) {
    String value = options.get(name);
    if (value == null) {
      System.err.println("Missing option " + name + "\n" + USAGE);
      System.exit(2);
    }
    return value;
  }

  private static void endWithParent(CompletableFuture<Integer> exitCode) {
    Thread watch = new Thread(() -> {
      try {
        while (System.in.read() >= 0) continue;
      } catch (java.io.IOException ignored) {
        // A broken standard input counts as closed.
      }
      exitCode.complete(0);
    });
    watch.setDaemon(true);
    watch.start();
  }
}
