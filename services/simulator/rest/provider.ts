/** The simulator as a REST provider: the routes of the contract over the messages published so far. */

import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FastifyInstance, fastify } from 'fastify';
import { answerErrors, restServerOptions } from '#contract/rest/error-answers.ts';
import { RestError } from '#contract/rest/errors.ts';
import type { Access, Authenticator } from '#contract/rest/provider.ts';
import { restRoutes } from '#contract/rest/routes.ts';
import { fastifyServer } from '#service/http-server.ts';
import type { ServerTlsFiles } from '#service/server-tls.ts';
import type { Dataset } from '../../../data/dataset.ts';
import type { MatchSettings } from '../match.ts';
import type { PlayOptions } from '../player.ts';
import { createRandom } from '../random.ts';
import type { ProviderMessage } from '../records.ts';
import { firstHalf } from '../webhook.ts';
import { type PlayClock, playClock } from './clock.ts';
import { createRestFaults, type RestFaultRates, type RestFaults } from './faults.ts';
import { createProviderData } from './provider-data.ts';
import { providerState } from './provider-state.ts';
import { createTimeline, type Timeline } from './timeline.ts';

export type SimulatedProviderOptions = {
  readonly dataset: Dataset;
  readonly timeline: Timeline;
  readonly seed: string;
  readonly restFaults: RestFaultRates;
  readonly clock: Pick<PlayClock, 'now'>;
  readonly client: { readonly id: string; readonly secretKey: string };
  /** Returns real seconds from any zero, for the lifetime of tokens. Default: the machine's clock. */
  readonly elapsed?: () => number;
  /** Maximum delay of a slow answer, real milliseconds. Default 2000. */
  readonly slowMs?: number;
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

/** Creates a provider. */
export function createProvider(options: SimulatedProviderOptions) {
  const { dataset, timeline, clock, seed, client, restFaults } = options;
  const faults = createRestFaults(restFaults, seed);
  // Decided by the incident alone, so that repeated reads agree which deletes the feed omits.
  const isSilent = ({ data: { incident } }: ProviderMessage): boolean =>
    restFaults.vanish > 0 &&
    incident?.action === 'delete' &&
    createRandom(seed, 'vanish', incident.id).chance(restFaults.vanish);
  const state = providerState(timeline, isSilent, () => faults.counts.vanish++);
  const formerState = providerState(timeline, isSilent, () => {});
  const hasLag = restFaults.lagging_list > 0;
  // Reading the time advances the state: an answer never mixes two times, but for a lagging list.
  const now = (): number => {
    state.advanceTo(clock.now());
    if (hasLag) formerState.advanceTo(state.time - LAG_SECONDS);
    return state.time;
  };
  const authenticator = createAuthenticator(client, faults, options.elapsed);
  const writtenAt = timeline.startsAt - WRITTEN_BEFORE;
  const data = createProviderData({ state, formerState, dataset, faults, writtenAt });
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

/** Lifetime of a token in real seconds, independent of the provider's clock. */
const TOKEN_SECONDS = 3600;

/** Authenticates the one client. An expiration is stated on the provider's clock, and enforced on the real one (`elapsed`). */
function createAuthenticator(
  { id, secretKey }: SimulatedProviderOptions['client'],
  faults: RestFaults,
  elapsed = () => performance.now() / 1000,
): Authenticator {
  const access: Access = { clientId: Number(id), competitions: null, operations: null };
  const goodUntil = new Map<string, number>();
  return {
    async exchange(givenId, givenKey, now) {
      if (givenId !== id || givenKey !== secretKey) return null;
      for (const [token, until] of goodUntil) if (until <= elapsed()) goodUntil.delete(token);
      const token = randomBytes(16).toString('hex');
      goodUntil.set(token, elapsed() + TOKEN_SECONDS);
      return { token, expiration: now + TOKEN_SECONDS };
    },
    access(token) {
      const until = goodUntil.get(token);
      if (until === undefined || until <= elapsed()) return null;
      if (!faults.strikes('unauthorized')) return access;
      goodUntil.clear();
      return null;
    },
  };
}

const BURST = { min: 2, max: 6 } as const;

/** Injects the faults of connections and whole answers; those of content are in the data. `slowMs`: maximum delay, real milliseconds. */
function addFaultHooks(app: FastifyInstance, faults: RestFaults, slowMs: number): void {
  let burst = 0;
  app.addHook('onRequest', async (_request, reply) => {
    if (faults.strikes('timeout')) {
      // Sends no answer: the connection stays open until the client or the server closes it.
      reply.hijack();
      return;
    }
    if (faults.strikes('slow')) await sleep(faults.int('slow', Math.ceil(slowMs / 4), slowMs));
    if (burst > 0) faults.counts.server_error++;
    else if (faults.strikes('server_error')) burst = faults.int('server_error', BURST.min, BURST.max);
    else return;
    burst--;
    throw new RestError('INTERNAL');
  });
  app.addHook('onSend', async (_request, reply, payload) => {
    if (reply.statusCode !== 200 || !(typeof payload === 'string' || Buffer.isBuffer(payload)))
      return payload;
    const body = Buffer.from(payload);
    if (faults.strikes('broken_json')) {
      const half = body.subarray(0, body.length >> 1);
      reply.header('content-length', half.length);
      return half;
    }
    if (!faults.strikes('cut_body')) return payload;
    reply.header('content-length', body.length);
    return firstHalf(body);
  });
}

type ServeOptions = Omit<SimulatedProviderOptions, 'clock' | 'timeline'> &
  MatchSettings &
  Pick<PlayOptions, 'pace' | 'matches'> & { readonly port: number; readonly host: string };

export type ServedProvider = Awaited<ReturnType<typeof serveProvider>>;

/** Interval between checks of the clock, real milliseconds. */
const CLOCK_POLL_MS = 50;

/** Creates a provider and serves it, once everything was simulated to know the times: seconds for a whole season. Rejects when the port is in use. */
export async function serveProvider(options: ServeOptions) {
  const { pace, port, host } = options;
  const timeline = createTimeline(options.dataset, options, options.matches);
  const speed = 'speed' in pace ? pace.speed : timeline.length / pace.seconds;
  const clock = playClock(timeline.stretches, speed);
  const provider = createProvider({ ...options, timeline, clock });
  await provider.app.listen({ port, host });
  return {
    provider,
    port: (provider.app.server.address() as AddressInfo).port,
    speed,
    start: clock.start,
    reach: clock.reach,
    /** Resolves when the clock reaches the last message. Rejects when `signal` is aborted. */
    async allPublished(signal: AbortSignal) {
      while (provider.now() < provider.timeline.endsAt) await sleep(CLOCK_POLL_MS, undefined, { signal });
    },
    close: () => provider.app.close(),
  };
}
