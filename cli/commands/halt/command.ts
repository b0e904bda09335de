/** `touchline halt`: halts trading by hand. */
import { BROKER_HELP, defineCommand } from '../../command.ts';

const HELP = `Usage: touchline halt <event id> | --competition <id> | --all  --reason <text> [--for 10m]

Halts the trading of a match, of a competition or of everything by hand: every reader says "halted_by_hand" within a second, with
or without the api and the feed monitor. It ends with touchline resume or with --for; no message of the feed ends it. A halt of
what is halted already replaces the halt. Who ordered it, when and why is shown on the match and at /halts.

  --reason <text>  why, in one line of up to 200 characters
  --for <time>     ends the halt by itself, by the clock of each reader, after 90s, 30m, 2h, 7d

${BROKER_HELP}
`;

export const command = defineCommand({
  help: HELP,
  options: {
    competition: { type: 'string' },
    all: { type: 'boolean', default: false },
    reason: { type: 'string' },
    for: { type: 'string' },
  },
  words: () => [],
  changes: () => true,
});
