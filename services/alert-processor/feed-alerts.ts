/** Alerts of matches that become stale or recover: docs/decisions/0088. Pure. */
import type { Alert } from '#topics/generated/types.ts';
import { alertsOf } from './alert.ts';
import type { KnownMatches } from './match-facts.ts';
import type { AlertRule } from './rules.ts';
import type { FeedChange } from './withdrawals.ts';

/** The alerts of a change that was found at `now`, Unix milliseconds; none of an episode that began before `notBefore`. */
export function feedAlertsOf(
  { kind, eventId, since, reasons }: FeedChange,
  {
    rules,
    matches,
    now,
    notBefore,
  }: {
    readonly rules: readonly AlertRule[];
    readonly matches: Pick<KnownMatches, 'latest'>;
    readonly now: number;
    readonly notBefore: number;
  },
): Alert[] {
  if (since < notBefore) return [];
  const at = kind === 'match_stale' ? since : now;
  const of = `${eventId}/${since}`;
  const cause = { eventId, of, version: null, ut: Math.floor(at / 1000), receivedAt: now };
  const finding = { kind, incident_id: null, score: null, score_before: null, reasons };
  return alertsOf(rules, finding, cause, matches.latest(eventId));
}

/** Which matches are reported as stale by alerts in their order, and since when. */
export class ReportedStale {
  readonly open = new Map<number, number>();

  apply({ id, kind, event_id }: Alert): void {
    if (kind === 'match_stale') this.open.set(event_id, Number(id.slice(id.lastIndexOf('/') + 1)));
    else if (kind === 'match_recovered') this.open.delete(event_id);
  }
}
