import { isLive } from '#clients/access-tokens.ts';
import { ClientDirectory } from '#clients/directory.ts';
import type { AccessTokenRecord, Client } from '#records/types.ts';
import type { TopicCluster } from '#topics/follow.ts';
import { type RecordDraft, VersionedTopic } from '#topics/versioned-topic.ts';
import { commandLog, findClusterWith, platformName, requireConfirmed } from '../../cluster.ts';
import { type ArgumentsOf, CommandError } from '../../command.ts';
import { type TextCell, type TextColumn, tableText } from '../../table.ts';
import { escapeLine, secondsText } from '../../values.ts';
import { parseTokens, type TokensRequest } from './arguments.ts';
import type { command } from './command.ts';

type Tokens = VersionedTopic<'access-tokens'>;

export async function run(given: ArgumentsOf<typeof command>): Promise<number> {
  const request = parseTokens(given);
  const cluster = await findClusterWith(['access-tokens', 'clients']);
  const topic = new VersionedTopic('access-tokens', { ...cluster, log: commandLog('tokens') });
  const clients = await ClientDirectory.open({ ...cluster, log: commandLog('tokens') }).list();
  const text = await perform({ cluster, topic }, clients, request, Date.now());
  // A wrong id must not look like a client without tokens.
  if ('clientId' in request && request.clientId !== null)
    await requireKnownClient(cluster, topic, clients, request.clientId);
  process.stdout.write(text);
  return 0;
}

/** Throws `CommandError` for an id that neither a client nor a token has. A removed client may still have tokens. */
async function requireKnownClient(
  { prefix }: TopicCluster,
  topic: Tokens,
  clients: readonly Client[],
  id: number,
): Promise<void> {
  const known = [...clients, ...(await topic.list())];
  if (known.every(({ client_id }) => client_id !== id))
    throw new CommandError(`client ${id} is unknown here: no client and no token under ${prefix} has it`);
}

type TokensHere = { readonly cluster: TopicCluster; readonly topic: Tokens };

async function perform(
  { cluster, topic }: TokensHere,
  clients: readonly Client[],
  request: TokensRequest,
  now: number,
): Promise<string> {
  const stateNow = (record: AccessTokenRecord): TokenState => stateOf(record, clients, now);
  switch (request.action) {
    case 'list': {
      const all = (await topic.list())
        .filter(({ client_id }) => request.clientId === null || client_id === request.clientId)
        .sort((a, b) => a.created_at - b.created_at);
      if (all.length === 0 && !request.json) return 'there are no tokens\n';
      if (!request.json) return tableText(columnsOf(stateNow), all);
      return all.map((token) => `${JSON.stringify(publicFields(token, stateNow))}\n`).join('');
    }
    case 'revoke':
      await requireRevocable({ cluster, topic }, request);
      return `${platformName(cluster)}:\n${line(await revoke(topic, request.id, now), stateNow)}\n`;
    case 'revoke all': {
      const all = (await topic.list()).filter(
        ({ client_id, revoked_at }) => client_id === request.clientId && revoked_at === null,
      );
      if (all.length > 0)
        requireConfirmed(
          cluster,
          request.yes,
          `${all.length} tokens of client ${request.clientId} would be invalid for ever`,
        );
      for (const { token_id } of all) await revoke(topic, token_id, now);
      return `${platformName(cluster)}: ${all.length} tokens of client ${request.clientId} are revoked\n`;
    }
    case 'label': {
      const { label } = request;
      return `${line(await editToken(topic, request.id, (known) => ({ ...known, label })), stateNow)}\n`;
    }
    case 'expire': {
      const expires_at = request.at;
      return `${line(await editToken(topic, request.id, (known) => ({ ...known, expires_at })), stateNow)}\n`;
    }
  }
}

/** Throws `CommandError` when the token does not exist, or the operator has not confirmed that it becomes invalid. */
async function requireRevocable(
  { cluster, topic }: TokensHere,
  { id, yes }: Extract<TokensRequest, { action: 'revoke' }>,
): Promise<void> {
  const known = (await topic.list()).find(({ token_id }) => token_id === id);
  if (known === undefined) throw new CommandError(`there is no token ${id}`);
  requireConfirmed(cluster, yes, `1 token of client ${known.client_id} would be invalid for ever`);
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

type TokenState = 'live' | 'revoked' | 'expired' | 'orphaned';
type StateNow = (record: AccessTokenRecord) => TokenState;

/** `orphaned`: its client is gone, and another one may have its id. */
function stateOf(record: AccessTokenRecord, clients: readonly Client[], now: number): TokenState {
  if (record.revoked_at !== null) return 'revoked';
  if (!isLive(record, now)) return 'expired';
  const { client_id: id, client_identity } = record;
  const holder = clients.find(({ client_id, identity }) => client_id === id && identity === client_identity);
  return holder === undefined ? 'orphaned' : 'live';
}

/** Returns a token without its hash, and with its state. */
function publicFields(record: AccessTokenRecord, stateNow: StateNow): object {
  const { token_hash: _, ...rest } = record;
  return { ...rest, state: stateNow(record) };
}

function columnsOf(stateNow: StateNow): TextColumn<AccessTokenRecord>[] {
  return [
    { head: 'token', of: ({ token_id }) => token_id },
    { head: 'client', align: 'right', of: ({ client_id }) => client_id },
    { head: 'state', of: (record) => stateCell(stateNow(record)) },
    { head: 'made', of: ({ created_at }) => secondsText(created_at) },
    { head: 'expires', of: ({ expires_at }) => (expires_at === null ? 'never' : secondsText(expires_at)) },
    { head: 'label', minWidth: 6, of: ({ label }) => label },
  ];
}

function stateCell(state: TokenState): TextCell {
  return state === 'live' ? state : { text: state, style: 'yellow' };
}

function line(record: AccessTokenRecord, stateNow: StateNow): string {
  const { token_id, client_id, label, created_at, expires_at } = record;
  const until = expires_at === null ? 'for ever' : `until ${secondsText(expires_at)}`;
  const state = stateNow(record).padEnd(8);
  const name = label === null ? '' : `  ${escapeLine(label)}`;
  return `${token_id}  client ${client_id}  ${state}  made ${secondsText(created_at)}, ${until}${name}`;
}
