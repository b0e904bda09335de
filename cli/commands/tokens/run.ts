import { isLive, MAX_LABEL } from '#clients/access-tokens.ts';
import { ClientDirectory } from '#clients/directory.ts';
import type { AccessTokenRecord, Client } from '#records/types.ts';
import type { TopicCluster } from '#topics/follow.ts';
import { type RecordDraft, VersionedTopic } from '#topics/versioned-topic.ts';
import { commandLog, findClusterWith, platformName, requireConfirmed } from '../../cluster.ts';
import { CommandError, type GivenTo, UsageError } from '../../command.ts';
import { type TextCell, type TextColumn, tableText } from '../../table.ts';
import { secondsText } from '../../values.ts';
import type * as commands from './command.ts';

type Tokens = VersionedTopic<'access-tokens'>;

/** The tokens of a cluster, with the state of each now. */
type TokensHere = {
  readonly cluster: TopicCluster;
  readonly topic: Tokens;
  readonly clients: readonly Client[];
  readonly now: number;
  readonly stateNow: StateNow;
};

export const actions = {
  list: (...[{ client, json }]: GivenTo<typeof commands.list>) =>
    onTokens(async (here) => {
      const { topic, stateNow } = here;
      const all = (await topic.list())
        .filter(({ client_id }) => client === undefined || client_id === client)
        .sort((a, b) => a.created_at - b.created_at);
      if (client !== undefined) await requireKnownClient(here, client);
      if (json === true)
        return all.map((token) => `${JSON.stringify(publicFields(token, stateNow))}\n`).join('');
      return all.length === 0 ? 'there are no tokens\n' : tableText(columnsOf(stateNow), all);
    }),
  revoke: (...[id, { client, yes }]: GivenTo<typeof commands.revoke>) => {
    if ((id === undefined) === (client === undefined))
      throw new UsageError('name one token by its id, or the client of all with --client');
    return onTokens((here) =>
      id === undefined ? revokeAll(here, client ?? 0, yes) : revokeOne(here, id, yes),
    );
  },
  label: (...[id, label, { none }]: GivenTo<typeof commands.label>) => {
    if ((label === undefined) === (none === undefined)) throw new UsageError('add a label, or --none');
    if ([...(label ?? '')].length > MAX_LABEL)
      throw new UsageError(`a label has at most ${MAX_LABEL} characters`);
    return onTokens(({ topic, stateNow }) =>
      edited(topic, id, stateNow, (known) => ({ ...known, label: label ?? null })),
    );
  },
  expire: (...[id, { at, never }]: GivenTo<typeof commands.expire>) => {
    if (at === undefined && never === undefined) throw new UsageError('add --at <time> or --never');
    return onTokens(({ topic, stateNow }) =>
      edited(topic, id, stateNow, (known) => ({ ...known, expires_at: at ?? null })),
    );
  },
};

/** Performs an action on the tokens, and prints its text. */
async function onTokens(perform: (here: TokensHere) => Promise<string>): Promise<number> {
  const cluster = await findClusterWith(['access-tokens', 'clients']);
  const topic = new VersionedTopic('access-tokens', { ...cluster, log: commandLog('tokens') });
  const clients = await ClientDirectory.open({ ...cluster, log: commandLog('tokens') }).list();
  const now = Date.now();
  const stateNow: StateNow = (record) => stateOf(record, clients, now);
  process.stdout.write(await perform({ cluster, topic, clients, now, stateNow }));
  return 0;
}

async function revokeAll(
  { cluster, topic, clients, now }: TokensHere,
  client: number,
  yes?: boolean,
): Promise<string> {
  const all = (await topic.list()).filter(
    ({ client_id, revoked_at }) => client_id === client && revoked_at === null,
  );
  if (all.length > 0)
    requireConfirmed(cluster, yes, `${all.length} tokens of client ${client} would be invalid for ever`);
  for (const { token_id } of all) await revoke(topic, token_id, now);
  // A wrong id must not look like a client without tokens.
  await requireKnownClient({ cluster, topic, clients }, client);
  return `${platformName(cluster)}: ${all.length} tokens of client ${client} are revoked\n`;
}

async function revokeOne(
  { cluster, topic, now, stateNow }: TokensHere,
  id: string,
  yes?: boolean,
): Promise<string> {
  const known = (await topic.list()).find(({ token_id }) => token_id === id);
  if (known === undefined) throw new CommandError(`there is no token ${id}`);
  requireConfirmed(cluster, yes, `1 token of client ${known.client_id} would be invalid for ever`);
  return `${platformName(cluster)}:\n${tableText(columnsOf(stateNow), [await revoke(topic, id, now)])}`;
}

/** Edits a token, and returns its row. */
async function edited(topic: Tokens, id: string, stateNow: StateNow, edit: TokenEdit): Promise<string> {
  return tableText(columnsOf(stateNow), [await editToken(topic, id, edit)]);
}

/** Throws `CommandError` for an id that neither a client nor a token has. A removed client may still have tokens. */
async function requireKnownClient(
  { cluster: { prefix }, topic, clients }: Pick<TokensHere, 'cluster' | 'topic' | 'clients'>,
  id: number,
): Promise<void> {
  const known = [...clients, ...(await topic.list())];
  if (known.every(({ client_id }) => client_id !== id))
    throw new CommandError(`client ${id} is unknown here: no client and no token under ${prefix} has it`);
}

type TokenEdit = (known: AccessTokenRecord) => RecordDraft<AccessTokenRecord>;

/** Revokes a token; keeps the time of an earlier revocation. */
function revoke(topic: Tokens, id: string, now: number): Promise<AccessTokenRecord> {
  return editToken(topic, id, (known) => ({ ...known, revoked_at: known.revoked_at ?? now }));
}

/** Edits a token. Throws `CommandError` when it does not exist. */
function editToken(topic: Tokens, id: string, edit: TokenEdit): Promise<AccessTokenRecord> {
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
