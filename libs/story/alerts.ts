import type { Alert, Score } from '#records/types.ts';

/** Names of the kinds of alerts; a kind of a later release has its own name. */
const WORDS: Readonly<Record<string, string>> = {
  goal: 'GOAL',
  goal_cancelled: 'GOAL CANCELLED',
  red_card: 'RED CARD',
  red_card_cancelled: 'RED CARD CANCELLED',
  guard_closed: 'guard closed',
  guard_opened: 'guard opened',
  score_differs: 'score differs',
  score_agrees: 'score agrees again',
  final: 'FINAL',
  final_withdrawn: 'NOT FINAL ANY MORE',
  match_stale: 'STALE',
  match_recovered: 'recovered',
  match_halted: 'HALTED BY HAND',
  match_resumed: 'resumed',
};

/** Returns an alert as a line: kind, match, scores, player and minute, reasons. Names may hold any character. */
export function alertText(alert: Alert): string {
  const { kind, name, reasons } = alert;
  const parts = [WORDS[kind] ?? kind, name, alertScore(alert), playerText(alert), reasons.join(', ')];
  return parts.filter((part) => part !== null && part !== '').join('  ');
}

/** Returns the score of an alert, behind the score before it where both are known; null without a score. */
function alertScore({ score, score_before }: Alert): string | null {
  if (score === null) return null;
  return score_before === null ? scoreText(score) : `${scoreText(score_before)} -> ${scoreText(score)}`;
}

function scoreText({ home, away }: Score): string {
  return `${home}:${away}`;
}

function playerText({ player_name: player, team_name: team, minute }: Alert): string {
  const named = player === null ? team : team === null ? player : `${player} (${team})`;
  return [named, minute === null ? null : `${minute}\u2032`].filter((part) => part !== null).join(' ');
}
