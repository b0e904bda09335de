package touchline.peer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.TimestampedKeyValueStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;
import touchline.Cause;
import touchline.MatchIncident;
import touchline.MatchState;
import touchline.MatchTransition;
import touchline.MessageType;
import touchline.NormalizedMessage;

/**
 * One task's processor. The matches are objects in memory; the stores hold their records as bytes, are written with
 * every change and read only when the task starts.
 */
final class MatchProcessor implements FixedKeyProcessor<String, byte[], Pipeline.Update> {
  static final String INCIDENTS = "incidents";
  static final String STATES = "states";
  private static final Defaults CAUSE_DEFAULTS = new Defaults(Cause.getClassSchema());

  private final Map<String, Match> matches = new HashMap<>();
  private final Wire<NormalizedMessage> messages;
  private final Wire<MatchIncident> incidents;
  private final Wire<MatchState> states;
  private final Wire<MatchTransition> transitions;
  private FixedKeyProcessorContext<String, Pipeline.Update> context;
  private KeyValueStore<String, byte[]> incidentStore;

  MatchProcessor(SchemaIds ids) {
    messages = new Wire<>(NormalizedMessage.getClassSchema(), new NormalizedMessage(), ids.of(SchemaIds.INPUT));
    incidents = new Wire<>(MatchIncident.getClassSchema(), new MatchIncident(), ids.of(SchemaIds.INCIDENTS));
    states = new Wire<>(MatchState.getClassSchema(), new MatchState(), ids.of(SchemaIds.STATE));
    transitions = new Wire<>(MatchTransition.getClassSchema(), new MatchTransition(), ids.of(SchemaIds.TRANSITIONS));
  }

  @Override
  public void init(FixedKeyProcessorContext<String, Pipeline.Update> context) {
    this.context = context;
    incidentStore = context.getStateStore(INCIDENTS);
    restore(context.getStateStore(STATES));
  }

  private void restore(TimestampedKeyValueStore<String, byte[]> stateStore) {
    try (KeyValueIterator<String, ValueAndTimestamp<byte[]>> all = stateStore.all()) {
      while (all.hasNext()) {
        KeyValue<String, ValueAndTimestamp<byte[]>> restored = all.next();
        match(restored.key).restore(states.decode(restored.value.value()));
      }
    }
    try (KeyValueIterator<String, byte[]> all = incidentStore.all()) {
      while (all.hasNext()) {
        MatchIncident restored = incidents.decode(all.next().value);
        match(Long.toString(restored.getEventId())).restore(restored);
      }
    }
    matches.values().forEach(Match::restored);
  }

  private Match match(String eventId) {
    return matches.computeIfAbsent(eventId, id -> new Match(Long.parseLong(id)));
  }

  @Override
  public void process(FixedKeyRecord<String, byte[]> record) {
    NormalizedMessage message = messages.decode(record.value());
    // They do not change the state of a match.
    if (message.getType() == MessageType.event_keep_alive || message.getType() == MessageType.events_lineups) return;
    RecordMetadata at = context.recordMetadata().orElseThrow();
    Cause cause = CAUSE_DEFAULTS.on(new Cause());
    cause.setTopic(SchemaIds.INPUT);
    cause.setPartition(at.partition());
    cause.setOffset(at.offset());
    cause.setUt(message.getUt());
    cause.setReceivedAt(message.getReceivedAt());
    cause.setMessageId(message.getMessageId());
    Match match = match(record.key());
    Change change = match.apply(message, cause);
    if (change.transitions.isEmpty()) return;
    List<KeyValue<String, byte[]>> touched = new ArrayList<>(change.touched.size());
    for (Held held : change.touched) {
      String key = record.key() + "/" + held.id;
      byte[] bytes = incidents.encode(match.incident(held));
      incidentStore.put(key, bytes);
      touched.add(KeyValue.pair(key, bytes));
    }
    List<byte[]> happened = new ArrayList<>(change.transitions.size());
    for (MatchTransition one : change.transitions) happened.add(transitions.encode(one));
    context.forward(record.withValue(new Pipeline.Update(touched, states.encode(match.state()), happened)));
  }
}
