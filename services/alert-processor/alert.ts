import type { Alert, MatchState, WebhookMessage } from '#topics/generated/types.ts';
import type { Finding } from './decide.ts';
import { type AlertRule, rulesFor } from './rules.ts';

/** The place and the times of what an alert is of. */
export type AlertCause = Pick<Alert, 'event_id' | 'version' | 'ut' | 'received_at'> & {
  /** What it is of, unique: a transition's id, or of a stale match `<event id>/<since>`. */
  readonly of: string;
};

/** A match as latest known; null where nothing is known of it. */
export type KnownMatch = Pick<
  MatchState,
  'version' | 'name' | 'competition_id' | 'home' | 'away' | 'status_type' | 'key_incidents'
> | null;

/** The alerts of a finding, one for each rule that wants it. */
export function alertsOf(
  rules: readonly AlertRule[],
  { kind, ...detail }: Finding,
  { event_id, of, version, ut, received_at }: AlertCause,
  match: KnownMatch,
): Alert[] {
  const competition_id = match?.competition_id ?? null;
  const home_id = match?.home?.id ?? null;
  const away_id = match?.away?.id ?? null;
  const incident = match?.key_incidents.find(({ id }) => id === detail.incident_id) ?? null;
  const team = [match?.home, match?.away].find((side) => side?.id === incident?.team_id) ?? null;
  return rulesFor(rules, kind, { event_id, competition_id, home_id, away_id }).map((rule) => ({
    id: `${rule.name}/${kind}/${of}`,
    rule: rule.name,
    kind,
    event_id,
    version,
    name: match?.name ?? null,
    competition_id,
    home_id,
    away_id,
    ...detail,
    reasons: [...detail.reasons],
    ut,
    received_at,
    team_id: incident?.team_id ?? null,
    team_name: incident === null ? null : (team?.name ?? null),
    player_id: incident?.player_id ?? null,
    player_name: incident?.player_name ?? null,
    minute: incident?.minute ?? null,
  }));
}

/** An alert in the envelope of webhook messages, for subscriptions of the type `alert`. */
export function webhookMessageOf(alert: Alert): WebhookMessage {
  const { id, event_id, competition_id, version, ut, received_at } = alert;
  const message = { uuid: id, type: 'alert', source: -1, ut, data: { alert, event: { id: event_id } } };
  return {
    uuid: id,
    id: null,
    event_id,
    competition_id,
    type: 'alert',
    version: version ?? 0,
    ut,
    received_at,
    message_id: null,
    message: Buffer.from(JSON.stringify(message)),
  };
}
