/** `touchline end`: ends a match that the provider never ends. */
import { BROKER_HELP, defineCommand } from '../../command.ts';

const HELP = `Usage: touchline end <event id> --reason <text> --yes

Ends a match that the provider never ends: it leaves boards and tables, its guard closes, and clients receive its deletion, until the
provider's next message of it. Who ordered it, when and why stays in its story. Only with --yes it is done.

  --reason <text>  why, in one line of up to 200 characters

${BROKER_HELP}
`;

export const command = defineCommand({
  help: HELP,
  options: { reason: { type: 'string' }, yes: { type: 'boolean', default: false } },
  words: () => [],
  changes: () => true,
});
