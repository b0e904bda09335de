/** Opens the programs and pages that show what may be traded, and reads each. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import type { Alert } from '#records/types.ts';
import { CHROMIUM, openBrowser, Visit } from '../../integration/board/browser.ts';
import { atEnd } from '../../support/at-end.ts';
import { commandLine } from '../../support/bundled.ts';
import { times } from '../../support/harness.ts';
import type { Pipeline } from '../../support/pipeline.ts';
import { until } from '../../support/poll.ts';
import type { System } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { Gateway } from '../../support/tool-gateway.ts';
import { LEVEL_IDS } from '../contract/fed.ts';
import { READER_EXAMPLES, ReaderProcess } from '../examples/reader-examples.ts';
import { ProgramOutput, READING_INTERVAL_MS, type Surface, type SurfaceState } from './surfaces.ts';

/** Number of tokens that are used in turns: a token has 120 requests a minute. */
const TOKENS = Math.ceil(600 / READING_INTERVAL_MS);
const ASK = { timeout: 1_000 };
type Env = Readonly<Record<string, string>>;

/** Opens the board and the page of a match in a browser. */
export async function ofBoard(url: string, eventId: number): Promise<Surface[]> {
  if (CHROMIUM === null) return [];
  const browser = await openBrowser();
  const origin = url.replace('127.0.0.1', 'localhost');
  const page = (visit: Visit, within: string) => (): Promise<SurfaceState> =>
    visit.ask(`(() => {
      // Not innerText: a row outside of the window has none.
      const isShown = (one) => getComputedStyle(one).display !== 'none' && (one.matches('body') || isShown(one.parentElement));
      const own = (one) => [...one.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map((text) => text.data);
      const text = [...document.querySelectorAll('${within}, ${within} *')].filter(isShown).flatMap(own).join(' ').replace(/\\s+/g, ' ');
      return /Safe to trade/.test(text) ? 'safe' : /halted/i.test(text) ? 'halted' : /\\b(FT|Final)\\b/.test(text) ? 'not_in_play' : null;
    })()`);
  const board = await Visit.open(browser, origin);
  await board.shows(`#match-${eventId}`, 'Home');
  const match = await Visit.open(browser, `${origin}/match/${eventId}`);
  return [
    { name: 'board', read: page(board, `#match-${eventId}`) },
    { name: 'match page', read: page(match, 'main .guard') },
  ];
}

/** Reads the header of the answer to a request of one event. */
export function ofRest(url: string): Surface {
  return {
    name: 'REST',
    async read() {
      const { headers } = await fetch(url, { signal: AbortSignal.timeout(1_000) });
      const [, state = ''] = /match=(\w+)/.exec(headers.get('x-feed-health') ?? '') ?? [];
      if (state === 'ended') return 'not_in_play';
      return state === 'alive' || state === 'recovered' ? 'safe' : 'halted';
    },
  };
}

