import type { WebhookProgress } from '#records/types.ts';
import { certificateFault } from '#security/tls.ts';
import { lastText, type WebhookRow } from '../webhooks/topics.ts';
import { type CheckResult, failed, fine, warning } from './rules.ts';

/** What `judgeWebhooks` reads of a webhook. */
type JudgedWebhook = Pick<WebhookRow, 'id' | 'clientId' | 'active' | 'isUnopened'> & {
  readonly progress: Pick<
    WebhookProgress,
    'disabled' | 'attempts' | 'failing_since' | 'last_outcome' | 'last_reason'
  > | null;
};

/** Webhooks with the same fault that are described; more of them are counted. */
const DESCRIBED = 2;

/** Judges the deliveries to the webhooks of clients. A disabled client receives nothing, as its operator wants. */
export function judgeWebhooks(webhooks: readonly JudgedWebhook[]): CheckResult[] {
  const faults = webhooks.map(faultOf).filter((fault) => fault !== null);
  const findings = [...Map.groupBy(faults, ({ kind }) => kind)].flatMap(([kind, of]) => {
    const all = of.map(({ finding }) => finding);
    const [first] = all;
    if (first === undefined || all.length <= DESCRIBED) return all;
    const more = {
      message: `${all.length - 1} more webhooks ${kind}`,
      advice: 'npx touchline webhooks list',
    };
    return [first, { ...first, ...more }];
  });
  if (findings.length > 0) return findings;
  return [
    fine('webhooks', webhooks.length === 0 ? 'there are none' : `all ${webhooks.length} are delivered`),
  ];
}

/** Returns what is wrong with a webhook, and the same of several; null where nothing is. */
function faultOf(webhook: JudgedWebhook): { readonly kind: string; readonly finding: CheckResult } | null {
  const { id, clientId, active, isUnopened, progress } = webhook;
  if (!active) return null;
  const which = `webhook ${id} of client ${clientId}`;
  if (isUnopened)
    return {
      kind: 'are sealed with another key',
      finding: failed(
        'webhooks',
        `${which} is sealed with another key than those of this environment: a dispatcher with these sends it nothing`,
        'set CLIENTS_KEY_SECOND to the key that sealed it, and seal it again: docs/guides/runbooks/rotate-secrets.md',
      ),
    };
  if (progress === null) return null;
  const { disabled, attempts, failing_since, last_reason } = progress;
  const since = failing_since === null ? '' : ` since ${new Date(failing_since).toISOString()}`;
  const fault = certificateFault(last_reason ?? '');
  const refused = fault === undefined ? '' : `: the certificate of its receiver is refused, as ${fault}`;
  const last = `ended as ${lastText(progress) ?? 'unknown'}${refused}`;
  if (disabled !== null)
    return {
      kind: `are disabled (${disabled})`,
      // An operator's order is no defect.
      finding: (disabled === 'operator' ? warning : failed)(
        'webhooks',
        `${which} is disabled (${disabled})${since}: it receives nothing; its last attempt ${last}`,
        `npx touchline webhooks enable ${id} sends what waits`,
      ),
    };
  if (attempts === 0) return null;
  return {
    kind: `fail (${lastText(progress) ?? 'unknown'})`,
    finding: warning(
      'webhooks',
      `${which} fails${since}: ${attempts} attempts, the last ${last}`,
      'npx touchline webhooks list shows when it is tried again',
    ),
  };
}
