/** `touchline replay`: rebuilds everything from a log into another prefix, beside the running system. */
import { defineCommand } from '../../command.ts';

const HELP = `Usage: touchline replay --into <prefix> [options]

Rebuilds match state, incidents, transitions, results and tables under another topic prefix, beside the running system, which
it does not touch. Twice replayed gives the same bytes. Messages keep their times of receipt. Webhooks are not sent again.

  --into <prefix>      topic prefix of what is made; it must hold nothing yet
  --replace            deletes the topics of that prefix first
  --source <topic>     normalized (default): normalized-messages, in the order in which it was processed; or raw: raw-messages,
                       normalized again with the rules of now
  --from <moment>      from the first record written then, e.g. 2026-11-21T18:00:00Z; default: from the first there is
  --to <moment>        up to what was written before it; default: all that is there when it starts
  --gaps <factor>      keeps the gaps between records, so many times as long: 1 as it was, 0.1 ten times as fast;
                       default: none, at full speed
  --partitions <n>     of the topics of a match that are made; default: as many as those of the source
  --for-switch         also copies clients, their access tokens and how far the provider was polled, for a system that is
                       to go on with the new prefix

The broker is that of KAFKA_BROKERS and SCHEMA_REGISTRY_URL, else the one that touchline up or demo runs here; TOPIC_PREFIX is
that of the source, RULES_DIR has the rules of competitions as for the standings processor. docs/guides/replay.md says how to
compare the result and to switch to it. Exit code 1 where the replay is not complete.
`;

export const command = defineCommand({
  help: HELP,
  options: {
    into: { type: 'string' },
    replace: { type: 'boolean', default: false },
    source: { type: 'string', default: 'normalized' },
    from: { type: 'string' },
    to: { type: 'string' },
    gaps: { type: 'string' },
    'for-switch': { type: 'boolean', default: false },
    partitions: { type: 'string' },
  },
  choices: { source: ['normalized', 'raw'] },
  changes: () => true,
});
