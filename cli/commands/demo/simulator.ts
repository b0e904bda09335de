import { join } from 'node:path';
import { readDataset } from '../../../data/dataset.ts';
import { listFaultsOf } from '../../../services/simulator/rest/faults.ts';
import type { Platform, ProviderSettings } from '../../platform.ts';
import { ServiceProcess } from '../../processes.ts';

/** The platform that gets the messages, and its poller's settings for the REST interface that the simulator serves. */
export type PlayTarget = { readonly platform: Platform; readonly provider: ProviderSettings };

/** Starts a simulator with these settings: it sends webhooks and serves REST, whose lists have faults as the webhooks have. */
export function startSimulator(
  { platform, provider }: PlayTarget,
  settings: Readonly<Record<string, string>> & { readonly FAULTS: string },
): ServiceProcess {
  return new ServiceProcess({
    name: 'simulator',
    settings: {
      WEBHOOK_URL: platform.webhookUrl,
      WEBHOOK_SECRET: platform.secret,
      REST_PORT: new URL(provider.PROVIDER_BASE_URL).port,
      REST_CLIENT_ID: provider.PROVIDER_CLIENT_ID,
      REST_SECRET_KEY: provider.PROVIDER_SECRET_KEY,
      REST_FAULTS: listFaultsOf(settings.FAULTS),
      ...settings,
    },
    logFile: join(platform.logFolder, 'simulator.log'),
    restart: false,
    onProblem: () => {},
  });
}

const DATASET = 'england-2017-18';
/** Whole weeks that move the season of 2017 after the tournament: a provider's time never goes back. */
const DAYS_LATER = 364;

type LeagueSettings = {
  readonly SEED: string;
  readonly FAULTS: string;
  readonly SPEED: number;
};

/** Starts a simulator that plays a league season. It serves REST until it is stopped, also after the last match. */
export function startLeague(played: PlayTarget, { SEED, FAULTS, SPEED }: LeagueSettings): ServiceProcess {
  return startSimulator(played, {
    DATASET,
    // These settings apply to the tournament only.
    MATCHES: '',
    DURATION: '',
    DAYS_LATER: String(DAYS_LATER),
    SPEED: Number.isFinite(SPEED) ? String(SPEED) : 'max',
    SEED,
    FAULTS,
  });
}

/** Returns a line on the league: its season and its speed. */
export function leagueLine({ SPEED }: Pick<LeagueSettings, 'SPEED'>): string {
  const { competition, matches } = readDataset(DATASET);
  return `${competition.season.name} is played now, ${SPEED} times as fast as life: ${matches.length} matches.`;
}
