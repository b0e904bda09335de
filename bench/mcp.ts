/** Measures the tool endpoint: a call beside the same query through REST, and many sessions at once with their cost. */
import { join } from 'node:path';
import { hashToken, newToken, newTokenId } from '#clients/access-tokens.ts';
import { freePort } from '#embedded/ports.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { makePlace, writeMatches } from './api-topics.ts';
import { type Bench, type BenchContext, connectionEnv, format, quantile } from './context.ts';
import { remove } from './kafka.ts';
import { BenchMatch } from './matches.ts';
import { answered, type Running, startService } from './processes.ts';
import { sizeOf } from './size.ts';

const MATCHES = { matches: sizeOf(null, 150, 10), messages: 600, published: sizeOf(null, 200, 10) };
const CALLS = sizeOf('BENCH_CALLS', 1_000, 20);
const WARM_UP = sizeOf(null, 300, 5);
const ROUNDS = sizeOf(null, 2, 1);
const SESSIONS = sizeOf(null, 100, 5);
const CALLS_OF_SESSION = 30;
/** Number of calls with a token before the next token's turn: a token has 120 requests a minute. */
const CALLS_OF_TOKEN = 100;
const REVISION = '2026-07-28';
const CLIENTS_KEY = 'the key of the bench, long enough for it';

export const bench: Bench = {
  about: 'the tools: latency of a call beside the same query through REST, 100 sessions at once, memory',
  subject: ['libs/views', 'services/tool-gateway'],
  async run(context) {
    const prefix = context.prefix('tools');
    const credentials = await makePlace(context, prefix);
    const state = await writeMatches(context, { prefix, ...MATCHES });
    const tokens = new Tokens(await issueTokens(context, prefix, credentials.id, 400));
    const [apiPort, toolsPort] = [await freePort(), await freePort()];
    const env = connectionEnv(context, prefix);
    const api = startService('api', context.dir, {
      ...env,
      DATA_DIR: join(context.dir, 'tools-api'),
      API_PORT: String(apiPort),
      CLIENTS_KEY,
    });
    const metricsPort = await freePort();
    const gateway = startService('tool-gateway', context.dir, {
      ...env,
      DATA_DIR: join(context.dir, 'tools'),
      TOOLS_PORT: String(toolsPort),
      CLIENTS_KEY,
      METRICS_PORT: String(metricsPort),
    });
    await Promise.all([answered(apiPort, '/health/ready'), answered(metricsPort, '/health/ready')]);
    const login = `/v2/oauth?client_id=${credentials.id}&secret_key=${credentials.secret}`;
    const restToken: string = JSON.parse((await answered(apiPort, login)).toString()).api.data.token;
    const get = (path: string) => text(fetch(`http://127.0.0.1:${apiPort}${path}&token=${restToken}`));
    const call = (name: string, args: object) => text(callTool(toolsPort, tokens.next(), name, args));
    const day = (state.start_date ?? '').slice(0, 10);
    const id = state.event_id;
    await compare(context, 'one match', {
      tool: () => call('get_match', { match_id: id, timeline: 'all' }),
      rest: () => get(`/v2/events/${id}?x=1`),
    });
    const ids = Array.from(
      { length: MATCHES.matches },
      (_, n) => new BenchMatch(n, MATCHES.messages, n).eventId,
    );
    let turn = 0;
    const another = (): number => ids[turn++ % ids.length] ?? 0;
    await compare(context, 'another match each time', {
      // A different limit in each turn, so that no answer comes from the cache.
      tool: () =>
        call('get_match', {
          match_id: another(),
          timeline: 'all',
          limit: 1 + (Math.floor(turn / ids.length) % 50),
        }),
      rest: () => get(`/v2/events/${another()}?x=1`),
    });
    await compare(context, '50 live matches', {
      tool: () => call('live_board', { limit: 50 }),
      rest: () => get(`/v2/livescore?date_from=${day}&status_type=live&limit=50`),
    });
    await compare(context, 'the sports', {
      tool: () => call('list_sports', {}),
      rest: () => get('/v2/sports?x=1'),
    });
    await measureSessions(context, gateway, toolsPort, tokens);
    await Promise.all([api.stop(), gateway.stop()]);
    await remove(context.brokers, prefix);
  },
};

/** Tokens that are used in turns. */
class Tokens {
  readonly #tokens: readonly string[];
  #calls = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  /** Returns the token of the next call. */
  next(): string {
    return this.take(1);
  }

