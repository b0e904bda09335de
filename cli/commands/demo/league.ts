import { readDataset } from '../../../data/dataset.ts';
import type { ServiceProcess } from '../../processes.ts';
import { type PlayTarget, startSimulator } from './simulator.ts';

const DATASET = 'england-2017-18';
/** Whole weeks that put a season of 2017 behind the tournament: a provider's time never goes back. */
const DAYS_LATER = 364;
/** Of a round, on the provider's clock: halves, half-time, added time, and the matches that kick off later. */
const ROUND_SECONDS = 7_800;

/** How a league is played. */
type LeagueSettings = {
  readonly SEED: string;
  readonly FAULTS: string;
  readonly SPEED: number;
};

/**
 * Plays a league season after the tournament. It serves REST until it is stopped, so that the feed stays up when the last
 * match is over.
 */
export function startLeague(played: PlayTarget, { SEED, FAULTS, SPEED }: LeagueSettings): ServiceProcess {
  return startSimulator(played, {
    DATASET,
    // Set for the tournament, they are not meant for the league.
    MATCHES: '',
    DURATION: '',
    DAYS_LATER: String(DAYS_LATER),
    SPEED: Number.isFinite(SPEED) ? String(SPEED) : 'max',
    SEED,
    FAULTS,
  });
}

/** What is played, and for how long. */
export function leagueLine({ SPEED }: Pick<LeagueSettings, 'SPEED'>): string {
  const { competition, matches } = readDataset(DATASET);
  const rounds = (2 * matches.length) / competition.teams.length;
  const hours = (rounds * ROUND_SECONDS) / SPEED / 3600;
  const length = hours < 0.1 ? 'in a few minutes' : `in about ${hours.toFixed(1)} hours`;
  return `${competition.season.name} is played now, ${SPEED} times as fast as life: ${matches.length} matches ${length}.`;
}
