import { isLive } from '#clients/access-tokens.ts';
import { ClientDirectory, type RecordDraft, VersionedTopic } from '#clients/directory.ts';
import type { AccessTokenRecord } from '#records/types.ts';
import type { TopicCluster } from '#topics/read-values.ts';
import { commandLog, findClusterWith, requireTopics } from '../../cluster.ts';
import { type ArgumentsOf, CommandError, requireConfirmed } from '../../command.ts';
import { type TextCell, type TextColumn, tableText } from '../../table.ts';
import { escapeLine, secondsText } from '../../values.ts';
import { parseTokens, type TokensRequest } from './arguments.ts';
import type { command } from './command.ts';

type Tokens = VersionedTopic<'access-tokens'>;

export async function run(given: ArgumentsOf<typeof command>): Promise<number> {
  const request = parseTokens(given);
  const cluster = await findClusterWith(['access-tokens']);
  const topic = new VersionedTopic('access-tokens', { ...cluster, log: commandLog('tokens') });
  const text = await perform(topic, request, Date.now());
  // A wrong id must not look like a client without tokens.
  if ('clientId' in request && request.clientId !== null)
    await requireKnownClient(cluster, topic, request.clientId);
  process.stdout.write(text);
  return 0;
}

/** Throws `CommandError` for an id that neither a client nor a token has. A removed client may still have tokens. */
async function requireKnownClient(cluster: TopicCluster, topic: Tokens, id: number): Promise<void> {
  if ((await topic.list()).some(({ client_id }) => client_id === id)) return;
  await requireTopics(cluster, ['clients']);
  const clients = await ClientDirectory.open({ ...cluster, log: commandLog('tokens') }).list();
  if (clients.every(({ client_id }) => client_id !== id))
    throw new CommandError(
      `client ${id} is unknown here: no client and no token under ${cluster.prefix} has it`,
    );
}

async function perform(topic: Tokens, request: TokensRequest, now: number): Promise<string> {
  switch (request.action) {
    case 'list': {
      const all = (await topic.list())
        .filter(({ client_id }) => request.clientId === null || client_id === request.clientId)
        .sort((a, b) => a.created_at - b.created_at);
      if (all.length === 0 && !request.json) return 'there are no tokens\n';
      if (!request.json) return tableText(columnsAt(now), all);
      return all.map((token) => `${JSON.stringify(publicFields(token, now))}\n`).join('');
    }
    case 'revoke':
      await requireRevocable(topic, request);
      return `${line(await revoke(topic, request.id, now), now)}\n`;
    case 'revoke all': {
      const all = (await topic.list()).filter(
        ({ client_id, revoked_at }) => client_id === request.clientId && revoked_at === null,
      );
      if (all.length > 0)
        requireConfirmed(
          request.yes,
          `${all.length} tokens of client ${request.clientId} would be invalid for ever`,
        );
      for (const { token_id } of all) await revoke(topic, token_id, now);
      return `${all.length} tokens of client ${request.clientId} are revoked\n`;
    }
    case 'label': {
      const { label } = request;
      return `${line(await editToken(topic, request.id, (known) => ({ ...known, label })), now)}\n`;
    }
    case 'expire': {
      const expires_at = request.at;
      return `${line(await editToken(topic, request.id, (known) => ({ ...known, expires_at })), now)}\n`;
    }
  }
}

/** Throws `CommandError` when the token does not exist, or the operator has not confirmed that it becomes invalid. */
async function requireRevocable(
  topic: Tokens,
  { id, yes }: Extract<TokensRequest, { action: 'revoke' }>,
): Promise<void> {
  const known = (await topic.list()).find(({ token_id }) => token_id === id);
  if (known === undefined) throw new CommandError(`there is no token ${id}`);
  requireConfirmed(yes, `1 token of client ${known.client_id} would be invalid for ever`);
}

/** Revokes a token; keeps the time of an earlier revocation. */
function revoke(topic: Tokens, id: string, now: number): Promise<AccessTokenRecord> {
  return editToken(topic, id, (known) => ({ ...known, revoked_at: known.revoked_at ?? now }));
}

/** Edits a token. Throws `CommandError` when it does not exist. */
function editToken(
  topic: Tokens,
  id: string,
  edit: (known: AccessTokenRecord) => RecordDraft<AccessTokenRecord>,
): Promise<AccessTokenRecord> {
  return topic.edit(id, (known) => {
    if (known === undefined) throw new CommandError(`there is no token ${id}`);
    return edit(known);
  });
}

function stateOf(record: AccessTokenRecord, now: number): 'live' | 'revoked' | 'expired' {
  if (record.revoked_at !== null) return 'revoked';
  return isLive(record, now) ? 'live' : 'expired';
}

/** Returns a token without its hash, and with its state. */
function publicFields(record: AccessTokenRecord, now: number): object {
  const { token_hash: _, ...rest } = record;
  return { ...rest, state: stateOf(record, now) };
}

function columnsAt(now: number): TextColumn<AccessTokenRecord>[] {
  return [
    { head: 'token', of: ({ token_id }) => token_id },
    { head: 'client', align: 'right', of: ({ client_id }) => client_id },
    { head: 'state', of: (record) => stateCell(stateOf(record, now)) },
    { head: 'made', of: ({ created_at }) => secondsText(created_at) },
    { head: 'expires', of: ({ expires_at }) => (expires_at === null ? 'never' : secondsText(expires_at)) },
    { head: 'label', minWidth: 6, of: ({ label }) => label },
  ];
}

function stateCell(state: ReturnType<typeof stateOf>): TextCell {
  return state === 'live' ? state : { text: state, style: 'yellow' };
}

function line(record: AccessTokenRecord, now: number): string {
  const { token_id, client_id, label, created_at, expires_at } = record;
  const until = expires_at === null ? 'for ever' : `until ${secondsText(expires_at)}`;
  const state = stateOf(record, now).padEnd(7);
  const name = label === null ? '' : `  ${escapeLine(label)}`;
  return `${token_id}  client ${client_id}  ${state}  made ${secondsText(created_at)}, ${until}${name}`;
}
