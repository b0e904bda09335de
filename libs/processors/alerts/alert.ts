import { messageJson } from '#contract/provider-message.ts';
import { NO_SOURCE } from '#domain/event.ts';
import type { Alert, MatchState, MatchTransition, WebhookMessage } from '#records/types.ts';
import type { Finding } from './decide.ts';
import { type AlertRule, rulesFor } from './rules.ts';

type AlertCause = Pick<Alert, 'event_id' | 'version' | 'ut' | 'received_at'> & {
  /** Unique id of the subject: the id of a transition, or `<event id>/<since>` of a stale match. */
  readonly subject: string;
};

/** What is last known of a match. */
export type KnownMatch = Pick<
  MatchState,
  'version' | 'cause' | 'guard' | 'name' | 'competition_id' | 'home' | 'away' | 'status_type'
>;

/** What names a match in its alerts. */
type NamedMatch = Pick<MatchTransition['match'], 'name' | 'competition_id' | 'home' | 'away'>;

/** Returns the alerts of a finding, one for each rule that applies. `match`: null when it is unknown. */
export function alertsOf(
  rules: readonly AlertRule[],
  { kind, incident, score, score_before, reasons }: Finding,
  { event_id, subject, version, ut, received_at }: AlertCause,
  match: NamedMatch | null,
): Alert[] {
  const competition_id = match?.competition_id ?? null;
  const home_id = match?.home?.id ?? null;
  const away_id = match?.away?.id ?? null;
  const team_id = incident?.team_id ?? null;
  const team = [match?.home, match?.away].find((side) => side?.id === team_id) ?? null;
  return rulesFor(rules, kind, { event_id, competition_id, home_id, away_id }).map((rule) => ({
    id: `${rule.name}/${kind}/${subject}`,
    rule: rule.name,
    kind,
    event_id,
    version,
    name: match?.name ?? null,
    competition_id,
    home_id,
    away_id,
    incident_id: incident?.id ?? null,
    score,
    score_before,
    reasons: [...reasons],
    ut,
    received_at,
    team_id,
    team_name: team_id === null ? null : (team?.name ?? null),
    player_id: incident?.player_id ?? null,
    player_name: incident?.player_name ?? null,
    minute: incident?.minute ?? null,
  }));
}

/** Returns an alert in the envelope of webhook messages, for subscriptions to the type `alert`. */
export function webhookMessageOf(alert: Alert): WebhookMessage {
  const { id, event_id, competition_id, version, ut, received_at } = alert;
  const head = { uuid: id, type: 'alert', source: NO_SOURCE, ut };
  return {
    uuid: id,
    id: null,
    event_id,
    competition_id,
    type: 'alert',
    // A desk acts on it, before the start and after the end too.
    in_play: true,
    version: version ?? 0,
    ut,
    received_at,
    message_id: null,
    message: Buffer.from(messageJson(head, { alert }, `{"id":${event_id}}`)),
  };
}
