import type { WebhookProgress } from '#topics/generated/types.ts';
import { type CheckResult, failed, fine, warning } from './rules.ts';

/** A webhook of a client as `judgeWebhooks` reads it; `progress` is null until a dispatcher has seen it. */
type JudgedWebhook = {
  readonly id: string;
  readonly clientId: number;
  readonly active: boolean;
  readonly progress: Pick<WebhookProgress, 'disabled' | 'attempts' | 'failing_since' | 'last_outcome'> | null;
};

/** Judges the deliveries to the webhooks of clients. A disabled client receives nothing, as its operator wants. */
export function judgeWebhooks(webhooks: readonly JudgedWebhook[]): CheckResult[] {
  const findings = webhooks.flatMap(({ id, clientId, active, progress }): CheckResult[] => {
    if (!active || progress === null) return [];
    const { disabled, attempts, failing_since, last_outcome } = progress;
    const since = failing_since === null ? '' : ` since ${new Date(failing_since).toISOString()}`;
    const which = `webhook ${id} of client ${clientId}`;
    if (disabled !== null)
      return [
        // An operator's order is no defect.
        (disabled === 'operator' ? warning : failed)(
          'webhooks',
          `${which} is disabled (${disabled})${since}: it receives nothing`,
          `npx touchline webhooks attempts ${id} shows why; npx touchline webhooks enable ${id} sends what waits`,
        ),
      ];
    if (attempts === 0) return [];
    const text = `${which} fails${since}: ${attempts} attempts, the last ended as ${last_outcome ?? 'unknown'}`;
    return [warning('webhooks', text, `npx touchline webhooks attempts ${id} shows why`)];
  });
  if (findings.length > 0) return findings;
  return [
    fine('webhooks', webhooks.length === 0 ? 'there are none' : `all ${webhooks.length} are delivered`),
  ];
}
