/** Errors of the rules and of the provider's contract, served and read. */
export const CONTRACT_ERRORS = {
  DomainError: {
    WRONG_EVENT: ['A message belongs to another event than the match.', 'Report it: it is a defect.'],
    UNREADABLE_EVENT: [
      'An event part of a message is not a JSON object.',
      'Find who else writes to `normalized-messages`.',
    ],
    NOTHING_REPORTED: ['Asked for the state of a match without any message.', 'Report it: it is a defect.'],
    UNKNOWN_INCIDENT: ['Asked for an incident that the match does not have.', 'Report it: it is a defect.'],
  },
  CanonicalJsonError: {
    TOO_DEEP: ['A value nests deeper than 64 levels.', 'Look at the message: it is none of the provider’s.'],
    NOT_JSON: ['A value has no JSON, as a number that is not finite.', 'Report it: it is a defect.'],
  },
  RulesError: {
    RULES_INVALID: [
      'A file of competition rules is wrong; the message names the file and what is wrong in it.',
      'Correct the file.',
    ],
  },
  RestError: {
    INVALID_PARAMETER: [
      'A parameter is missing, unknown in value, sent twice or out of its range: `limit` outside its list, dates too far apart, `object_type` without `object_id`. The answer does not say which one.',
      'Do not repeat it unchanged.',
    ],
    UNAUTHORIZED: [
      'No token, an expired or malformed one, or wrong credentials.',
      'Get a new token and repeat once.',
    ],
    FORBIDDEN: ['The competition or the operation is outside your contract.', 'Stop asking for it.'],
    NOT_FOUND: ['Unknown id or path.', 'Drop it.'],
    NOT_SERVED: [
      'The server serves some competitions only (`SERVE_COMPETITIONS`), which the answer names, and has nothing of what is asked for: it is in another competition, or unknown.',
      'Ask a server that serves its competition. Here, drop it.',
    ],
    METHOD_NOT_ALLOWED: ['A method other than GET or HEAD.', 'Use GET.'],
    WINDOW_GONE: [
      'A window of the feed that begins before its retention: its messages are no longer kept.',
      'Ask for a later window. What is missed is in the lists of events and their incidents.',
    ],
    INTERNAL: ['A fault of the server.', 'Repeat with exponential backoff.'],
    NOT_READY: [
      'The server is still reading what it missed while it was down.',
      'Repeat after the seconds that the header Retry-After says.',
    ],
  },
  AnswerError: {
    NOT_AN_ENVELOPE: [
      'An answer of the provider is not in the envelope of the contract.',
      'Check `PROVIDER_BASE_URL`.',
    ],
    UNEXPECTED_DATA: [
      'The data of an answer is not what the contract has; the message names the places.',
      'Compare the answer with the contract; report it.',
    ],
  },
} as const;
