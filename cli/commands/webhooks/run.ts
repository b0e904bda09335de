import { findClusterWith, type OpenCluster, platformName, requireConfirmed } from '../../cluster.ts';
import { type ArgumentsOf, CommandError } from '../../command.ts';
import { tableText } from '../../table.ts';
import { printLine } from '../../terminal.ts';
import { jsonText } from '../../values.ts';
import { requireByIdStart } from '../ids.ts';
import { parseWebhooks, type WebhooksRequest } from './arguments.ts';
import type { command } from './command.ts';
import { MESSAGE_COLUMNS, ROW_COLUMNS, type WebhookRow } from './lines.ts';
import { WebhookTopics } from './topics.ts';

export async function run(given: ArgumentsOf<typeof command>): Promise<number> {
  const request = parseWebhooks(given, Date.now());
  const cluster = await findClusterWith(['webhook-progress']);
  await perform(cluster, new WebhookTopics(cluster), request);
  return 0;
}

async function perform(cluster: OpenCluster, topics: WebhookTopics, request: WebhooksRequest): Promise<void> {
  const rows = await topics.rows();
  switch (request.action) {
    case 'list':
      if (request.json) for (const row of rows) printLine(jsonText(publicFields(row)));
      else process.stdout.write(tableText(ROW_COLUMNS, rows));
      if (rows.length === 0 && !request.json) process.stderr.write('there are no webhooks\n');
      return;
    case 'undelivered': {
      const { first, count } = await topics.undelivered(find(rows, request.id), request.limit);
      if (request.json) for (const { message } of first) printLine(message.toString());
      else process.stdout.write(tableText(MESSAGE_COLUMNS, first));
      if (!request.json) process.stderr.write(`${count} messages are not delivered\n`);
      return;
    }
    case 'resend': {
      const { row, progress } = findStarted(rows, request.id);
      const next = await topics.offsetsAt(request.from);
      const again = await topics.between(row, next, progress.next);
      await topics.order(row, 'resent', next);
      printLine(
        `webhook ${row.id} is sent ${again.length} messages again, since ${new Date(request.from).toISOString()}, and what waits`,
      );
      return;
    }
    case 'skip': {
      const { row, progress } = findStarted(rows, request.id);
      const next =
        'before' in request.what
          ? await topics.offsetsAt(request.what.before)
          : await topics.after(row, request.what.message);
      const skipped = await topics.between(row, progress.next, next);
      process.stdout.write(tableText(MESSAGE_COLUMNS, skipped.slice(0, MAX_SHOWN)));
      requireConfirmed(
        cluster,
        request.yes,
        `${skipped.length} messages of webhook ${row.id} would never be sent`,
      );
      await topics.order(row, 'skipped', next);
      printLine(`${platformName(cluster)}: webhook ${row.id} is not sent ${skipped.length} messages`);
      return;
    }
    default: {
      const { row } = findStarted(rows, request.id);
      await topics.order(row, request.action === 'enable' ? 'enabled' : 'disabled');
      printLine(`webhook ${row.id} is ${request.action}d`);
    }
  }
}

/** Maximum number of skipped messages to show. */
const MAX_SHOWN = 20;

/** Returns the webhook whose id begins with `id`. Throws `CommandError` when there is none, or several. */
function find(rows: readonly WebhookRow[], id: string): WebhookRow {
  return requireByIdStart(rows, id, 'webhook');
}

/** Like `find`, but throws `CommandError` for a webhook without progress too. */
function findStarted(rows: readonly WebhookRow[], id: string) {
  const row = find(rows, id);
  if (row.progress === null)
    throw new CommandError(`no dispatcher has seen webhook ${row.id} yet: it has no position`);
  return { row, progress: row.progress };
}

/** Returns what `--json` prints for a webhook. */
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
