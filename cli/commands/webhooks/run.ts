import type { WebhookProgress } from '#topics/generated/types.ts';
import { findCluster, requireTopics } from '../../cluster.ts';
import { type ArgumentsOf, CommandError } from '../../command.ts';
import { printLine } from '../../terminal.ts';
import { escapeLine, jsonText } from '../../values.ts';
import { parseWebhooks, type WebhooksRequest } from './arguments.ts';
import type { command } from './command.ts';
import { attemptsText, messagesText, rowsText, type WebhookRow } from './lines.ts';
import { WebhookTopics } from './topics.ts';

export async function run(given: ArgumentsOf<typeof command>): Promise<number> {
  const request = parseWebhooks(given, Date.now());
  const cluster = findCluster(process.env);
  await requireTopics(cluster, ['webhook-progress']);
  await perform(new WebhookTopics(cluster), request);
  return 0;
}

async function perform(topics: WebhookTopics, request: WebhooksRequest): Promise<void> {
  const rows = await topics.rows();
  switch (request.action) {
    case 'list':
      if (request.json) for (const row of rows) printLine(jsonText(shown(row)));
      else process.stdout.write(rowsText(rows));
      if (rows.length === 0 && !request.json) process.stderr.write('there are no webhooks\n');
      return;
    case 'attempts': {
      // A removed webhook still has attempts, under its whole id.
      const only = oneOf(rows, request.id)?.id ?? request.id;
      const attempts = await topics.attempts(request.since, only ?? null);
      if (attempts.length === 0 && request.id !== undefined) find(rows, request.id);
      const last = attempts.slice(-request.limit);
      if (request.json) for (const attempt of last) printLine(jsonText(attempt));
      else process.stdout.write(attemptsText(last));
      return;
    }
    case 'undelivered': {
      const { first, count } = await topics.undelivered(find(rows, request.id), request.limit);
      if (request.json) for (const { message } of first) printLine(message.toString());
      else process.stdout.write(messagesText(first));
      if (!request.json) process.stderr.write(`${count} messages are not delivered\n`);
      return;
    }
    case 'resend': {
      const { row, progress } = started(find(rows, request.id));
      const next = await topics.offsetsAt(request.from);
      const again = await topics.between(row, next, progress.next);
      await topics.order(row, 'resent', { next });
      printLine(
        `webhook ${row.id} is sent ${again.length} messages again, since ${new Date(request.from).toISOString()}, and what waits`,
      );
      return;
    }
    case 'skip': {
      const { row, progress } = started(find(rows, request.id));
      const next =
        'before' in request.what
          ? await topics.offsetsAt(request.what.before)
          : await topics.after(row, request.what.message);
      const skipped = await topics.between(row, progress.next, next);
      process.stdout.write(messagesText(skipped.slice(0, SHOWN)));
      if (!request.yes)
        throw new CommandError(`${skipped.length} messages would never be sent: printLine --yes`);
      await topics.order(row, 'skipped', { next, messages: skipped.length });
      printLine(`webhook ${row.id} is not sent ${skipped.length} messages`);
      return;
    }
    default: {
      const { row } = started(find(rows, request.id));
      if (request.action === 'enable') await topics.order(row, 'enabled', {});
      else await topics.order(row, 'disabled', { reason: 'operator' });
      printLine(`webhook ${row.id} is ${request.action}d`);
    }
  }
}

/** How many messages of an order are shown. */
const SHOWN = 20;

/** Throws `CommandError` for a webhook without a position. */
function started(row: WebhookRow): { row: WebhookRow; progress: WebhookProgress } {
  if (row.progress === null) throw new CommandError(`webhook ${row.id} is not known to a dispatcher yet`);
  return { row, progress: row.progress };
}

function find(rows: readonly WebhookRow[], id: string): WebhookRow {
  const row = oneOf(rows, id);
  if (row === undefined) throw new CommandError(`there is no webhook ${escapeLine(id)}`);
  return row;
}

/** The one whose id begins so. Throws `CommandError` for several. */
function oneOf(rows: readonly WebhookRow[], id: string | undefined): WebhookRow | undefined {
  const found = id === undefined ? [] : rows.filter((row) => row.id.startsWith(id));
  if (found.length > 1) throw new CommandError(`${found.length} webhooks begin with ${escapeLine(id ?? '')}`);
  return found[0];
}

function shown({ id, clientId, clientName, host, active, progress }: WebhookRow): object {
  return {
    ...progress,
    subscription_id: id,
    client_id: clientId,
    client_name: clientName,
    client_active: active,
    host,
  };
}
