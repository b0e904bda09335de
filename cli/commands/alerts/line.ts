import type { Alert } from '#topics/generated/types.ts';
import { alertScore } from '../../summaries.ts';
import { escapeLine } from '../../values.ts';

/** Names of the kinds of alerts; a kind of a later release has its own name. */
const WORDS: Readonly<Record<string, string>> = {
  goal: 'GOAL',
  goal_cancelled: 'GOAL CANCELLED',
  red_card: 'RED CARD',
  red_card_cancelled: 'RED CARD CANCELLED',
  guard_closed: 'guard closed',
  score_differs: 'score differs',
  final: 'FINAL',
  final_withdrawn: 'NOT FINAL ANY MORE',
  match_stale: 'STALE',
  match_recovered: 'recovered',
};

/**
 * Returns an alert as a line for people: time of receipt (UTC), kind, match, change of the score, player and minute, ids:
 * `15:26:50  GOAL  France - Croatia  0:0 -> 1:0  A. Griezmann (France) 45+2\u2032  match 2429281  incident 5-889947  rule goals`.
 */
export function alertLine(alert: Alert): string {
  const { kind, name, reasons, event_id, incident_id, rule, received_at } = alert;
  const parts = [
    new Date(received_at).toISOString().slice(11, 19),
    WORDS[kind] ?? kind,
    name,
    alertScore(alert),
    playerText(alert),
    reasons.join(', '),
    `match ${event_id}`,
    incident_id === null ? null : `incident ${incident_id}`,
    `rule ${rule}`,
  ];
  return escapeLine(parts.filter((part) => part !== null && part !== '').join('  '));
}

function playerText({ player_name: player, team_name: team, minute }: Alert): string {
  const named = player === null ? team : team === null ? player : `${player} (${team})`;
  return [named, minute === null ? null : `${minute}\u2032`].filter((part) => part !== null).join(' ');
}
