/** `touchline tail`: shows the records of topics, decoded. */
import { TOPIC_NAMES, TOPICS } from '#topics/topics.ts';
import { BROKER_HELP, defineCommand } from '../../command.ts';

const WIDTH = Math.max(...TOPIC_NAMES.map((name) => name.length));

const HELP = `Usage: touchline tail <topic>... [--from-beginning | --since <time> | --offset <n>] [--exit-at-end] [--limit <n>]
                      [--partition <n>] [--key <key>] [--json | --format <text>]

Shows the records of one or more topics, decoded, as consumers see them (read committed).

  --from-beginning  starts at the first record; default: at new records
  --since <time>    starts at records written since a time, as 2026-11-21T18:00:00Z, or a duration ago as 90s, 30m, 2h, 7d
  --offset <n>      starts at an offset of the --partition, or with --offset=-10 at the last ten of each partition
  --exit-at-end     ends after the last record that existed at the start
  --limit <n>       ends after this number of records
  --partition <n>   only records of this partition
  --key <key>       only records with this key; in match-incidents an event's id selects all its incidents
  --json            prints only one JSON value per line: the value with the schema's field names. Bytes are text when they
                    are UTF-8, else base64. Skips records without a value (deleted keys)
  --format <text>   format of each record, with {topic}, {partition}, {offset}, {time}, {key}, {summary}, {value}, and fields
                    of the value, as {value.score.home}; \\t and \\n are a tab and a line end

For match-state it also prints changes of the current trading permission: the guard of a record is that of its time.

Topics:
${TOPIC_NAMES.map((name) => `  ${name.padEnd(WIDTH)}  ${TOPICS[name].about}`).join('\n')}

${BROKER_HELP}
Exit code 1 when a record could not be decoded, and when --from-beginning --exit-at-end finds no record of the --key.
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
