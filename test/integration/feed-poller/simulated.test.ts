import { expect, test } from 'vitest';
import { readDataset } from '../../../data/dataset.ts';
import { backbone } from '../../setup/backbone.ts';
import { connectionEnv } from '../../support/environment.ts';
import { Pipeline, type PipelineOutput } from '../../support/pipeline.ts';
import { until } from '../../support/poll.ts';
import { startService } from '../../support/processes.ts';
import { type Provider, startProvider } from '../../support/system.ts';
import type { JsonRecord } from './provider.ts';

const MATCHES = Number(process.env.SIMULATED_MATCHES ?? 4);

type Answer = { readonly api: { readonly data: unknown; readonly method: { readonly total_items: number } } };

/** Returns the data of an answer of the provider; null for none, or one with fewer items than it has. */
async function read(path: string, query: Record<string, string>): Promise<unknown> {
  const url = `${path}?${new URLSearchParams(query)}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
  const answer = (response?.ok ? await response.json().catch(() => null) : null) as Answer | null;
  const { data = null, method } = answer?.api ?? {};
  return Array.isArray(data) && data.length !== method?.total_items ? null : data;
}

/** Returns the expected incidents of an event in match state: those that the provider lists, with their confirmation. */
function listed({ url, client }: Provider, event: number): Promise<string[]> {
  return until(`the incidents of ${event} can be read`, async () => {
    const access = { client_id: client.id, secret_key: client.secret };
    const { token = '' } = ((await read(`${url}/v2/oauth`, access)) ?? {}) as { token?: string };
    const query = { deleted: 'no', limit: '500', token };
    const incidents = (await read(`${url}/v2/events/${event}/incidents`, query)) as JsonRecord[] | null;
    return incidents?.map(({ id, confirmation }) => `${id} ${confirmation ?? null}`).toSorted();
  });
}

function known({ incidents }: PipelineOutput, event: number): string[] {
  return [...incidents.values()]
    .filter(({ event_id, removed, incident }) => event_id === event && !removed && incident !== null)
    .map(({ id, incident }) => `${id} ${incident?.confirmation ?? null}`)
    .toSorted();
}

test('has every score and incident of a provider that is only polled, with faults of every kind', async () => {
  const pipeline = await Pipeline.create({ ...backbone(), services: ['feed-poller', 'match-processor'] });
  const processor = pipeline.startProcessor();
  const provider = await startProvider({
    REST_FAULTS: process.env.SIMULATED_FAULTS ?? 'some',
    FAULTS: 'some',
    MATCHES: String(MATCHES),
    DURATION: String(Math.min(60, 2 * MATCHES)),
  });
  const poller = startService('feed-poller', {
    ...connectionEnv(pipeline.connection),
    PROVIDER_BASE_URL: provider.url,
    PROVIDER_CLIENT_ID: provider.client.id,
    PROVIDER_SECRET_KEY: provider.client.secret,
    FEED_PERIOD_MS: '200',
    FEED_WINDOW_SECONDS: '7200',
    FEED_INITIAL_SECONDS: String(30 * 86_400),
    LIVESCORE_PERIOD_MS: '500',
    SCHEDULE_PERIOD_MS: '1000',
    CATALOGUE_PERIOD_MS: '1000',
    UNCONFIRMED_PERIOD_MS: '500',
    SILENCE_MS: '1000',
    VERIFY_PERIOD_MS: '1000',
    VERIFY_DAYS: '36500',
    REQUEST_TIMEOUT_MS: '1000',
    RETRY_FIRST_MS: '50',
    RETRY_CEILING_MS: '1000',
  });
  await Promise.all([processor.ready(), poller.ready()]);
  await provider.service.logged('all was played');

  const matches = readDataset('world-cup-2018').matches.slice(0, MATCHES);
  let differs: unknown;
  await until('every match is as the provider has it', async () => {
    const output = await pipeline.output();
    // Read each time: some of this provider's lists are empty, or older than its last change.
    const wanted = new Map<number, string[]>();
    for (const { id } of matches) wanted.set(id, await listed(provider, id));
    const wrong = matches.flatMap(({ id, ft, et }) => {
      const state = output.states.get(id);
      const [home, away] = et ?? ft;
      const found = { score: state?.firm, status: state?.status_type, incidents: known(output, id) };
      const should = { score: { home, away }, status: 'finished', incidents: wanted.get(id) };
      return JSON.stringify(found) === JSON.stringify(should) ? [] : [{ id, found, should }];
    });
    differs = wrong;
    return wrong.length === 0 ? true : undefined;
  }).catch(() => expect(differs).toEqual([]));
  expect(await poller.metric('touchline_poller_retries_total')).toBeGreaterThan(0);
});
