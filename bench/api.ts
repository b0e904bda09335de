/** The served contract: requests beside a bare route, freshness, and what many events cost. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '#embedded/ports.ts';
import { type BenchCredentials, environment, makePlace, writeMatches } from './api-topics.ts';
import { type Bench, type BenchContext, format, quantile } from './context.ts';
import type { GetLoadOptions, GetLoadResult } from './get-load.ts';
import { remove } from './kafka.ts';
import { BenchMatch } from './matches.ts';
import { answered, type Running, start, startService } from './processes.ts';
import { sizeOf, sizesOf } from './size.ts';
import { WebhookClient } from './webhook-client.ts';

const SECONDS = sizeOf('BENCH_SECONDS', 10, 1);
const CONNECTIONS = 16;
/** Matches of the board, and messages published of each. */
const BOARD = { matches: 150, messages: 600, published: 200 };
/** How many events start-up and memory are measured with. */
const EVENTS = sizesOf('BENCH_EVENTS', [10_000, 100_000], [100]);
const MESSAGES_OF_EVENT = 12;
const FRESH = sizeOf('BENCH_MESSAGES', 1_000, 20);
const READY_MS = 900_000;
/** Time limit for the board to show a change. */
const BOARD_MS = 10_000;

export const bench: Bench = {
  about: 'the served contract: requests/s beside a bare Fastify route, freshness, start-up and memory',
  subject: ['libs/contract', 'libs/views', 'services/api'],
  async run(context) {
    await measureRequests(context);
    await measureFreshness(context);
    for (const events of EVENTS) await measureStart(context, events);
  },
};

/** A replica that is ready. */
type Api = { readonly process: Running; readonly port: number; readonly readyMs: number };

async function startApi(context: BenchContext, prefix: string, folder: string): Promise<Api> {
  const port = await freePort();
  const startedAt = performance.now();
  const process = startService('api', context.dir, {
    ...environment(context, prefix),
    DATA_DIR: join(context.dir, folder),
    API_PORT: String(port),
    CLIENTS_KEY: 'the key of the bench, long enough for it',
    API_BOARD: 'on',
  });
  await answered(port, '/health/ready');
  return { process, port, readyMs: performance.now() - startedAt };
}

async function tokenOf(port: number, { id, secret }: BenchCredentials): Promise<string> {
  const body = await answered(port, `/v2/oauth?client_id=${id}&secret_key=${secret}`);
  return JSON.parse(body.toString()).api.data.token;
}

/** A board of live matches and one match, each beside a bare route that sends as many bytes. */
async function measureRequests(context: BenchContext): Promise<void> {
  const prefix = context.prefix('requests');
  const credentials = await makePlace(context, prefix);
  const state = await writeMatches(context, { prefix, ...BOARD });
  const api = await startApi(context, prefix, 'requests');
  const token = await tokenOf(api.port, credentials);
  const day = (state.start_date ?? '').slice(0, 10);
  for (const [name, path] of [
    ['livescore of 150 live events', `/v2/livescore?date_from=${day}&status_type=live&token=${token}`],
    ['one event', `/v2/events/${state.event_id}?token=${token}`],
  ] as const) {
    const body = await answered(api.port, path);
    const bare = await startBare(context, body);
    // By turns, so that a machine that slows down slows both down.
    const rounds: [GetLoadResult, GetLoadResult][] = [];
    for (let round = 0; round < 2; round++) {
      rounds.push([await load(api.port, path), await load(bare.port, '/ready')]);
    }
    await bare.process.stop();
    for (const [ours, theirs] of rounds) context.print(`${name}: ${line(ours)}; bare route ${line(theirs)}`);
    const mean = (side: 0 | 1, of: 'perSecond' | 'p99') =>
      rounds.reduce((sum, round) => sum + round[side][of], 0) / rounds.length;
    const beside = (of: 'perSecond' | 'p99') => ({ name: 'bare route', value: mean(1, of) });
    context.figure({
      name,
      unit: 'requests/s',
      ours: mean(0, 'perSecond'),
      beside: beside('perSecond'),
      target: 0.5,
    });
    context.figure({
      name: `${name}, p99`,
      unit: 'ms',
      ours: mean(0, 'p99'),
      beside: beside('p99'),
      better: 'less',
    });
  }
  await api.process.stop();
  await remove(context.brokers, prefix);
}

async function startBare(context: BenchContext, body: Buffer): Promise<{ process: Running; port: number }> {
  const port = await freePort();
  const file = join(context.dir, `bare-${port}.json`);
  await writeFile(file, body);
  const process = start({
    command: globalThis.process.execPath,
    args: [join(import.meta.dirname, 'bare-get.ts'), String(port), file],
    outputFile: join(context.dir, `bare-${port}.log`),
  });
  await answered(port, '/ready');
  return { process, port };
}

