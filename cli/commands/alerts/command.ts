/** `touchline alerts`: publishes what rules ask for, each once. */
import { defineCommand } from '../../command.ts';

const HELP = `Usage: touchline alerts --rules <file> [--out <file> | --format line|json] [--max-age 1d]

Publishes an alert of each change that a rule asks for, once over restarts and crashes: on the topic alerts, and by webhook
to subscriptions of the type alert (touchline clients webhook add --types alert). Prints each as a line for people in a
terminal, else as a line of JSON. Runs until Ctrl-C; several may run, and share the work.

  --rules <file>    JSON: docs/guides/alerts.md, and docs/examples/alerts/rules.json
  --format <what>   line or json, whatever the standard output is
  --out <file>      appends JSON to this file instead of the standard output, and continues after its last line: the file has every
                    alert once, whenever this process is killed; a file of anything else is refused
  --max-age <time>  nothing is published of what was received longer ago: 90s, 30m, 12h, 7d; by default 1d

The broker is that of KAFKA_BROKERS and SCHEMA_REGISTRY_URL, else the one that touchline up or demo runs here. LOG_LEVEL
(default warn) is the least level that is logged to the standard error output.
`;

/** How alerts are written to the standard output: lines for people, or JSON. */
export const ALERT_FORMATS = ['line', 'json'] as const;

export const command = defineCommand({
  help: HELP,
  options: {
    rules: { type: 'string' },
    out: { type: 'string' },
    format: { type: 'string' },
    'max-age': { type: 'string', default: '1d' },
  },
  choices: { format: ALERT_FORMATS },
});
