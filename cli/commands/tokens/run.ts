import { isLive, MAX_LABEL } from '#clients/access-tokens.ts';
import { ClientDirectory } from '#clients/directory.ts';
import type { AccessTokenRecord, Client } from '#records/types.ts';
import { type RecordDraft, VersionedTopic } from '#topics/versioned-topic.ts';
import { commandLog, findClusterWith, platformName, requireConfirmed } from '../../cluster.ts';
import { CommandError, type GivenTo, UsageError } from '../../command.ts';
import { type TextColumn, tableText } from '../../table.ts';
import { secondsText } from '../../values.ts';
import type * as commands from './command.ts';

export const actions = {
  list: (...[{ client, json }]: GivenTo<typeof commands.list>) =>
    onTokens(async ({ topic, shown, requireClient }) => {
      const all = (await topic.list())
        .filter(({ client_id }) => client === undefined || client_id === client)
        .sort((a, b) => a.created_at - b.created_at)
        .map(shown);
      if (client !== undefined) await requireClient(client);
      if (json === true) return all.map((token) => `${JSON.stringify(token)}\n`).join('');
      return all.length === 0 ? 'there are no tokens\n' : tableText(COLUMNS, all);
    }),
  revoke: (...[id, { client, yes }]: GivenTo<typeof commands.revoke>) => {
    if ((id === undefined) === (client === undefined))
      throw new UsageError('name one token by its id, or the client of all with --client');
    return onTokens(async ({ cluster, topic, shown, requireClient }) => {
      const tokens = (await topic.list()).filter(({ token_id, client_id, revoked_at }) =>
        id === undefined ? client_id === client && revoked_at === null : token_id === id,
      );
      if (id !== undefined && tokens.length === 0) throw new CommandError(`there is no token ${id}`);
      const holder = client ?? tokens[0]?.client_id;
      const count = `${tokens.length} ${tokens.length === 1 ? 'token' : 'tokens'} of client ${holder}`;
      if (tokens.length > 0) requireConfirmed(cluster, yes, `${count} would be invalid for ever`);
      const now = Date.now();
      const revoked: ShownToken[] = [];
      // Keeps the time of an earlier revocation.
      const revoke: TokenEdit = (one) => ({ ...one, revoked_at: one.revoked_at ?? now });
      for (const { token_id } of tokens) revoked.push(shown(await edit(topic, token_id, revoke)));
      if (id !== undefined) return `${platformName(cluster)}:\n${tableText(COLUMNS, revoked)}`;
      // A wrong id must not look like a client without tokens.
      await requireClient(client as number);
      return `${platformName(cluster)}: ${count} ${tokens.length === 1 ? 'is' : 'are'} revoked\n`;
    });
  },
  label: (...[id, label, { none }]: GivenTo<typeof commands.label>) => {
    if ((label === undefined) === (none === undefined)) throw new UsageError('add a label, or --none');
    if ([...(label ?? '')].length > MAX_LABEL)
      throw new UsageError(`a label has at most ${MAX_LABEL} characters`);
    return onToken(id, (known) => ({ ...known, label: label ?? null }));
  },
  expire: (...[id, { at, never }]: GivenTo<typeof commands.expire>) => {
    if (at === undefined && never === undefined) throw new UsageError('add --at <time> or --never');
    return onToken(id, (known) => ({ ...known, expires_at: at ?? null }));
  },
};

async function openTokens() {
  const cluster = await findClusterWith(['access-tokens', 'clients']);
  const connection = { ...cluster, log: commandLog('tokens') };
  const topic = new VersionedTopic('access-tokens', connection);
  const clients = await new ClientDirectory('clients', connection).list();
  const shown = ({ token_hash, ...token }: AccessTokenRecord) => ({
    ...token,
    state: stateOf({ token_hash, ...token }, clients, Date.now()),
  });
  /** Throws `CommandError` for an id that neither a client nor a token has. A removed client may still have tokens. */
  const requireClient = async (id: number): Promise<void> => {
    const known = [...clients, ...(await topic.list())];
    if (known.some(({ client_id }) => client_id === id)) return;
    throw new CommandError(`client ${id} is unknown here: neither a client nor a token has this id`);
  };
  return { cluster, topic, shown, requireClient };
}

type TokensHere = Awaited<ReturnType<typeof openTokens>>;
type ShownToken = ReturnType<TokensHere['shown']>;

async function onTokens(perform: (here: TokensHere) => Promise<string>): Promise<number> {
  process.stdout.write(await perform(await openTokens()));
  return 0;
}

type TokenEdit = (known: AccessTokenRecord) => RecordDraft<AccessTokenRecord>;

function onToken(id: string, change: TokenEdit): Promise<number> {
  return onTokens(async ({ topic, shown }) => tableText(COLUMNS, [shown(await edit(topic, id, change))]));
}

function edit(topic: TokensHere['topic'], id: string, change: TokenEdit): Promise<AccessTokenRecord> {
  return topic.edit(id, (known) => {
    if (known === undefined) throw new CommandError(`there is no token ${id}`);
    return change(known);
  });
}

/** `orphaned`: its client is gone, and another one may have its id. */
function stateOf(record: AccessTokenRecord, clients: readonly Client[], now: number) {
  if (record.revoked_at !== null) return 'revoked';
  if (!isLive(record, now)) return 'expired';
  const { client_id: id, client_identity } = record;
  const holder = clients.find(({ client_id, identity }) => client_id === id && identity === client_identity);
  return holder === undefined ? 'orphaned' : 'live';
}

const COLUMNS: readonly TextColumn<ShownToken>[] = [
  { head: 'token', of: ({ token_id }) => token_id },
  { head: 'client', align: 'right', of: ({ client_id }) => client_id },
  { head: 'state', of: ({ state }) => (state === 'live' ? state : { text: state, style: 'yellow' }) },
  { head: 'made', of: ({ created_at }) => secondsText(created_at) },
  { head: 'expires', of: ({ expires_at }) => (expires_at === null ? 'never' : secondsText(expires_at)) },
  { head: 'label', minWidth: 6, of: ({ label }) => label },
];
