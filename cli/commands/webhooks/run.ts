import { findClusterWith, type OpenCluster, platformName, requireConfirmed } from '../../cluster.ts';
import { type ArgumentsOf, CommandError } from '../../command.ts';
import { tableText } from '../../table.ts';
import { printLine } from '../../terminal.ts';
import { jsonText } from '../../values.ts';
import { findByIdStart, requireByIdStart } from '../ids.ts';
import { parseWebhooks, type WebhooksRequest } from './arguments.ts';
import type { command } from './command.ts';
import { ATTEMPT_COLUMNS, MESSAGE_COLUMNS, ROW_COLUMNS, type WebhookRow } from './lines.ts';
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
    case 'attempts': {
      // A removed webhook still has attempts, under its full id.
      const { id, since } = request;
      const only = id === undefined ? null : (findByIdStart(rows, id, 'webhook')?.id ?? id);
      const attempts = await topics.attempts(since, only);
      if (attempts.length === 0 && id !== undefined) find(rows, id);
      const last = attempts.slice(-request.limit);
      if (request.json) for (const attempt of last) printLine(jsonText(attempt));
      else process.stdout.write(tableText(ATTEMPT_COLUMNS, last));
      return;
    }
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
      await topics.order(row, 'resent', { next });
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
      await topics.order(row, 'skipped', { next, messages: skipped.length });
      printLine(`${platformName(cluster)}: webhook ${row.id} is not sent ${skipped.length} messages`);
      return;
    }
    default: {
      const { row } = findStarted(rows, request.id);
      if (request.action === 'enable') await topics.order(row, 'enabled', {});
      else await topics.order(row, 'disabled', { reason: 'operator' });
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
