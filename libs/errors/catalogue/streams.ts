/** Errors of the task runtime and of publishing. */
export const STREAM_ERRORS = {
  StreamError: {
    FENCED: [
      'Another owner has the transactional id, or the broker ended the transaction.',
      'Nothing after a rebalance: the partition is claimed again. Where it goes on, look for two processes that both own it, or for pauses longer than `SESSION_TIMEOUT_MS`.',
    ],
    FENCED_INSTANCE_ID: [
      'Another process joined the group under the same `GROUP_INSTANCE_ID`. The process that had it before ends.',
      'Give each process of a service its own: on one host, the second one needs the setting. Where they replace each other all the time, stop one.',
    ],
    UNAVAILABLE: [
      'The broker did not answer, or not in time.',
      'Look at the broker. The partition is claimed again until it answers.',
    ],
    RECORD_TOO_LARGE: [
      'A record, or a batch of them, is larger than its topic takes.',
      'Compare `max.message.bytes` of the topic with docs/reference/topics.md.',
    ],
    OFFSET_OUT_OF_RANGE: [
      'The position that was asked for is not in the log: before its start, or beyond its end.',
      'The reader starts again where its rule says; see the retention of the topic where it repeats.',
    ],
    TOPIC_RECREATED: [
      'A topic has another id than before: it was deleted and created again.',
      'The partition is claimed again and checks its position; see `INPUT_RECREATED` and `CHANGELOG_RECREATED`.',
    ],
    LOG_TRUNCATED: [
      'A partition lost records that were read: a broker lost its disk or the end of a log, or an unclean election took a copy that was behind.',
      'The partition is claimed again and checks its position; see `INPUT_TRUNCATED`.',
    ],
    UNDECIDED: [
      'A transaction that the broker answered as committed is still open in a partition.',
      'It is decided when the partition is claimed again; see KAFKA-20734 in docs/known-issues.md.',
    ],
    AUTHENTICATION_FAILED: [
      'The broker refuses the user, the password, the token or the client certificate.',
      'Correct `KAFKA_SASL_…` or `KAFKA_TLS_CERT_FILE`; see docs/guides/secure-it.md.',
    ],
    CERTIFICATE_UNTRUSTED: [
      'The broker’s certificate is not signed by a trusted authority, expired, or of another name.',
      'Set `KAFKA_TLS_CA_FILE` to the authority; use in `KAFKA_BROKERS` the names of the certificate.',
    ],
    TLS_REQUIRED: ['The broker speaks TLS, and `KAFKA_TLS` is off.', 'Set `KAFKA_TLS=on`.'],
    REJECTED: [
      'The broker refuses the request for another reason; the message has it.',
      'Check permissions, quotas and settings of the broker.',
    ],
  },
  RefusedError: {
    HANGING_TRANSACTION: [
      'A transaction of this partition’s producer is open, and its owner cannot decide it.',
      'Abort it with `kafka-transactions.sh abort`, as the message names it.',
    ],
    POSITION_MISSING: [
      'The changelogs or outputs have records and the positions topic has none: topics of an earlier version, or a lost positions topic.',
      'Run `npx touchline rebuild` for the processor, or set the position with `npx touchline position`.',
    ],
    POSITION_BEYOND_END: [
      'The position lies beyond the end of the input.',
      'Find out whether the input lost records; then set the position with `npx touchline position`.',
    ],
    INPUT_LOST: [
      'Input between the position and the start of the log is gone, and `ON_LOST_INPUT` says to stop.',
      'Decide: set the position, or `ON_LOST_INPUT` so that it goes on without what is gone.',
    ],
    INPUT_RECREATED: [
      'The input topic is another one than the position was written for.',
      'Run `npx touchline rebuild` for the processor, or set the position.',
    ],
    CHANGELOG_RECREATED: [
      'A changelog is another topic than the position was written with: the state of before is gone.',
      'Run `npx touchline rebuild` for the processor.',
    ],
    INPUT_TRUNCATED: [
      'The input lost records that were processed, and has others in their place: a broker lost its disk or the end of a log, or an unclean election took a copy that was behind.',
      'Decide: `npx touchline rebuild` for the processor, or set the position to where the logs part, as the message names it.',
    ],
    CHANGELOG_TRUNCATED: [
      'A changelog ends before what was committed with the position: part of the state is gone.',
      'Run `npx touchline rebuild` for the processor, or accept what is left with `npx touchline position … --accept-state`.',
    ],
    POSITION_TRUNCATED: [
      'A changelog or an output has records of a commit that the position does not know: the positions topic lost its end, or the marker of that commit (KAFKA-20734).',
      'Run `npx touchline rebuild` for the processor, or set the position with `npx touchline position … --accept-state`.',
    ],
    OUTPUT_TRUNCATED: [
      'An output lacks what was committed with the position: its readers miss results.',
      'Run `npx touchline rebuild` for the processor, or go on without them with `npx touchline position`.',
    ],
    LAYOUT_UNKNOWN: [
      'The position was written by a version of Touchline with another layout of topics.',
      'Run that version, or `npx touchline rebuild` for the processor.',
    ],
    PARTITIONS_DIFFER: [
      'A topic has another number of partitions than the input, or is missing.',
      'Run `npx touchline topics` where one is missing; else follow docs/guides/runbooks/more-partitions.md.',
    ],
  },
  RecordBatchError: {
    UNSUPPORTED_FORMAT: [
      'A record batch has a format other than 2, or an unknown compression.',
      'Write to the topic with a client of Kafka 0.11 or later, and a compression that Kafka defines.',
    ],
    CORRUPT: [
      'The checksum of a record batch differs, or its lengths contradict each other.',
      'Check the disk and the network of the broker that leads the partition.',
    ],
    TOO_LARGE: [
      'A compressed record batch has more than 64 MiB once decompressed. The message names topic, partition and offset, and the offset behind the batch.',
      'Find who wrote it: no service does that. A processor goes on behind it with `npx touchline position <service> <partition> <offset> --yes`.',
    ],
  },
  PositionLostError: {
    POSITION_LOST: [
      'A kept offset lies beyond the end of its partition: the topic is another one, or lost records.',
      'The process ends and rebuilds what it keeps at its next start.',
    ],
  },
  ClosedError: {
    CLOSED: ['A partition was released while work on it was under way.', 'Nothing: its next owner goes on.'],
  },
  PublishError: {
    TIMEOUT: [
      'Records were not acknowledged in time; they may have been written.',
      'Send them again: a repetition changes nothing. Look at the broker.',
    ],
    QUEUE_FULL: [
      'Too much waits to be sent; nothing of it was written.',
      'Send it again later. Where it lasts, the broker is too slow for what is received.',
    ],
    RECORD_TOO_LARGE: [
      'The broker takes no record of that size.',
      'Compare `max.message.bytes` of the topic with docs/reference/topics.md.',
    ],
    NO_PARTITION: [
      'A record has neither key nor partition; nothing was written.',
      'Report it: it is a defect.',
    ],
    CLOSED: ['The publisher is closed; nothing of it was written.', 'Nothing: the process is stopping.'],
  },
  PoisonError: {
    NOT_UTF8: ['The body of a delivery is not valid UTF-8.', 'Ask the sender for the delivery again.'],
    NOT_JSON: ['The body of a delivery is not valid JSON.', 'Ask the sender for the delivery again.'],
    NOT_ARRAY: [
      'The body of a delivery is JSON, but not an array of messages.',
      'Ask the sender: the contract has an array.',
    ],
    TOO_MANY: [
      'The body of a delivery holds more messages than are read at once.',
      'Ask the sender to split it.',
    ],
    UNKNOWN_SHAPE: [
      'A message lacks a known field, or has one of another type than the contract says; `reason` names it.',
      'Compare it with the contract. Where the contract has changed, resend it after the upgrade.',
    ],
    TOO_DEEP: [
      'A message nests deeper than any record does.',
      'Look at its bytes: it is none of the provider’s.',
    ],
    TOO_LARGE: [
      'A message is larger than the topics of match state take.',
      'Look at its bytes: a real one has some thousand.',
    ],
    NO_VALUE: [
      'A record of `normalized-messages` has no value.',
      'Find who else writes to the topic: no service does that.',
    ],
    NO_KEY: [
      'A record of `match-results` has no key or no value.',
      'Find who else writes to the topic: no service does that.',
    ],
    UNDECODABLE: [
      'A record is not Avro of a schema that can be read as that of its topic.',
      'Find who else writes to the topic, or which registry its schema is in; then resend it.',
    ],
    STATE_TOO_LARGE: [
      'A message would make a record of its match larger than 800 KiB: the match stays as it was, and goes on with the next message.',
      'Look at its bytes, and at the match’s incidents: a real match has some hundred.',
    ],
    CAUSE_MISSING: [
      'The message that a transition came of is no longer on `normalized-messages`: nobody is sent it by webhook.',
      'Keep `normalized-messages` longer than the webhook composer may be behind.',
    ],
    COMMIT_FAILED: [
      'A record was read, and what it leads to could not be written: larger than a topic takes, or not of its schema.',
      'Read `reason`; correct the setting of the topic, then resend it.',
    ],
    PROCESSING_FAILED: [
      'A record was read, and processing it failed twice; the service’s log has the error.',
      'Report it with its bytes: it is a defect. Resend it after the correction.',
    ],
  },
} as const;
