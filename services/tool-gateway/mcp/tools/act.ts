/** Whether to act on a match, and why, as one line for an assistant. */
import { type Belief, mayAct } from '#domain/health/belief.ts';
import type { ShownState } from '#views/store/board-view.ts';

const REASONS: Readonly<Record<string, string>> = {
  under_review: 'a goal is under review',
  possible_goal: 'a goal is possible',
  possible_card: 'a card is possible',
  possible_penalty: 'a penalty is possible',
  possible_var: 'a video review is possible',
  game_break: 'play is stopped',
  bet_suspended: 'the provider has suspended betting',
  score_differs: "the score differs from the provider's own",
  interrupted: 'the match is interrupted',
};

const OVER: ReadonlySet<string | null> = new Set(['finished', 'cancelled', 'deleted']);

/** The line. It begins with `You may act`, `Do not act` or `Nothing to act on`. */
export function actLine(state: ShownState, belief: Belief): string {
  const { status_type, guard, firm } = state;
  if (OVER.has(status_type)) return `Nothing to act on: the match is ${status_type}.`;
  if (status_type === 'scheduled') return 'Nothing to act on: the match has not begun.';
  if (firm !== null && mayAct(state, belief))
    return `You may act on the firm score ${firm.home}-${firm.away}: the guard is safe and the feed is alive.`;
  const reasons = guard.reasons.map((reason) => REASONS[reason] ?? reason);
  if (firm === null) reasons.push('the firm score is not known');
  if (!belief.believed) {
    const cause = belief.reason === null ? '' : ` (${belief.reason})`;
    reasons.push(`the feed of the match is ${belief.state}${cause}`);
  }
  return `Do not act: ${reasons.join(', ')}.`;
}
