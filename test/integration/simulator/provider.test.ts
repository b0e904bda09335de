import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '#service/testing/serve.ts';
import { until } from '../../support/poll.ts';
import { startService, type TestService } from '../../support/processes.ts';

const SECRET_KEY = 'a-secret-key-for-tests';

function start(settings: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'touchline-simulator-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'summary.json');
  const simulator = startService('simulator', {
    REST_PORT: '0',
    REST_SECRET_KEY: SECRET_KEY,
    MATCHES: '2',
    SUMMARY_FILE: file,
    ...settings,
  });
  return { simulator, summary: () => JSON.parse(readFileSync(file, 'utf8')) };
}

/** Where a simulator serves REST, as it says itself. */
async function urlOf(simulator: TestService): Promise<string> {
  await simulator.ready();
  const port = /"port":(\d+),"msg":"the provider's REST is served"/.exec(simulator.log)?.[1];
  return `http://127.0.0.1:${port}`;
}

type Api = { timestamp: number; data: { token: string; token_expiration: number } & { id: number }[] };

async function get(url: string): Promise<Api> {
  const { api } = (await (await fetch(url)).json()) as { api: Api };
  return api;
}

test('a simulator without webhooks serves REST until it is stopped, and tells no secret', async () => {
  const { simulator, summary } = start({ SPEED: 'max', REST_TOKEN_LIFETIME: '120' });
  const url = await urlOf(simulator);
  const { data, timestamp } = await get(`${url}/v2/oauth?client_id=1&secret_key=${SECRET_KEY}`);
  expect(data.token_expiration - timestamp).toBe(120);
  const feed = await get(`${url}/v2/feed?token=${data.token}`);
  await until('the summary is written', async () => simulator.log.includes('all was played') || undefined);
  expect(summary().messages).toBe(feed.data.length);
  expect(await simulator.metric('touchline_simulator_rest_answers_total')).toBe(2);
  expect(simulator.exited).toBe(false);
  expect(await simulator.stop()).toBe(0);
  expect(summary().rest.answers).toEqual({ 200: 2 });
  expect(simulator.log).not.toContain(data.token);
  expect(simulator.log).not.toContain(SECRET_KEY);
});

/** A receiver that accepts everything: where it is, and the messages that were pushed to it. */
async function receive(): Promise<{ settings: Readonly<Record<string, string>>; pushed: Set<number> }> {
  const pushed = new Set<number>();
  const url = await serve(async (request, response) => {
    const body = await buffer(request);
    for (const { id } of JSON.parse(body.toString())) pushed.add(id);
    response.end('Accepted');
  });
  const settings = {
    WEBHOOK_URL: `${url}/webhook`,
    WEBHOOK_SECRET: '0123456789abcdef0123456789abcdef',
  };
  return { settings, pushed };
}

test('a simulator with both ends by itself once it has served for REST_KEEP after the last push', async () => {
  const { settings, pushed } = await receive();
  const { simulator, summary } = start({ ...settings, DURATION: '2', REST_KEEP: '1' });
  const saidAt = (text: string): Promise<number> =>
    until(`the log says ${text}`, () => {
      const line = simulator.lines.find((one) => one.includes(text));
      return line === undefined ? undefined : JSON.parse(line).time;
    });
  // A second, but for what clocks round off.
  expect((await saidAt('"stopped"')) - (await saidAt('all was played'))).toBeGreaterThan(900);
  await until('it ended', async () => simulator.exited || undefined);
  expect(summary()).toMatchObject({ messages: pushed.size, rest: { answers: {} } });
});
