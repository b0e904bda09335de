import type { Alert, Score } from '#topics/generated/types.ts';
import { lineShown } from '../../values.ts';

/** What kinds are called in a line; those of later releases by their own name. */
const WORDS: Readonly<Record<string, string>> = {
  goal: 'GOAL',
  goal_cancelled: 'GOAL CANCELLED',
  red_card: 'RED CARD',
  guard_closed: 'guard closed',
  score_differs: 'score differs',
  final: 'FINAL',
  match_stale: 'STALE',
  match_recovered: 'recovered',
};

/**
 * An alert as a line for people: when it was received (UTC), what it is of, what it did to the score, who and when, and last the
 * ids: `15:26:50  GOAL  France - Croatia  0:0 -> 1:0  A. Griezmann (France) 45+2\u2032  match 2429281  incident 5-889947  rule goals`.
 */
export function alertLine(alert: Alert): string {
  const { kind, name, score, score_before, reasons, event_id, incident_id, rule, received_at } = alert;
  const parts = [
    new Date(received_at).toISOString().slice(11, 19),
    WORDS[kind] ?? kind,
    name,
    score === null ? null : `${score_before === null ? '' : `${scoreOf(score_before)} -> `}${scoreOf(score)}`,
    who(alert),
    reasons.length === 0 ? null : reasons.join(', '),
    `match ${event_id}`,
    incident_id === null ? null : `incident ${incident_id}`,
    `rule ${rule}`,
  ];
  return lineShown(parts.filter((part) => part !== null && part !== '').join('  '));
}

function scoreOf({ home, away }: Score): string {
  return `${home}:${away}`;
}

function who({ player_name: player, team_name: team, minute }: Alert): string {
  const named = player === null ? team : team === null ? player : `${player} (${team})`;
  return [named, minute === null ? null : `${minute}\u2032`].filter((part) => part !== null).join(' ');
}
