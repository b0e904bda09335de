import { describe, expect, onTestFinished, test } from 'vitest';
import { readDataset } from '../../data/dataset.ts';
import { parseFaults } from './faults.ts';
import type { PlayOptions } from './player.ts';
import type { ProviderMessage } from './records.ts';
import { parseRestFaults } from './rest/faults.ts';
import { type ServedProvider, serveProvider } from './rest/provider.ts';
import { ProviderReader } from './rest/testing/reader.ts';
import { type SimulationSummary, simulate } from './service.ts';
import type { WebhookSender } from './webhook.ts';

const WORLD_CUP = readDataset('world-cup-2018');
const PLAY = {
  dataset: WORLD_CUP,
  matches: 2,
  seed: '1',
  faults: parseFaults('none'),
  keepAliveEvery: 30,
  clockEvery: 60,
  batchSize: 5,
  concurrency: 1,
  client: { id: '1', secretKey: 'a-secret-key-for-tests' },
} as const;
const AT_ONCE = { speed: Number.POSITIVE_INFINITY };

async function serve(pace: PlayOptions['pace'], restFaults = 'none') {
  const options = { ...PLAY, pace, port: 0, host: '127.0.0.1', tls: null };
  const rest = await serveProvider({ ...options, restFaults: parseRestFaults(restFaults) });
  onTestFinished(() => rest.close());
  return { rest };
}

/** A receiver that accepts everything and records the times. */
function accepting(onMessages: (messages: ProviderMessage[]) => void): WebhookSender {
  return {
    async deliver({ body }) {
      onMessages(JSON.parse(body.toString()));
      return { requests: 1, forged: null };
    },
    close() {},
  };
}

const ids = (messages: readonly ProviderMessage[]): number[] => messages.map(({ id }) => id);

function run(
  pace: PlayOptions['pace'],
  { rest, sender }: { rest: ServedProvider | null; sender: WebhookSender | null },
  keep: 'until stopped' | 'no longer' = 'no longer',
) {
  const summaries: SimulationSummary[] = [];
  const stop = new AbortController();
  const over = simulate({
    playing: { ...PLAY, pace },
    rest,
    sender,
    signal: stop.signal,
    onSummary: (summary) => {
      summaries.push(summary);
      if (keep === 'no longer') stop.abort();
    },
  });
  return { summaries, over, stop };
}

describe('a simulation', () => {
  test('with webhooks only ends when everything is accepted, with the complete summary', async () => {
    const got: ProviderMessage[] = [];
    const sender = accepting((messages) => got.push(...messages));
    const { summaries, over } = run(AT_ONCE, { rest: null, sender });
    await over;
    expect(summaries).toHaveLength(1);
    expect(summaries[0]).toMatchObject({ matches: 2, messages: got.length, delivered: got.length });
    expect(summaries[0]).not.toHaveProperty('rest');
  });

  test('with REST only plays everything, and serves until it is stopped', async () => {
    const { rest } = await serve({ seconds: 0.3 });
    const { summaries, over, stop } = run({ seconds: 0.3 }, { rest, sender: null }, 'until stopped');
    await expect.poll(() => summaries.length, { timeout: 60_000 }).toBe(1);
    const reader = new ProviderReader(rest.provider);
    const { startsAt } = rest.provider.timeline;
    const { data } = await reader.get('/v2/feed', { timestamp: startsAt });
    expect(summaries[0]).toMatchObject({ dataset: 'world-cup-2018', matches: 2, messages: data.length });
    stop.abort();
    await over;
    expect(summaries[1]?.rest?.faults).toMatchObject({ timeout: 0, webhook_loss: 0 });
  });

  test('with both has one clock: REST shows every delivered webhook message', async () => {
    const { rest } = await serve({ seconds: 1 });
    const ahead: number[] = [];
    const sender = accepting((messages) => {
      for (const { ut } of messages) ahead.push(ut - rest.provider.now());
    });
    const { over } = run({ seconds: 1 }, { rest, sender });
    await over;
    expect(ahead.length).toBeGreaterThan(500);
    // A delivery may be sent some milliseconds early.
    expect(Math.max(...ahead)).toBeLessThanOrEqual(rest.speed * 0.01);
  });

  test('with both and infinite speed has a clock that the deliveries drive', async () => {
    const { rest } = await serve(AT_ONCE);
    const ahead: number[] = [];
    const sender = accepting((messages) => ahead.push((messages.at(-1)?.ut ?? 0) - rest.provider.now()));
    const { over } = run(AT_ONCE, { rest, sender });
    await over;
    expect(new Set(ahead)).toEqual(new Set([0]));
  });

  test('with webhook_loss drops deliveries, so that only REST has their messages', async () => {
    const { rest } = await serve(AT_ONCE, 'webhook_loss=0.3');
    const got: ProviderMessage[] = [];
    const sender = accepting((messages) => got.push(...messages));
    const { summaries, over } = run(AT_ONCE, { rest, sender });
    await over;
    const published = rest.provider.published();
    const pushed = new Set(ids(got));
    const lost = ids(published).filter((id) => !pushed.has(id));
    expect(lost.length).toBeGreaterThan(published.length * 0.15);
    expect(ids(got).every((id) => new Set(ids(published)).has(id))).toBe(true);
    expect(summaries[0]).toMatchObject({ messages: published.length, delivered: got.length });
    expect(summaries[0]?.rest?.faults.webhook_loss).toBeGreaterThan(20);
  });
});
