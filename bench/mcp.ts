/** Measures a call of a tool beside the same query through REST. */
import { join } from 'node:path';
import { hashToken, newToken, newTokenId } from '#clients/access-tokens.ts';
import { freePort } from '#embedded/ports.ts';
import { publishValues } from '../test/support/publish-values.ts';
import { CLIENTS_KEY, startApi, tokenOf } from './api-process.ts';
import { createTopicsWithClient, writeMatches } from './api-topics.ts';
import { type Bench, type BenchContext, connectionEnv, describeMs, quantile } from './context.ts';
import { remove } from './kafka.ts';
import { BenchMatch } from './matches.ts';
import { answered, startService } from './processes.ts';
import { sizeOf } from './size.ts';
import { Turns } from './turns.ts';

const MATCHES = { matches: sizeOf(null, 150, 10), messages: 600, published: sizeOf(null, 200, 10) };
const CALLS = sizeOf('BENCH_CALLS', 1_000, 20);
const ROUNDS = sizeOf(null, 2, 1);
/** Number of calls with a token before the next token's turn: a token has 120 requests a minute. */
const CALLS_OF_TOKEN = 100;
const TOKENS = 200;
const REVISION = '2026-07-28';

/** Calls are sent one after the other. */
export const bench: Bench = {
  about: 'the tools: latency of a call beside the same query through REST',
  subject: ['libs/views', 'services/tool-gateway'],
  async run(context) {
    const prefix = context.prefix('tools');
    const credentials = await createTopicsWithClient(context, prefix);
    const state = await writeMatches(context, { prefix, ...MATCHES });
    const tokens = await issueTokens(context, prefix, credentials.id);
    const api = await startApi(context, prefix, 'tools-api');
    const [toolsPort, metricsPort] = [await freePort(), await freePort()];
    const gateway = startService('tool-gateway', context.dir, {
      ...connectionEnv(context, prefix),
      DATA_DIR: join(context.dir, 'tools'),
      TOOLS_PORT: String(toolsPort),
      CLIENTS_KEY,
      METRICS_PORT: String(metricsPort),
    });
    await answered(metricsPort, '/health/ready');
    const restToken = await tokenOf(api.port, credentials);
    const get = (path: string) => succeed(fetch(`http://127.0.0.1:${api.port}${path}&token=${restToken}`));
    let calls = 0;
    const call = (name: string, args: object) => {
      const token = tokens[Math.floor(calls++ / CALLS_OF_TOKEN) % tokens.length] ?? '';
      return succeed(callTool(toolsPort, token, name, args));
    };
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
    await Promise.all([api.process.stop(), gateway.stop()]);
    await remove(context.brokers, prefix);
  },
};

/** Writes tokens to their topic, because the exchange issues only ten to a client in a quarter of an hour. */
async function issueTokens(context: BenchContext, prefix: string, clientId: number): Promise<string[]> {
  const created_at = Date.now();
  const tokens = Array.from({ length: TOKENS }, newToken);
  const records = tokens.map((token) => {
    const token_id = newTokenId();
    const value = {
      token_id,
      client_id: clientId,
      token_hash: hashToken(token),
      label: null,
      version: 1,
      created_at,
      expires_at: null,
      revoked_at: null,
      updated_at: created_at,
    };
    return { key: token_id, value };
  });
  const { brokers, registryUrl } = context;
  await publishValues({ brokers: [...brokers], registryUrl, prefix }, 'access-tokens', records);
  return tokens;
}

type Asked = { readonly tool: () => Promise<void>; readonly rest: () => Promise<void> };

async function compare(context: BenchContext, what: string, { tool, rest }: Asked): Promise<void> {
  context.print(`${what}:`);
  const ours = { name: 'tool', ask: tool };
  const peer = { name: 'REST', ask: rest };
  const turns = await Turns.take(context, {
    rounds: ROUNDS,
    subjects: [peer, ours],
    async measure({ ask }) {
      const times: number[] = [];
      for (let n = 0; n < CALLS; n++) {
        const startedAt = performance.now();
        await ask();
        times.push(performance.now() - startedAt);
      }
      return times;
    },
    describe: describeMs,
  });
  turns.compare(ours, peer, {
    name: `a tool call, ${what}, p50`,
    unit: 'ms',
    better: 'less',
    target: 2,
    of: (times) => quantile(times, 0.5),
  });
}

function callTool(port: number, token: string, name: string, args: object): Promise<Response> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } };
  return fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify(request),
  });
}

/** Reads an answer. Rejects when it is not a successful one. */
async function succeed(asked: Promise<Response>): Promise<void> {
  const response = await asked;
  const body = await response.text();
  if (!response.ok || body.includes('"isError":true'))
    throw new Error(`answered ${response.status}: ${body.slice(0, 300)}`);
}