/** Adds a client of the tools. Returns a function that connects it once more, by the official library. */
export async function toolClient(system: System, gateway: Gateway): Promise<() => Promise<Client>> {
  const { id, secret } = await system.addClient('assistant');
  return async () => {
    const token = await until('a token is issued', async () => {
      const { body } = await gateway.exchange({ client_id: id, secret_key: secret });
      return body.token;
    });
    const client = new Client(
      { name: 'assistant', version: '1.0.0' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', gateway.url), { requestInit }));
    atEnd(() => client.close());
    return client;
  };
}

/** Reads the match from two tools of the gateway in turns, by several clients in turns. Its state is unknown where the tools differ. */
export async function ofTools(connect: () => Promise<Client>, eventId: number): Promise<Surface> {
  const asking = await Promise.all(Array.from({ length: TOKENS }, connect));
  const tools = [
    { name: 'get_match', arguments: { match_id: eventId } },
    { name: 'list_matches', arguments: { season_id: LEVEL_IDS.season_id } },
  ];
  const said = new Map<string, SurfaceState>();
  return {
    name: '/mcp',
    async read() {
      const client = inTurn(asking);
      const tool = inTurn(tools);
      said.delete(tool.name);
      const { structuredContent } = await client.callTool(tool, ASK);
      const found = structuredContent as Guarded & { readonly matches?: readonly (Guarded & MatchId)[] };
      const { guard } = found.matches?.find(({ match_id }) => match_id === eventId) ?? found;
      said.set(tool.name, guard.trading);
      const states = new Set(said.values());
      if (states.has('safe')) return 'safe';
      return states.size === 1 ? guard.trading : null;
    },
  };
}

type MatchId = { readonly match_id: number };

/** Returns the first of these, and makes it the last. */
function inTurn<T>(all: T[]): T {
  const first = all.shift() as T;
  all.push(first);
  return first;
}

type Guarded = { readonly guard: { readonly trading: SurfaceState } };

const SAYS: Readonly<Record<string, SurfaceState>> = {
  safe: 'safe',
  halted: 'halted',
  'not in play': 'not_in_play',
};

/** Opens `touchline doctor --watch` in a terminal. It shows feeds, no matches. */
export function ofDoctor(env: Env): Surface {
  const doctor = inTerminal('doctor --watch', env);
  return {
    name: 'doctor',
    read() {
      const states = [/\bwebhook\s+(\w+)/g, /\bfeed\s+(\w+)/g].map((pattern) => doctor.last(pattern));
      if (states.every((state) => state === null)) return null;
      return states.some((state) => state === 'alive' || state === 'recovered') ? 'safe' : 'halted';
    },
  };
}

/** Opens `touchline match --follow` and `touchline live` in a terminal; there is one live match. */
export function ofScreens(env: Env, eventId: number): Surface[] {
  const [match, live] = [inTerminal(`match ${eventId} --follow`, env), inTerminal('live', env)];
  return [
    {
      name: 'match',
      read: () => SAYS[match.last(/trading (safe|halted|not in play)/g) ?? ''] ?? null,
    },
    {
      name: 'live',
      read() {
        const safe = live.last(/\b1 live, (\d) safe/g);
        return safe === null ? null : safe === '1' ? 'safe' : 'halted';
      },
    },
  ];
}

const PRESENT = READER_EXAMPLES.filter(({ present }) => present);
/** The example readers of this machine: in a usual run one, as test/system/examples/cases.test.ts has the rule of each language. */
const READERS = times(PRESENT, PRESENT.slice(0, 2).slice(-1));
export const READER_NAMES = READERS.map(({ name }) => `reader in ${name}`);

/** Starts the example readers. */
export async function ofReaders(env: Env, eventId: number): Promise<Surface[]> {
  const commands = await Promise.all(READERS.map((example) => example.prepare()));
  return commands.map((command, index): Surface => {
    const group = `${env.TOPIC_PREFIX}reader-${index}`;
    const reader = new ReaderProcess(command, { ...env, READER_GROUP: group });
    return {
      name: READER_NAMES[index] ?? '',
      read: () => reader.guards().get(eventId)?.permission ?? null,
    };
  });
}

/** `touchline alerts`, which prints nothing about a believed match, and one line when it is no longer believed. */
export class Alerts {
  readonly surface: Surface;
  readonly #lines: Alert[] = [];
  readonly #eventId: number;

  constructor(env: Env, eventId: number) {
    this.#eventId = eventId;
    const rules = join(temporaryFolder(), 'rules.json');
    const on = ['match_stale', 'match_recovered', 'match_halted', 'match_resumed', 'guard_closed', 'final'];
    writeFileSync(rules, JSON.stringify({ rules: [{ name: 'belief', on }] }));
    const output = new ProgramOutput(process.execPath, [commandLine(), 'alerts', '--rules', rules], env);
    output.onLine((line) => this.#lines.push(JSON.parse(line)));
    this.surface = {
      name: 'alerts',
      read: () => {
        const last = this.#lines.findLast(({ event_id }) => event_id === eventId);
        if (last === undefined) return 'safe';
        if (last.kind === 'final') return 'not_in_play';
        // The alert of an end names what still is against trading.
        const ends = last.kind === 'match_recovered' || last.kind === 'match_resumed';
        return ends && last.reasons.length === 0 ? 'safe' : 'halted';
      },
    };
  }

  /** Expects each episode of the match once on the topic, with its begin and its end in turns, and each alert printed once. */
  async expectPublishedOnce(pipeline: Pipeline): Promise<void> {
    const published: string[] = [];
    await pipeline.read('alerts', ({ id }) => published.push(id));
    const episodes = published.filter(
      (id) => /\/match_(?:stale|recovered)\//.test(id) && id.includes(`/${this.#eventId}/`),
    );
    const begun = episodes.filter((_, index) => index % 2 === 0);
    expect(episodes).toEqual(begun.flatMap((id) => [id, id.replace('match_stale', 'match_recovered')]));
    expect(new Set(episodes).size).toBe(episodes.length);
    const printed = this.#lines.map(({ id }) => id);
    expect(new Set(printed).size).toBe(printed.length);
  }
}

/** Runs a command of touchline in a wide terminal. */
function inTerminal(command: string, env: Env): ProgramOutput {
  const sized = `stty cols 200 rows 50; ${process.execPath} ${commandLine()} ${command}`;
  return new ProgramOutput('script', ['-qfec', sized, '/dev/null'], env);
}
