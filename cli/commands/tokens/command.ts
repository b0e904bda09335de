import { Option } from 'commander';
import { defineCommand, order, UsageError } from '../../command.ts';
import { parseId, parseMoment } from '../option-values.ts';

export const command = defineCommand('tokens', {
  about: `The personal access tokens of clients for the tool endpoint. The topic access-tokens stores their hashes: only the
exchange that issues a token shows it. Every gateway applies a change within moments. No edit undoes another.`,
  examples: ['tokens list --client 1', 'tokens revoke --client 1'],
});

export const list = command
  .command('list')
  .description(
    'Lists the tokens, the oldest first. An exchange of their client deletes those that ended 30 days before.',
  )
  .option('--client <id>', 'only those of a client', parseId)
  .option('--json');

export const revoke = order(command.command('revoke'))
  .description(
    'makes the token, or every token of the client, permanently invalid, at once; shows their number',
  )
  .argument('[token id]', '', tokenIdOf)
  .option('--client <id>', 'every token of the client', parseId)
  .option('--yes', 'revokes them');

export const label = order(command.command('label'))
  .description('sets the label of the token')
  .argument('<token id>', '', tokenIdOf)
  .argument('[label]')
  .option('--none', 'removes the label');

export const expire = order(command.command('expire'))
  .description('sets when the token expires')
  .argument('<token id>', '', tokenIdOf)
  .option('--at <time>', 'the beginning of a day (UTC), or a moment as 2027-01-31T12:00:00Z', expiryOf)
  .addOption(new Option('--never').conflicts('at'));

/** Parses the id of a token. The error never echoes the argument, which may be a token instead of its id. */
function tokenIdOf(text: string): string {
  if (/^[0-9a-f]{16}$/.test(text)) return text;
  throw new UsageError('the id of a token has 16 hexadecimal digits, as npx touchline tokens list shows it');
}

function expiryOf(text: string): number {
  return parseMoment(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00Z` : text);
}
