/** One line of text for each item that `touchline webhooks` shows. */
import type { WebhookAttempt, WebhookMessage, WebhookProgress } from '#topics/generated/types.ts';
import type { Audience } from '#webhooks/wants.ts';
import { lineShown } from '../../values.ts';

/** A webhook and its progress; null before a dispatcher has seen it. */
export type Row = Audience & {
  readonly id: string;
  readonly clientId: number;
  readonly clientName: string;
  /** Of its address; null where the key of clients is not at hand. */
  readonly host: string | null;
  readonly active: boolean;
  readonly progress: WebhookProgress | null;
};

export function rowLine({ id, clientId, clientName, host, active, progress }: Row): string {
  return [
    id,
    `client ${clientId} (${lineShown(clientName)})`,
    host === null ? 'address sealed' : lineShown(host),
    active ? stateText(progress) : 'client disabled',
    ...pastOf(progress),
  ].join('  ');
}

export function attemptLine(attempt: WebhookAttempt): string {
  const { subscription_id, kind, outcome, status, reason, messages, bytes, started_at, at, next_attempt_at } =
    attempt;
  return [
    timeText(at),
    subscription_id,
    kind,
    outcome === 'status' ? `status ${status}` : outcome,
    reason === null ? null : lineShown(reason),
    messages === 0 ? null : `${messages} messages`,
    bytes === 0 ? null : `${bytes} bytes`,
    started_at === null ? null : `${at - started_at} ms`,
    next_attempt_at === null ? null : `attempt ${attempt.attempt}, again at ${timeText(next_attempt_at)}`,
  ]
    .filter((part) => part !== null)
    .join('  ');
}

export function messageLine({ uuid, type, competition_id, received_at, message }: WebhookMessage): string {
  const of = competition_id === null ? 'no competition' : `competition ${competition_id}`;
  return [timeText(received_at), uuid, type, of, `${message.length} bytes`].join('  ');
}

function stateText(progress: WebhookProgress | null): string {
  if (progress === null) return 'not started';
  const { disabled, attempts, failing_since, next_attempt_at } = progress;
  const since = failing_since === null ? '' : ` since ${timeText(failing_since)}`;
  if (disabled !== null) return `DISABLED: ${lineShown(disabled)}${since}`;
  if (attempts === 0) return 'delivering';
  const again = next_attempt_at === null ? '' : `, again at ${timeText(next_attempt_at)}`;
  return `FAILING${since}, ${attempts} attempts${again}`;
}

function pastOf(progress: WebhookProgress | null): string[] {
  if (progress === null) return [];
  const { delivered_at, last_outcome } = progress;
  return [
    delivered_at === null ? 'nothing delivered yet' : `delivered ${timeText(delivered_at)}`,
    ...(last_outcome === null || last_outcome === 'accepted' ? [] : [`last: ${lineShown(last_outcome)}`]),
  ];
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
