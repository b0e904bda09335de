/** `touchline tail`: shows the records of topics, decoded. */
import { TOPIC_NAMES, TOPICS } from '#topics/topics.ts';
import { BROKER_HELP, defineCommand } from '../../command.ts';

const WIDTH = Math.max(...TOPIC_NAMES.map((name) => name.length));

const HELP = `Usage: touchline tail <topic>... [--from-beginning | --since <time> | --offset <n>] [--exit-at-end] [--limit <n>]
                      [--partition <n>] [--key <key>] [--json | --format <text>]

Shows the records of one topic or several, decoded, as its consumers should see them (read committed).

  --from-beginning  starts at the first record, else at new records
  --since <time>    starts at records written since then: 2026-11-21T18:00:00Z, or 90s, 30m, 2h, 7d for so long ago
  --offset <n>      starts at an offset of the --partition; as --offset=-10 at the last ten of each partition
  --exit-at-end     ends at the last record that was there at the start
  --limit <n>       ends after so many records
  --partition <n>   only records of this partition
  --key <key>       only records with this key; in match-incidents an event's id gives all its incidents
  --json            one JSON value a line and nothing else: the value with the schema's field names. Bytes are text
                    where they are UTF-8, else base64. Records without a value (deleted keys) are left out.
  --format <text>   a line a record, with {topic}, {partition}, {offset}, {time}, {key}, {summary}, {value}, and fields of
                    the value, as {value.score.home}; \\t and \\n are a tab and a line end

Of match-state it also says, as that changes, what may be traded now: a record's guard is what was so when it was written.

Topics:
${TOPIC_NAMES.map((name) => `  ${name.padEnd(WIDTH)}  ${TOPICS[name].about}`).join('\n')}

${BROKER_HELP}
Ends with exit code 1 where a record could not be decoded, and where --from-beginning --exit-at-end found no record of the --key.
`;

export const command = defineCommand({
  help: HELP,
  options: {
    'from-beginning': { type: 'boolean', default: false },
    'exit-at-end': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    key: { type: 'string' },
    since: { type: 'string' },
    offset: { type: 'string' },
    limit: { type: 'string' },
    partition: { type: 'string' },
    format: { type: 'string' },
  },
  words: () => TOPIC_NAMES,
});
