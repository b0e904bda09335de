/** Joins Touchline's topics for programs that read them with any Kafka client; see README.md. */
export type { FeedStatus, HealthRecord, Now, ReaderLimits } from '../trading/feed-status.ts';
export type { HaltRecord } from '../trading/halts.ts';
export type { Permission } from '../trading/trading.ts';
export type { GoalStatus, ReaderChange as Change } from './match.ts';
export { type AppliedRecord as Applied, MatchReader, type ReaderGuard as Guard } from './match-reader.ts';
export type {
  MatchStateRecord,
  RecordedGuard,
  ScoreRecord as Score,
  TransitionRecord,
} from './records.ts';
