import type { MatchState } from '#records/types.ts';
import { follow } from '#topics/follow.ts';
import type { Dataset } from '../../../data/dataset.ts';
import type { OpenCluster } from '../../cluster.ts';

/** Progress of the play, derived from match-state. */
export class DemoProgress {
  readonly #dataset: Dataset;
  readonly #matches: number;
  readonly #states = new Map<number, MatchState>();

  constructor(dataset: Dataset, matches: number) {
    this.#dataset = dataset;
    this.#matches = matches;
  }

  /** Follows the topic, read committed, until `signal`. Rejects as `follow`. */
  follow(cluster: OpenCluster, signal: AbortSignal): Promise<void> {
    return follow(['match-state'], cluster, {
      signal,
      onRecord: ({ value }) => value && this.apply(value),
    });
  }

  /** Applies a state; ignores one with an older version. */
  apply(state: MatchState): void {
    const before = this.#states.get(state.event_id);
    if (before === undefined || before.version < state.version) this.#states.set(state.event_id, state);
  }

  /** Whether a goal counts in any match. */
  hasGoal(): boolean {
    return this.#states.values().some(({ score }) => score !== null && score.home + score.away > 0);
  }

  /** Returns the progress as one line; `seconds` since the start. */
  line(seconds: number): string {
    const states = [...this.#states.values()];
    const count = (matches: (state: MatchState) => boolean): number => states.filter(matches).length;
    const disallowed = states.reduce((sum, { void_goals }) => sum + Object.keys(void_goals).length, 0);
    const parts = [
      `${count(isFinished)} of ${this.#matches} played`,
      `${count(({ status_type }) => status_type === 'live')} live`,
      `${count(({ under_review }) => under_review)} under review`,
      `${disallowed} goals disallowed`,
    ];
    return `${clock(seconds)}  ${this.#title()}: ${parts.join(', ')}`;
  }

  /** Returns season, stage and round of the latest match. */
  #title(): string {
    const { competition, matches } = this.#dataset;
    const last = Math.max(...this.#states.keys());
    const facts = matches.find(({ id }) => id === last);
    const stage = competition.stages.find(({ id }) => id === facts?.stage);
    const round = stage?.rounds.find(({ id }) => id === facts?.round);
    return [competition.season.name, stage?.name, round?.name]
      .filter((part) => part !== undefined)
      .join(' · ');
  }
}

export function isFinished({ status_type }: MatchState): boolean {
  return status_type === 'finished';
}

/** Returns a number with commas between thousands. */
export function thousands(value: number): string {
  return value.toLocaleString('en-GB');
}

function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
