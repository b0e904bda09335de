/** Errors of secrets and certificates, and of a broker and a registry that are found or started on this machine. */
export const PLATFORM_ERRORS = {
  SecretFileError: {
    FILE_UNREADABLE: [
      'A file that a setting names cannot be read: a secret, a certificate or a key.',
      'Correct the path, or let the user of the process read it.',
    ],
  },
  BearerTokenError: {
    TOKEN_REFUSED: [
      'The authorization server issued no token for the connection to Kafka.',
      'Check `KAFKA_SASL_USERNAME`, `KAFKA_SASL_PASSWORD` and `KAFKA_SASL_SCOPE` there.',
    ],
    TOKEN_ENDPOINT_UNREACHABLE: [
      'The authorization server does not answer.',
      'Check `KAFKA_SASL_TOKEN_URL`.',
    ],
  },
  EmbeddedError: {
    CONFIG_INCOMPLETE: [
      'Only one of `KAFKA_BROKERS` and `SCHEMA_REGISTRY_URL` is set.',
      'Set both, or none.',
    ],
    DATA_FOLDER_IN_USE: ['Another process uses the data folder.', 'End it, or set `DATA_DIR`.'],
    DATA_FOLDER_NEWER: [
      'A newer broker wrote the data folder.',
      'Set `DATA_DIR` to another folder, see docs/known-issues.md.',
    ],
    DOCKER_FAILED: ['Docker did not start the containers.', 'Read the message; look at Docker.'],
    DOWNLOAD_FAILED: ['The broker or the registry could not be downloaded.', 'Check the network and Maven.'],
    JAVA_MISSING: ['There is no Java.', 'Install it, or set `KAFKA_BROKERS` and `SCHEMA_REGISTRY_URL`.'],
    JAVA_TOO_OLD: ['Java is older than the broker needs.', 'Install the release that the message names.'],
    MAVEN_MISSING: ['There is no Maven.', 'Install it, or set `KAFKA_BROKERS` and `SCHEMA_REGISTRY_URL`.'],
    NO_BACKBONE: [
      'No broker is configured, and none can be started.',
      'Set `KAFKA_BROKERS` and `SCHEMA_REGISTRY_URL`, or install Docker, or Java and Maven.',
    ],
    PORT_IN_USE: ['Another process has the port.', 'End it, or choose another port.'],
    START_FAILED: ['A server ended while it started.', 'Read its last lines in the message.'],
    START_TIMEOUT: [
      'A server was not ready in time.',
      'Read its last lines; start it again on an idle machine.',
    ],
  },
} as const;
