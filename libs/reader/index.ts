/** Joins Touchline's topics for readers, with any Kafka client: README.md. */
export type { Belief } from './feed-health.ts';
export type { Change, GoalStatus } from './match.ts';
export { type Applied, type Guard, MatchReader } from './match-reader.ts';
export type {
  FeedHealthRecord,
  MatchStateRecord,
  RecordedGuard,
  Score,
  TransitionRecord,
} from './records.ts';
