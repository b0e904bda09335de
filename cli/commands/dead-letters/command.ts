/** `touchline dead-letters`: shows rejected messages and records, and resends them. */
import { BROKER_HELP, defineCommand } from '../../command.ts';
import { actionWords } from '../actions.ts';

const HELP = `Usage: touchline dead-letters list [--json]
       touchline dead-letters show <id> [--json]
       touchline dead-letters resend <id>... | --all

Messages and records that were rejected, with their bytes and the reason. An id may be shortened to four
characters while it is unambiguous.

  list    lists the letters, the oldest first; --json prints them as touchline tail does
  show    shows a whole letter, its bytes as text when they are UTF-8, else as base64
  resend  normalizes a body that came over HTTP again, with the code of this release, and publishes its messages; publishes
          a record of a topic to that topic again, with its key and value. A letter that was sent leaves the list. A letter of
          a compacted topic (match-results) that has another record of its key leaves the list too, but is not sent. A letter
          that cannot be read completely stays, and the exit code is 1. Repeating a resend is harmless

${BROKER_HELP}
`;

/** Options that each action takes. */
export const ACTIONS = {
  list: { options: ['json'] },
  show: { options: ['json'] },
  resend: { options: ['all'] },
} as const;

export const command = defineCommand({
  help: HELP,
  options: {
    json: { type: 'boolean' },
    all: { type: 'boolean' },
  },
  words: (before) => actionWords(ACTIONS, before),
  changes: ({ positionals: [action] }) => action === 'resend',
});
