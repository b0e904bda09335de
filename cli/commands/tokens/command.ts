/** `touchline tokens`: shows and changes the access tokens of clients. */
import { BROKER_HELP, defineCommand } from '../../command.ts';
import { actionWords } from '../actions.ts';

const HELP = `Usage: touchline tokens list [--client <client id>] [--json]
       touchline tokens revoke <token id> [--yes]
       touchline tokens revoke --client <client id> [--yes]
       touchline tokens label <token id> <label> | --none
       touchline tokens expire <token id> --at <time> | --never

The personal access tokens of clients for the tool endpoint. The topic access-tokens stores their hashes: only the exchange
that issues a token shows it (POST /api/v1/token of the tool gateway). Every gateway applies a change within moments.
Several people may edit at the same time: no edit undoes another.

  list    lists the tokens, the oldest first. Tokens that were revoked or expired more than 30 days ago are deleted when
          their client exchanges credentials again
  revoke  makes the token, or every token of the client, permanently invalid, at once. Shows their number; only with --yes
          revokes them
  label   sets the label of the token, at most 256 characters
  expire  sets when the token expires: at the beginning of a day (UTC), at a moment as 2027-01-31T12:00:00Z, or never

${BROKER_HELP}
`;

/** Options that each action takes. */
export const ACTIONS = {
  list: { options: ['client', 'json'] },
  revoke: { options: ['client', 'yes'] },
  label: { options: ['none'] },
  expire: { options: ['at', 'never'] },
} as const;

export const command = defineCommand({
  help: HELP,
  options: {
    client: { type: 'string' },
    json: { type: 'boolean' },
    at: { type: 'string' },
    never: { type: 'boolean' },
    none: { type: 'boolean' },
    yes: { type: 'boolean' },
  },
  words: (before) => actionWords(ACTIONS, before),
  changes: ({ positionals: [action] }) => action !== 'list',
});
