/** Errors of what processes share, and of single services. */
export const SERVICE_ERRORS = {
  AlertRulesError: {
    ALERT_RULES_INVALID: [
      'The file of rules of `touchline alerts` cannot be read, or is wrong; the message names everything that is.',
      'Correct the file: docs/guides/alerts.md.',
    ],
  },
  ConfigError: {
    CONFIG_INVALID: [
      'Settings are missing or wrong; the message names each.',
      'Correct them; `--help` has all.',
    ],
  },
  OpsListenError: {
    OPS_LISTEN_FAILED: [
      'The port of metrics and health is in use, or the address is none of this machine’s.',
      'Correct `METRICS_PORT` or `METRICS_HOST`.',
    ],
  },
  HttpError: {
    TIMEOUT: ['A request over HTTP was not answered in time.', 'Look at the server that was asked.'],
    UNREACHABLE: ['No connection, or it broke.', 'Check the address, the network and the server.'],
    TOO_LARGE: ['An answer is larger than its limit.', 'Check the address: no answer of the contract is.'],
    STOPPED: ['The request was given up because the process stops.', 'Nothing.'],
  },
  AddressNotPublicError: {
    ADDRESS_NOT_PUBLIC: [
      'No address of a webhook’s name may be called.',
      'Ask the customer for a public address, or allow it with `WEBHOOK_ALLOWED_RANGES`.',
    ],
  },
  AddressRangeError: {
    RANGE_INVALID: ['A text is not a range of addresses.', 'Write it as `10.1.0.0/16` or `fd00:1::/64`.'],
  },
  ProviderError: {
    UNAUTHORIZED: ['The provider refuses a token, and a new one too.', 'Ask the provider.'],
    CREDENTIALS: [
      'The provider refuses the client id or the secret.',
      'Correct `PROVIDER_CLIENT_ID` and `PROVIDER_SECRET_KEY`.',
    ],
    FORBIDDEN: [
      '403: the resource is outside the contract. It is not read.',
      'Ask the provider, or leave it.',
    ],
    NOT_FOUND: ['404: the provider does not have it. It is dropped.', 'Nothing.'],
    REJECTED: [
      'Any other 4xx. After 400 the same request is not sent again for 15 minutes.',
      'Look at the operation in the log.',
    ],
    SERVER_ERROR: ['5xx: it is repeated with backoff.', 'Where it lasts, ask the provider.'],
    UNREACHABLE: ['No connection, or it broke: it is repeated with backoff.', 'Check `PROVIDER_BASE_URL`.'],
    TIMEOUT: ['No whole answer in time: it is repeated with backoff.', 'Where it lasts, ask the provider.'],
    REDIRECTED: [
      '3xx: a redirect is never followed, it would carry the token elsewhere.',
      'Check `PROVIDER_BASE_URL`.',
    ],
    BAD_ANSWER: ['Not JSON, or not what the contract has.', 'Check `PROVIDER_BASE_URL`; ask the provider.'],
    TOO_LARGE: ['An answer longer than `RESPONSE_LIMIT`.', 'Raise it where real answers are that long.'],
    INCONSISTENT: ['A list changed while its pages were read, every time.', 'Nothing: it is read again.'],
    STOPPED: ['The request was given up: the poller stops or leads no longer.', 'Nothing.'],
  },
  LeadershipLostError: {
    LEADERSHIP_LOST: ['This feed poller or feed monitor may lead no longer.', 'Nothing: another one leads.'],
  },
  TermSupersededError: {
    TERM_SUPERSEDED: [
      'Another feed monitor publishes in a later term, as after a pause of this one. It stops judging.',
      'Nothing: the other one judges.',
    ],
  },
  ClockStepError: {
    CLOCK_STEP: [
      'The clock of the feed monitor’s machine was set. It begins again from the topic.',
      'Let the machine’s clock be slewed (NTP), not set.',
    ],
  },
  ExpiredError: {
    MESSAGES_EXPIRED: [
      'Messages expired before a subscription of webhooks received them.',
      'Find out why its receiver was behind for so long.',
    ],
  },
  ExchangeError: {
    MISSING_FIELDS: [
      '`client_id` or `secret_key` is missing, or the body is no JSON object.',
      'Correct the request.',
    ],
    INVALID_LABEL: ['`label` is not a text of at most 256 characters.', 'Correct the request.'],
    INVALID_CREDENTIALS: ['The credentials are not accepted.', 'Check them.'],
    TENANT_SLUG_CONFLICT: [
      'The account is not set up for the tool endpoint, or has as many tokens as it may have.',
      'Set up the client, or revoke tokens with `npx touchline tokens`.',
    ],
    RATE_LIMIT_EXCEEDED: ['Too many attempts.', 'Repeat after the seconds of Retry-After.'],
    STATSCORE_UNAVAILABLE: ['The credential check does not answer.', 'Repeat later; look at the upstream.'],
    METHOD_NOT_ALLOWED: ['A method other than POST.', 'Use POST.'],
    BODY_TOO_LARGE: ['The body is too large.', 'Send the fields of the contract only.'],
    UPSTREAM_MISCONFIGURED: [
      'The upstream answers what no credential check of the contract does.',
      'Correct `UPSTREAM_BASE_URL`.',
    ],
    LIMITS_UNAVAILABLE: [
      'An attempt could not be counted: the broker does not answer.',
      'Look at the broker.',
    ],
    INTERNAL_ERROR: ['A fault of the server; its log has the error.', 'Report it: it is a defect.'],
  },
  AttemptNotCountedError: {
    ATTEMPT_NOT_COUNTED: ['An attempt at the token exchange could not be counted.', 'Look at the broker.'],
  },
  ToolError: {
    INVALID_ARGUMENTS: [
      'The arguments of a tool call are wrong; the text says which.',
      'Call again with others.',
    ],
    NOT_FOUND: ['There is no such record.', 'Find the id with the tool that the text names.'],
    NOT_SERVED: [
      'The server serves some competitions only (`SERVE_COMPETITIONS`), which the text names, and has nothing of what is asked for: it is in another competition, or unknown.',
      'Ask a server that serves its competition.',
    ],
    OUTSIDE_CONTRACT: ['The client’s contract does not cover it.', 'Use what `tools/list` names.'],
    AMBIGUOUS: ['Several records are meant.', 'Choose one of those that the text names.'],
    INTERNAL: ['A fault of the server; its log has the error.', 'Try again later; report it.'],
  },
  ThreadError: {
    THREAD_ENDED: [
      'A thread of the receiver ended by itself; the process ends.',
      'Report it: it is a defect.',
    ],
  },
  FaultsError: {
    FAULTS_INVALID: [
      'An order of faults for the simulator cannot be read.',
      'Correct it; the message has the names.',
    ],
  },
} as const;

/** Errors of `touchline`. */
export const CLI_ERRORS = {
  UsageError: {
    USAGE: ['The command line cannot be understood.', 'Run the command with `--help`.'],
  },
  CommandError: {
    COMMAND_FAILED: ['The command cannot do what it was asked for.', 'Read the message.'],
  },
  ProcessError: {
    PROCESS_FAILED: ['A service could not be started, or not be kept running.', 'Read its log file.'],
  },
  PortInUseError: {
    PORT_IN_USE: ['Something else has the port of a setting.', 'Set it to another port.'],
  },
  AddressError: {
    ADDRESS_UNKNOWN: ['This machine does not have the address.', 'Correct `LISTEN_HOST`.'],
  },
  DemoRunsError: {
    DEMO_RUNS: ['A demonstration runs in the folder already.', 'End it, or set `DATA_DIR`.'],
  },
} as const;
