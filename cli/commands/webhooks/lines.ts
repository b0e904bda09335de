/** The tables that `touchline webhooks` shows. */
import type { WebhookAttempt, WebhookMessage, WebhookProgress } from '#topics/generated/types.ts';
import type { Audience } from '#webhooks/wants.ts';
import { type TextCell, tableText } from '../../table.ts';

/** A webhook and its progress; null before a dispatcher has seen it. */
export type WebhookRow = Audience & {
  readonly id: string;
  readonly clientId: number;
  readonly clientName: string;
  /** Of its address; null where the key of clients is not at hand. */
  readonly host: string | null;
  readonly active: boolean;
  readonly progress: WebhookProgress | null;
};

const ROW_COLUMNS = [
  { head: 'webhook' },
  { head: 'client', align: 'right' },
  { head: 'name', least: 8 },
  { head: 'address', least: 10 },
  { head: 'state', least: 20 },
  { head: 'delivered' },
  { head: 'last', least: 10 },
] as const;

export function rowsText(rows: readonly WebhookRow[]): string {
  return tableText(
    ROW_COLUMNS,
    rows.map(({ id, clientId, clientName, host, active, progress }) => [
      id,
      String(clientId),
      clientName,
      host ?? 'sealed',
      active ? stateCell(progress) : { text: 'client disabled', style: 'yellow' },
      progress === null
        ? ''
        : progress.delivered_at === null
          ? 'nothing yet'
          : timeText(progress.delivered_at),
      progress?.last_outcome ?? '',
    ]),
  );
}

const ATTEMPT_COLUMNS = [
  { head: 'time' },
  { head: 'webhook' },
  { head: 'what' },
  { head: 'outcome' },
  { head: 'reason', least: 10 },
  { head: 'messages', align: 'right' },
  { head: 'bytes', align: 'right' },
  { head: 'ms', align: 'right' },
  { head: 'attempt', align: 'right' },
  { head: 'again at' },
] as const;

export function attemptsText(attempts: readonly WebhookAttempt[]): string {
  return tableText(
    ATTEMPT_COLUMNS,
    attempts.map((one) => [
      timeText(one.at),
      one.subscription_id,
      one.kind,
      one.outcome === 'status' ? `status ${one.status}` : (one.outcome ?? ''),
      one.reason ?? '',
      one.messages === 0 ? '' : String(one.messages),
      one.bytes === 0 ? '' : String(one.bytes),
      one.started_at === null ? '' : String(one.at - one.started_at),
      one.next_attempt_at === null ? '' : String(one.attempt),
      one.next_attempt_at === null ? '' : timeText(one.next_attempt_at),
    ]),
  );
}

const MESSAGE_COLUMNS = [
  { head: 'received' },
  { head: 'message' },
  { head: 'type' },
  { head: 'competition', align: 'right' },
  { head: 'bytes', align: 'right' },
] as const;

export function messagesText(messages: readonly WebhookMessage[]): string {
  return tableText(
    MESSAGE_COLUMNS,
    messages.map(({ uuid, type, competition_id, received_at, message }) => [
      timeText(received_at),
      uuid,
      type,
      String(competition_id ?? '-'),
      String(message.length),
    ]),
  );
}

function stateCell(progress: WebhookProgress | null): TextCell {
  const text = stateText(progress);
  return text === 'delivering' || progress === null ? text : { text, style: 'red' };
}

function stateText(progress: WebhookProgress | null): string {
  if (progress === null) return 'not started';
  const { disabled, attempts, failing_since, next_attempt_at } = progress;
  const since = failing_since === null ? '' : ` since ${timeText(failing_since)}`;
  if (disabled !== null) return `DISABLED: ${disabled}${since}`;
  if (attempts === 0) return 'delivering';
  const again = next_attempt_at === null ? '' : `, again at ${timeText(next_attempt_at)}`;
  return `FAILING${since}, ${attempts} attempts${again}`;
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
