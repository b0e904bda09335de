/** Joins Touchline's topics for readers, with any Kafka client: README.md. */
export type { Belief, HealthRecord, Now } from '../tradability/belief.ts';
export type { Permission } from '../tradability/trading.ts';
export type { Change, GoalStatus } from './match.ts';
export { type Applied, type Guard, MatchReader } from './match-reader.ts';
export type {
  MatchStateRecord,
  RecordedGuard,
  Score,
  TransitionRecord,
} from './records.ts';
