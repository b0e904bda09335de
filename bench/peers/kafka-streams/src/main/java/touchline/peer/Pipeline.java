package touchline.peer;

import java.util.List;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.state.Stores;

/**
 * normalized-messages → match processor → match-incidents, match-state, match-transitions.
 * The states go through a cached table, so that, as in the service beside it, only the last state of an event in a
 * commit is written.
 */
final class Pipeline {
  private static final String PROCESSOR = "match";
  private static final Serde<String> KEYS = Serdes.String();
  private static final Serde<byte[]> BYTES = Serdes.ByteArray();

  private Pipeline() {}

  /** The changes of one message as encoded records; passed between nodes of one task, never serialized. */
  record Update(List<KeyValue<String, byte[]>> incidents, byte[] state, List<byte[]> transitions) {}

  static Topology build(String inputPrefix, String outputPrefix, SchemaIds ids) {
    StreamsBuilder builder = new StreamsBuilder();
    builder.addStateStore(
        Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(MatchProcessor.INCIDENTS), KEYS, BYTES));
    Produced<String, byte[]> produced = Produced.with(KEYS, BYTES);
    FixedKeyProcessorSupplier<String, byte[], Update> processor = () -> new MatchProcessor(ids);
    KStream<String, Update> updates = builder
        .stream(inputPrefix + SchemaIds.INPUT, Consumed.with(KEYS, BYTES))
        .processValues(processor, Named.as(PROCESSOR), MatchProcessor.INCIDENTS);
    updates.flatMap((eventId, update) -> update.incidents()).to(outputPrefix + SchemaIds.INCIDENTS, produced);
    updates.mapValues(Update::state)
        .toTable(Materialized.<String, byte[]>as(Stores.inMemoryKeyValueStore(MatchProcessor.STATES))
            .withKeySerde(KEYS).withValueSerde(BYTES).withCachingEnabled())
        .toStream()
        .to(outputPrefix + SchemaIds.STATE, produced);
    updates.flatMapValues(Update::transitions).to(outputPrefix + SchemaIds.TRANSITIONS, produced);
    Topology topology = builder.build();
    // The processor reads the table's store when it starts, to restore its matches.
    topology.connectProcessorAndStateStores(PROCESSOR, MatchProcessor.STATES);
    return topology;
  }
}
