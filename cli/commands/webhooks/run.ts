import { findClusterWith, type OpenCluster, platformName, requireConfirmed } from '../../cluster.ts';
import { CommandError, type GivenTo, UsageError } from '../../command.ts';
import { tableText } from '../../table.ts';
import { printLine } from '../../terminal.ts';
import { jsonText } from '../../values.ts';
import { requireByIdStart } from '../option-values.ts';
import type * as commands from './command.ts';
import { MESSAGE_COLUMNS, ROW_COLUMNS, type WebhookRow, webhookTopics } from './topics.ts';

export const actions = {
  list: (...[{ json }]: GivenTo<typeof commands.list>) =>
    onWebhooks(async ({ rows }) => {
      if (json) for (const row of rows) printLine(jsonText(publicFields(row)));
      else process.stdout.write(tableText(ROW_COLUMNS, rows));
      if (rows.length === 0 && !json) process.stderr.write('there are no webhooks\n');
    }),
  undelivered: (...[id, { limit, json }]: GivenTo<typeof commands.undelivered>) =>
    onWebhooks(async ({ rows, topics }) => {
      const { first, count } = await topics.pending(requireByIdStart(rows, id, 'webhook'), limit);
      if (json) for (const { message } of first) printLine(message.toString());
      else process.stdout.write(tableText(MESSAGE_COLUMNS, first));
      if (!json) process.stderr.write(`${count} messages are not delivered\n`);
    }),
  resend: (...[id, { from }]: GivenTo<typeof commands.resend>) =>
    onWebhooks(async ({ rows, topics }) => {
      const { row, progress } = findStarted(rows, id);
      const next = await topics.offsetsAt(from);
      const again = await topics.between(row, next, progress.next);
      await topics.order(row, 'resent', next);
      const since = new Date(from).toISOString();
      printLine(`webhook ${row.id} is sent ${again.length} messages again, since ${since}, and what waits`);
    }),
  skip: (...[id, { before, message, yes }]: GivenTo<typeof commands.skip>) => {
    if (before === undefined && message === undefined)
      throw new UsageError('add --before and a time, or --message and the id of one message');
    return onWebhooks(async ({ cluster, rows, topics }) => {
      const { row, progress } = findStarted(rows, id);
      const next =
        before === undefined ? await topics.after(row, message ?? '') : await topics.offsetsAt(before);
      const skipped = await topics.between(row, progress.next, next);
      process.stdout.write(tableText(MESSAGE_COLUMNS, skipped.slice(0, MAX_SHOWN)));
      requireConfirmed(cluster, yes, `${skipped.length} messages of webhook ${row.id} would never be sent`);
      await topics.order(row, 'skipped', next);
      printLine(`${platformName(cluster)}: webhook ${row.id} is not sent ${skipped.length} messages`);
    });
  },
  enable: (...[id]: GivenTo<typeof commands.enable>) => switchTo(id, 'enabled'),
  disable: (...[id]: GivenTo<typeof commands.disable>) => switchTo(id, 'disabled'),
};

function switchTo(id: string, state: 'enabled' | 'disabled'): Promise<number> {
  return onWebhooks(async ({ rows, topics }) => {
    const { row } = findStarted(rows, id);
    await topics.order(row, state);
    printLine(`webhook ${row.id} is ${state}`);
  });
}

async function onWebhooks(
  perform: (here: {
    readonly cluster: OpenCluster;
    readonly topics: ReturnType<typeof webhookTopics>;
    readonly rows: readonly WebhookRow[];
  }) => Promise<void>,
): Promise<number> {
  const cluster = await findClusterWith(['webhook-progress']);
  const topics = webhookTopics(cluster);
  await perform({ cluster, topics, rows: await topics.rows() });
  return 0;
}

const MAX_SHOWN = 20;

/** Returns the webhook whose id begins with `id`, with its progress. Throws `CommandError` when there is none, several, or no progress. */
function findStarted(rows: readonly WebhookRow[], id: string) {
  const row = requireByIdStart(rows, id, 'webhook');
  if (row.progress === null)
    throw new CommandError(`no dispatcher has seen webhook ${row.id} yet: it has no position`);
  return { row, progress: row.progress };
}

function publicFields({ id, clientId, clientName, host, active, progress, ...row }: WebhookRow): object {
  return {
    ...progress,
    subscription_id: id,
    client_id: clientId,
    client_name: clientName,
    client_active: active,
    host,
    max_age_seconds: row.max_age_seconds,
    max_delay_seconds: row.max_delay_seconds,
  };
}
