/** Errors of topics, their schemas, and records that people edit. */
export const TOPIC_ERRORS = {
  EncodeError: {
    ENCODE_FAILED: [
      'A value does not fit its topic’s schema; the message names topic and field.',
      'Report it: it is a defect.',
    ],
  },
  DecodeError: {
    DECODE_FAILED: [
      'Bytes are not a record of their topic; no later attempt can read them.',
      'Find who else writes to the topic, or which registry its schema is in.',
    ],
  },
  IncompatibleSchemaError: {
    SCHEMA_INCOMPATIBLE: [
      'The registry refuses a topic’s schema: it cannot read the records before, or is not checked for that.',
      'Run the release that wrote the topic, or correct the compatibility of the subject.',
    ],
  },
  CompatibilityError: {
    COMPATIBILITY_TOO_WEAK: [
      'The registry checks a subject by a rule without BACKWARD.',
      'Set the compatibility of the subject to BACKWARD or stricter.',
    ],
  },
  RegistryHttpError: {
    REGISTRY_ANSWER: [
      'The registry answered a request with an error, or not at all.',
      'Read the status in the message; look at the registry’s log.',
    ],
  },
  RegistryUnavailableError: {
    REGISTRY_UNAVAILABLE: [
      'The registry gave no usable answer until the time for it was over.',
      'Check `SCHEMA_REGISTRY_URL` and the registry.',
    ],
    REGISTRY_REFUSES: [
      'The registry refuses the user, the password or the client certificate.',
      'Correct `SCHEMA_REGISTRY_USERNAME`, `SCHEMA_REGISTRY_PASSWORD` or `SCHEMA_REGISTRY_TLS_CERT_FILE`.',
    ],
    REGISTRY_UNTRUSTED: [
      'The registry’s certificate is not signed by a trusted authority, expired, or of another name.',
      'Set `SCHEMA_REGISTRY_TLS_CA_FILE` to the authority; use the name of the certificate in `SCHEMA_REGISTRY_URL`.',
    ],
  },
  TopicMismatchError: {
    TOPIC_MISMATCH: [
      'A topic has another number of partitions than it must have.',
      'Create it with the number that docs/reference/topics.md has, or choose another `TOPIC_PREFIX`.',
    ],
  },
  ServiceRightsError: {
    RIGHTS_MISSING: [
      'The broker does not grant a service the rights that the message names.',
      'Grant them: `npx touchline acls --print` has the commands, docs/reference/acls.md the list.',
    ],
    TOPICS_MISSING: [
      'Topics of a service are not on the broker.',
      'Run `npx touchline topics`, or the commands of `npx touchline topics --print`; check `TOPIC_PREFIX`.',
    ],
  },
  TopicAdminError: {
    TOPIC_ADMIN_FAILED: [
      'The broker cannot be reached, or does not permit to create or describe topics.',
      'Check `KAFKA_BROKERS` and the permissions; or create the topics with `npx touchline topics`.',
    ],
  },
  EditConflictError: {
    EDIT_CONFLICT: ['Another edit of the same record was first, every time.', 'Run the command again.'],
  },
  SealError: {
    SEAL_BROKEN: [
      'A sealed address or secret of a webhook cannot be opened: another key, another place, or damage.',
      'Set `CLIENTS_KEY` or `CLIENTS_KEY_SECOND` to the key that it was sealed with, or add the webhook again.',
    ],
  },
  EventMovedInError: {
    EVENT_MOVED_IN: [
      'An event came into a competition of `SERVE_COMPETITIONS` after something of it was left out.',
      'The process ends and rebuilds its views at its next start, with all of the event.',
    ],
  },
  ViewsInUseError: {
    VIEWS_IN_USE: ['Another process works with the views.', 'Give each replica a `DATA_DIR` of its own.'],
  },
} as const;