async function load(port: number, path: string): Promise<GetLoadResult> {
  const options: GetLoadOptions = {
    port,
    path,
    connections: CONNECTIONS,
    seconds: SECONDS,
    warmUpSeconds: sizeOf(null, 2, 0.5),
  };
  const script = join(import.meta.dirname, 'get-load.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(options)]);
  return JSON.parse(stdout);
}

function line({ perSecond, bytes, p50, p99 }: GetLoadResult): string {
  return `${format(perSecond)} requests/s of ${format(bytes)} bytes, p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms`;
}

/**
 * Time from the answer to a webhook until REST shows its incident, polled without a pause, and until the board's stream
 * sends the match: one message after the other.
 */
async function measureFreshness(context: BenchContext): Promise<void> {
  const prefix = context.prefix('fresh');
  const credentials = await makePlace(context, prefix);
  const secret = randomBytes(16).toString('hex');
  const webhookPort = await freePort();
  const receiver = startService('webhook-receiver', context.dir, {
    ...environment(context, prefix),
    WEBHOOK_PORT: String(webhookPort),
    WEBHOOK_SECRET: secret,
  });
  const processor = startService('match-processor', context.dir, environment(context, prefix));
  const api = await startApi(context, prefix, 'fresh');
  const token = await tokenOf(api.port, credentials);
  const client = new WebhookClient(`http://127.0.0.1:${webhookPort}/webhook`, secret);
  await client.untilReady(READY_MS);
  const live = Array.from({ length: 50 }, (_, match) => new BenchMatch(match, 600, match));
  const board = await followBoard(api.port);
  const times: number[] = [];
  const boardTimes: number[] = [];
  const warmUp = Math.min(200, FRESH);
  for (let n = 0; n < warmUp + FRESH; n++) {
    const match = live[n % live.length] as BenchMatch;
    const { message, eventId } = match.next();
    const { id } = (message as { data: { incident: { id: string } } }).data.incident;
    const sentAt = performance.now();
    await client.post(Buffer.from(JSON.stringify([message])));
    const acceptedAt = performance.now();
    const path = `/v2/events/${eventId}/incidents?limit=500&deleted=no&token=${token}`;
    while (!(await shows(api.port, path, id)) && performance.now() - acceptedAt < 10_000);
    const shownAt = performance.now();
    const boardShownAt = await board.shown(eventId, sentAt);
    if (n < warmUp) continue;
    times.push(shownAt - acceptedAt);
    boardTimes.push(Math.max(0, boardShownAt - acceptedAt));
  }
  for (const [what, of] of [
    ['REST', times],
    ['the board', boardTimes],
  ] as const) {
    const at = (share: number) => quantile(of, share).toFixed(1);
    context.print(
      `freshness of ${what}: p50 ${at(0.5)} p99 ${at(0.99)} max ${at(1)} ms of ${of.length} messages`,
    );
  }
  board.close();
  client.close();
  for (const running of [receiver, processor, api.process]) await running.stop();
  await remove(context.brokers, prefix);
}

/** The board's stream of server-sent events: when it sent a match, on the clock of `performance.now`. */
async function followBoard(
  port: number,
): Promise<{ shown(eventId: number, since: number): Promise<number>; close(): void }> {
  const over = new AbortController();
  const { body, status } = await fetch(`http://127.0.0.1:${port}/board/events`, { signal: over.signal });
  if (status !== 200) throw new Error(`the board's stream was answered ${status}`);
  const shownAt = new Map<number, number>();
  const read = async (): Promise<void> => {
    let text = '';
    for await (const part of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const frames = (text + part).split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        const [, data] = /^event: match\ndata: (.*)$/.exec(frame) ?? [];
        if (data !== undefined) shownAt.set(JSON.parse(data).event_id, performance.now());
      }
    }
  };
  read().catch(() => {});
  return {
    async shown(eventId, since) {
      for (;;) {
        const at = shownAt.get(eventId) ?? 0;
        if (at >= since) return at;
        if (performance.now() - since > BOARD_MS) throw new Error(`the board did not show ${eventId}`);
        await delay(1);
      }
    },
    close: () => over.abort(),
  };
}

async function shows(port: number, path: string, text: string): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return (await response.text()).includes(`"${text}"`);
}

/** What a replica takes to build its views of so many events, to start on them again, and to hold them. */
async function measureStart(context: BenchContext, events: number): Promise<void> {
  const prefix = context.prefix(`start-${events}`);
  await makePlace(context, prefix);
  await writeMatches(context, { prefix, matches: events, messages: 600, published: MESSAGES_OF_EVENT });
  const folder = `start-${events}`;
  for (const what of ['built anew', 'taken over']) {
    const { process: running, readyMs } = await startApi(context, prefix, folder);
    const memory = await running.residentMiB();
    context.print(
      `${format(events)} events of ${MESSAGES_OF_EVENT} messages, views ${what}: ready after ${format(readyMs / 1_000)} s, ${format(memory.now)} MiB resident`,
    );
    await running.stop();
  }
  await remove(context.brokers, prefix);
}
