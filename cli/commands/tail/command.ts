/** `touchline tail`: shows the records of a topic, decoded. */
import { TOPIC_NAMES, TOPICS } from '#topics/topics.ts';
import { defineCommand } from '../../command.ts';

const WIDTH = Math.max(...TOPIC_NAMES.map((name) => name.length));

const HELP = `Usage: touchline tail <topic> [--from-beginning] [--exit-at-end] [--json] [--key <key>]

Shows the records of a topic, decoded, as its consumers should see them (read committed).

  --from-beginning  starts at the first record, else at new records
  --exit-at-end     ends at the last record that was there at the start
  --json            one JSON value a line and nothing else: the value with the schema's field names. Bytes are text
                    where they are UTF-8, else base64. Records without a value (deleted keys) are left out.
  --key <key>       only records with this key; in match-incidents an event's id gives all its incidents

Of match-state it also says, as that changes, what may be traded now: a record's guard is what was so when it was written.

Topics:
${TOPIC_NAMES.map((name) => `  ${name.padEnd(WIDTH)}  ${TOPICS[name].about}`).join('\n')}

The broker is that of KAFKA_BROKERS and SCHEMA_REGISTRY_URL, else the one that touchline up or demo runs here.
Ends with exit code 1 where a record could not be decoded.
`;

/** Shows the records of a topic. */
export const tail = defineCommand({
  name: 'tail',
  help: HELP,
  options: {
    'from-beginning': { type: 'boolean', default: false },
    'exit-at-end': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    key: { type: 'string' },
  },
  words: () => TOPIC_NAMES,
});
