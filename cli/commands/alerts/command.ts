/** `touchline alerts`: publishes the alerts of rules, each once. */
import { BROKER_HELP, defineCommand } from '../../command.ts';

const HELP = `Usage: touchline alerts --rules <file> [--out <file> | --format line|json] [--max-age 1d]

Publishes an alert for each change that matches a rule, exactly once, even across restarts and crashes: on the topic alerts, and
to webhooks of the type alert (touchline clients webhook add --types alert). Prints each alert, on a terminal as a line for
people, else as a line of JSON. Runs until Ctrl-C. Several processes share the work.

  --rules <file>    rules as JSON: see docs/guides/alerts.md and data/alert-rules.json
  --format <what>   line or json; default: line on a terminal, else json
  --out <file>      appends JSON to this file instead of the standard output, and continues after its last line. The file gets
                    every alert once, even when this process is killed. A file with other content is refused
  --max-age <time>  publishes nothing about changes received longer ago, as 90s, 30m, 12h, 7d; default: the first start
                    publishes from now on, each further one what was received since the one before, of 1d at most

${BROKER_HELP}
LOG_LEVEL (default warn) is the lowest level that is logged to standard error: on a terminal one line for each
cause, else JSON.
`;

/** Formats of alerts on the standard output: lines for people, or JSON. */
export const ALERT_FORMATS = ['line', 'json'] as const;

export const command = defineCommand({
  help: HELP,
  options: {
    rules: { type: 'string' },
    out: { type: 'string' },
    format: { type: 'string' },
    'max-age': { type: 'string' },
  },
  choices: { format: ALERT_FORMATS },
});
