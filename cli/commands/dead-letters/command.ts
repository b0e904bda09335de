/** `touchline dead-letters`: shows rejected messages and records, and sends them again. */
import { defineCommand } from '../../command.ts';

const HELP = `Usage: touchline dead-letters list [--json]
       touchline dead-letters show <id> [--json]
       touchline dead-letters resend <id>... | --all

Messages and records that were rejected, with their bytes and the reason. An id may be cut short while it is unambiguous.

  list    a line a letter, the oldest first; --json as touchline tail has it
  show    all of a letter; its bytes as text where they are UTF-8, else base64
  resend  normalizes a body received over HTTP again, with the code of this release, and publishes its messages; publishes
          a record of a topic to that topic again, with its key and value. A letter that was sent leaves the list. So does
          one whose topic has another record of its key, where only the last one counts (match-results): it is not sent. One
          that is not read whole stays, and the exit code is 1. Repeating it is harmless.

The broker is that of KAFKA_BROKERS and SCHEMA_REGISTRY_URL, else the one that touchline up or demo runs here.
`;

export const command = defineCommand({
  help: HELP,
  options: {
    json: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
  },
  words: (before) => (before.length === 0 ? ['list', 'show', 'resend'] : []),
  changes: ({ positionals: [action] }) => action === 'resend',
});
