/** The laws of match state, for programs that embed them: pure functions without a clock, I/O or dependencies; see README.md. */
export {
  applyMessage,
  type Match,
  matchIncident,
  matchState,
  newMatch,
  restoreMatch,
} from '../domain/match.ts';
export type {
  Cause,
  Guard,
  Incident,
  MatchIncident,
  MatchState,
  MatchTransition,
  NormalizedMessage,
  Score,
} from '../records/types.ts';
export { type Trading, tradingOf } from '../trading/trading.ts';
