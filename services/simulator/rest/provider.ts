/** The simulator as a REST provider: the routes of the contract over the messages published so far. */

import { fastify } from 'fastify';
import { answerErrors } from '#contract/rest/error-answers.ts';
import { restRoutes } from '#contract/rest/routes.ts';
import { restServerOptions } from '#contract/rest/server-options.ts';
import { fastifyServer } from '#service/http-server.ts';
import type { ServerTlsFiles } from '#service/server-tls.ts';
import type { Dataset } from '../../../data/dataset.ts';
import type { MatchSettings } from '../match.ts';
import { createRandom } from '../random.ts';
import type { ProviderMessage } from '../records.ts';
import { createAuthenticator } from './authenticator.ts';
import type { SimulatedClock } from './clock.ts';
import { addFaultHooks } from './fault-hooks.ts';
import { type RestFaultRates, RestFaults } from './faults.ts';
import { createProviderData } from './provider-data.ts';
import { ProviderState } from './provider-state.ts';
import { Timeline } from './timeline.ts';

/** The client that may read the provider's REST. */
type SimulatedClient = { readonly id: string; readonly secretKey: string };

export type SimulatedProviderOptions = MatchSettings & {
  readonly dataset: Dataset;
  /** Number of matches, from the first. */
  readonly matches: number;
  readonly restFaults: RestFaultRates;
  readonly clock: (timeline: Timeline) => SimulatedClock;
  readonly client: SimulatedClient;
  /** Returns real seconds from any zero, for the lifetime of tokens. Default: the machine's clock. */
  readonly elapsed?: () => number;
  /** Maximum delay of a slow answer, real milliseconds. Default 2000. */
  readonly slowMs?: number;
  /** Null: plain HTTP. */
  readonly tls: ServerTlsFiles | null;
};

/** A simulated provider. `app` serves when it listens, or through `inject`; the caller closes it. */
export type SimulatedProvider = ReturnType<typeof createProvider>;

/** Seconds from the writing of the catalogues to the first message. */
const WRITTEN_BEFORE = 86_400;
/** Age of what a lagging list shows, seconds. */
const LAG_SECONDS = 40;
/** `api.ver`, in the form that the contract requires. */
const VERSION = '2.125.0';

/** Creates a provider. It first simulates everything once to know the times, which takes seconds for a whole season. */
export function createProvider(options: SimulatedProviderOptions) {
  const { dataset, seed, client, restFaults } = options;
  const timeline = new Timeline(dataset, options, options.matches);
  const clock = options.clock(timeline);
  const faults = new RestFaults(restFaults, seed);
  const isSilent = silencer(restFaults.vanish, seed);
  const state = new ProviderState(timeline, isSilent, () => faults.count('vanish'));
  const formerState = new ProviderState(timeline, isSilent, () => {});
  const hasLag = restFaults.lagging_list > 0;
  // Reading the time advances the state: an answer never mixes two times, but for a lagging list.
  const now = (): number => {
    state.advanceTo(clock.now());
    if (hasLag) formerState.advanceTo(state.time - LAG_SECONDS);
    return state.time;
  };
  const authenticator = createAuthenticator({
    clientId: client.id,
    secretKey: client.secretKey,
    elapsed: options.elapsed ?? (() => performance.now() / 1000),
    revokes: () => faults.strikes('unauthorized'),
  });
  const data = createProviderData({
    state,
    formerState,
    dataset,
    faults,
    writtenAt: timeline.startsAt - WRITTEN_BEFORE,
  });
  // `fastifyServer` closes connections by force, so that a request without an answer does not delay the close.
  const app = fastify({ ...restServerOptions(VERSION, now), ...fastifyServer({ tls: options.tls }) });
  answerErrors(app, { now, version: VERSION });
  addFaultHooks(app, faults, options.slowMs ?? 2_000);
  app.register(restRoutes, { data, authenticator, now, version: VERSION });
  return {
    app,
    client,
    timeline,
    /** Returns the provider's time, whole Unix seconds: `api.timestamp`. */
    now,
    /** Returns all messages published so far, in order. */
    published: () => {
      now();
      return [...state.published(timeline.startsAt, state.time)];
    },
    faults,
  };
}

/** Returns a function that decides which deletes the feed omits, by the incident only, so that repeated reads agree. */
function silencer(rate: number, seed: string): (message: ProviderMessage) => boolean {
  return ({ data: { incident } }) =>
    rate > 0 && incident?.action === 'delete' && createRandom(seed, 'vanish', incident.id).chance(rate);
}