  /** Returns a token for this number of calls. */
  take(calls: number): string {
    const turn = Math.floor(this.#calls / CALLS_OF_TOKEN);
    this.#calls += calls;
    return this.#tokens[turn % this.#tokens.length] ?? '';
  }

  /** Switches to an unused token. */
  skip(): void {
    this.#calls = (Math.floor(this.#calls / CALLS_OF_TOKEN) + 1) * CALLS_OF_TOKEN;
  }
}

/** Writes tokens to their topic, because the exchange issues only ten to a client in a quarter of an hour. */
export async function issueTokens(
  { brokers, registryUrl }: BenchContext,
  prefix: string,
  clientId: number,
  count: number,
): Promise<string[]> {
  const codec = await Registry.open({ url: registryUrl, prefix }).codec('access-tokens');
  const silent = (): void => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const publisher = await openPublisher({ brokers, log, clientId: 'touchline-bench' });
  const tokens = Array.from({ length: count }, newToken);
  const now = Date.now();
  await publisher.publish(
    tokens.map((token) => {
      const token_id = newTokenId();
      const value = codec.encode({
        token_id,
        client_id: clientId,
        token_hash: hashToken(token),
        label: null,
        version: 1,
        created_at: now,
        expires_at: null,
        revoked_at: null,
        updated_at: now,
      });
      return { topic: topicName(prefix, 'access-tokens'), key: token_id, value };
    }),
  );
  await publisher.close();
  return tokens;
}

type Asked = { readonly tool: () => Promise<string>; readonly rest: () => Promise<string> };

/** Compares the two with one call after the other, in turns, so that a slower machine slows both down. */
async function compare(context: BenchContext, what: string, { tool, rest }: Asked): Promise<void> {
  const times: { tool: number[]; rest: number[] } = { tool: [], rest: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [side, ask] of [
      ['rest', rest],
      ['tool', tool],
    ] as const) {
      for (let n = 0; n < WARM_UP; n++) await ask();
      for (let n = 0; n < CALLS; n++) {
        const startedAt = performance.now();
        await ask();
        times[side].push(performance.now() - startedAt);
      }
    }
  }
  const line = (of: number[]) =>
    `p50 ${quantile(of, 0.5).toFixed(2)} p99 ${quantile(of, 0.99).toFixed(2)} ms`;
  context.print(`${what}: tool ${line(times.tool)}, REST ${line(times.rest)}`);
  context.figure({
    name: `a tool call, ${what}, p50`,
    unit: 'ms',
    ours: quantile(times.tool, 0.5),
    beside: { name: 'REST', value: quantile(times.rest, 0.5) },
    better: 'less',
    target: 2,
  });
}

/** Measures sessions of revision 2025-11-25, each with a stream, all calling at once. */
async function measureSessions(
  context: BenchContext,
  gateway: Running,
  port: number,
  tokens: Tokens,
): Promise<void> {
  const before = await gateway.residentMiB();
  const over = new AbortController();
  const sessions = await Promise.all(
    Array.from({ length: SESSIONS }, async () => {
      tokens.skip();
      const token = tokens.take(CALLS_OF_TOKEN);
      const initialize = {
        jsonrpc: '2.0',
        id: 0,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'bench', version: '1' },
        },
      };
      const answer = await post(port, token, initialize, {});
      await answer.text();
      const id = answer.headers.get('mcp-session-id') ?? '';
      const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream', 'mcp-session-id': id };
      const stream = await fetch(`http://127.0.0.1:${port}/mcp`, { headers, signal: over.signal });
      if (!stream.ok) throw new Error(`a stream was answered ${stream.status}`);
      return { token, id };
    }),
  );
  const opened = await gateway.residentMiB();
  const times: number[] = [];
  const startedAt = performance.now();
  await Promise.all(
    sessions.map(async ({ token, id }) => {
      const call = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'live_board', arguments: {} },
      };
      for (let n = 0; n < CALLS_OF_SESSION; n++) {
        const sentAt = performance.now();
        await text(post(port, token, call, { 'mcp-session-id': id }));
        times.push(performance.now() - sentAt);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await gateway.residentMiB();
  over.abort();
  context.print(
    `${SESSIONS} sessions with a stream each, all calling: ${format(times.length / seconds)} calls/s, ` +
      `p50 ${quantile(times, 0.5).toFixed(1)} p99 ${quantile(times, 0.99).toFixed(1)} ms; resident ${format(before.now)} MiB ` +
      `before, ${format(opened.now)} with the sessions, ${format(after.now)} after the calls`,
  );
}

function callTool(port: number, token: string, name: string, args: object): Promise<Response> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } };
  const headers = { 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/call', 'mcp-name': name };
  return post(port, token, request, headers);
}

function post(
  port: number,
  token: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

/** Returns the body of a successful answer. Throws on any other answer. */
async function text(asked: Promise<Response>): Promise<string> {
  const response = await asked;
  const body = await response.text();
  if (!response.ok || body.includes('"isError":true'))
    throw new Error(`answered ${response.status}: ${body.slice(0, 300)}`);
  return body;
}
