import { defineCommand, order } from '../../command.ts';
import { parseIdStart } from '../option-values.ts';

export const command = defineCommand('dead-letters', {
  about:
    'Messages and records that were rejected, with their bytes and the reason. An id may be shortened to four characters.',
  examples: ['dead-letters list', 'dead-letters resend --all'],
});

export const list = command
  .command('list')
  .description('lists the letters, the oldest first')
  .option('--json', 'prints them as touchline tail does');

export const show = command
  .command('show')
  .description('shows whole letters, their bytes as text when they are UTF-8, else as base64')
  .argument('<id...>', '', idStarts)
  .option('--json', 'prints them as touchline tail does');

export const resend = order(command.command('resend'))
  .description(`Normalizes a body that came over HTTP again, and publishes a record of a topic to that topic again. A letter that \
was sent leaves the list; one of a compacted topic whose key has another record leaves it unsent; one that cannot be read stays, and \
the exit code is 1. Repeating a resend is harmless.`)
  .argument('[id...]', '', idStarts)
  .option('--all', 'resends all letters');

function idStarts(text: string, before: string[] = []): string[] {
  return [...before, parseIdStart(text)];
}
