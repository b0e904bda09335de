import type { ContentLimits, SubscriptionFilter } from '#clients/webhooks.ts';
import type { WebhookMessage, WebhookProgress } from '#records/types.ts';
import type { TextCell, TextColumn } from '../../table.ts';

/** A webhook of a client; `progress` is null until a dispatcher has seen the webhook. */
export type WebhookRow = SubscriptionFilter &
  ContentLimits & {
    readonly id: string;
    readonly clientId: number;
    readonly clientName: string;
    /** Host of its address; null when it cannot be opened. */
    readonly host: string | null;
    /** Whether the keys of clients are known and none opens it. */
    readonly isUnopened: boolean;
    readonly active: boolean;
    readonly progress: WebhookProgress | null;
  };

export const ROW_COLUMNS: readonly TextColumn<WebhookRow>[] = [
  { head: 'webhook', of: ({ id }) => id },
  { head: 'client', align: 'right', of: ({ clientId }) => clientId },
  { head: 'name', minWidth: 8, of: ({ clientName }) => clientName },
  { head: 'address', minWidth: 10, of: ({ host }) => host ?? 'sealed' },
  { head: 'state', minWidth: 20, of: stateCell },
  { head: 'delivered', of: ({ progress }) => progress && (timeText(progress.delivered_at) ?? 'nothing yet') },
  { head: 'left out', align: 'right', of: ({ progress }) => progress?.left_out || null },
  { head: 'marked beyond', of: limitWords },
  { head: 'last', minWidth: 10, of: ({ progress }) => (progress === null ? null : lastText(progress)) },
];

export const MESSAGE_COLUMNS: readonly TextColumn<WebhookMessage>[] = [
  { head: 'received', of: ({ received_at }) => timeText(received_at) },
  { head: 'message', of: ({ uuid }) => uuid },
  { head: 'type', of: ({ type }) => type },
  { head: 'competition', align: 'right', of: ({ competition_id }) => competition_id ?? '-' },
  { head: 'bytes', align: 'right', of: ({ message }) => message.length },
];

/** Returns the outcome of the last attempt with its reason, such as `failed CERT_HAS_EXPIRED` or `status 503`. */
export function lastText({
  last_outcome,
  last_reason,
}: Pick<WebhookProgress, 'last_outcome' | 'last_reason'>): string | null {
  return last_outcome === null ? null : [last_outcome, last_reason].filter((part) => part !== null).join(' ');
}

/** Returns the limits beyond which deliveries are marked, such as `age 5 s, delay 3 s`; null without any. */
export function limitWords({ max_age_seconds: age, max_delay_seconds: delay }: ContentLimits): string | null {
  return (
    [age === null ? '' : `age ${age} s`, delay === null ? '' : `delay ${delay} s`]
      .filter(Boolean)
      .join(', ') || null
  );
}

function stateCell({ active, progress, isUnopened }: WebhookRow): TextCell {
  if (!active) return { text: 'client disabled', style: 'yellow' };
  if (isUnopened) return { text: 'SEALED with another key', style: 'red' };
  if (progress === null) return 'not started';
  const { disabled, attempts, failing_since, next_attempt_at } = progress;
  const since = failing_since === null ? '' : ` since ${timeText(failing_since)}`;
  if (disabled !== null) return { text: `DISABLED: ${disabled}${since}`, style: 'red' };
  if (attempts === 0) return 'delivering';
  const again = next_attempt_at === null ? '' : `, again at ${timeText(next_attempt_at)}`;
  return { text: `FAILING${since}, ${attempts} attempts${again}`, style: 'red' };
}

function timeText(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
