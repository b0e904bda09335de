/**
 * Guesses secrets at 200 a second at every endpoint that accepts one: clients with the right secret must
 * hardly notice.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { newSecret } from '#clients/keys.ts';
import { backbone } from '../../setup/backbone.ts';
import { clients, credentialsOf, startApi } from '../../support/api.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import type { TestService } from '../../support/processes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startGateway } from '../../support/tool-gateway.ts';

const GUESSES_A_SECOND = 200;
const GUESSES = 1_200;
/** Number of right attempts: at the exchange a client has ten in 15 minutes. */
const RIGHT = 8;
/** Limit of the median of right attempts; on an idle machine all are below it. */
const MEDIAN_MS = 1_000;
/** Limit of each right attempt on a machine that runs other tests; without rate limits it was half a minute. */
const WORST_MS = 5_000;
const GROWTH_BYTES = 150 * 1024 * 1024;
const LAG_SECONDS = 1;

const KNOWN = 1;
const OTHER = 2;

const connection = backbone();
let secret: string;
let doors: Readonly<Record<string, Door>>;

type Credentials = { readonly id: number; readonly secret: string; readonly address: string };
/** An endpoint for secrets. */
type Door = {
  readonly service: TestService;
  readonly request: (id: number, secret: string) => [url: string, init?: RequestInit];
  readonly accepted: number;
  /** Clients whose secrets are guessed, beside unknown clients. */
  readonly guessed: readonly number[];
};

beforeAll(async () => {
  await Pipeline.create(connection);
  const secrets = [];
  for (const id of [KNOWN, OTHER])
    secrets.push(credentialsOf(await clients(connection, `add --id ${id} --name guessed`)).secret);
  secret = secrets[0] ?? '';
  const api = await startApi(connection, temporaryFolder(), { TRUSTED_PROXIES: '127.0.0.1' });
  const gateway = await startGateway(connection, api.url);
  const post = { method: 'POST' };
  doors = {
    '/v2/oauth': {
      service: api.service,
      accepted: 200,
      guessed: [KNOWN, OTHER],
      request: (id, given) => [`${api.url}/v2/oauth?client_id=${id}&secret_key=${given}`],
    },
    'the sign-in': {
      service: api.service,
      accepted: 303,
      guessed: [KNOWN, OTHER],
      request: (id, given) => {
        const body = new URLSearchParams({ client_id: String(id), secret_key: given });
        return [`${api.url}/sign-in`, { ...post, body }];
      },
    },
    'the exchange': {
      service: gateway.service,
      accepted: 201,
      // By the contract a client under attack is locked out; another one is not.
      guessed: [OTHER],
      request: (id, given) => {
        const body = JSON.stringify({ client_id: String(id), secret_key: given });
        const headers = { 'content-type': 'application/json' };
        return [`${gateway.url}/api/v1/token`, { ...post, headers, body }];
      },
    },
  };
  const right = { id: KNOWN, secret, address: '192.0.2.1' };
  await untilTrue('the client is known', async () => (await send(doors['/v2/oauth'] as Door, right)) === 200);
});

/** Resolves to the status of the answer. */
async function send({ request }: Door, { id, secret: given, address }: Credentials): Promise<number> {
  const [url, { headers, ...init } = {}] = request(id, given);
  const from = { ...(headers as object), 'x-forwarded-for': address };
  const response = await fetch(url, { ...init, headers: from, redirect: 'manual' });
  await response.arrayBuffer();
  return response.status;
}

/**
 * Sends wrong secrets, each from another address, and calls `onNth` for each. Returns the number of answers
 * by status.
 */
async function guess(door: Door, onNth: (n: number) => void): Promise<Map<number, number>> {
  const answers = new Map<number, number>();
  const pending: Promise<void>[] = [];
  const began = performance.now();
  for (let n = 0; n < GUESSES; n++) {
    onNth(n);
    const address = `198.18.${n >> 8}.${n % 256}`;
    const answered = send(door, { id: door.guessed[n % 3] ?? 1_000 + n, secret: newSecret(), address });
    pending.push(answered.then((status) => void answers.set(status, (answers.get(status) ?? 0) + 1)));
    await delay(Math.max(0, began + ((n + 1) * 1_000) / GUESSES_A_SECOND - performance.now()));
  }
  await Promise.all(pending);
  return answers;
}

describe(`${GUESSES_A_SECOND} wrong secrets a second`, () => {
  test.each(['/v2/oauth', 'the sign-in', 'the exchange'])('at %s delay no right one', async (name) => {
    const door = doors[name] as Door;
    const memory = () => door.service.metric('process_resident_memory_bytes');
    const before = await memory();
    const timed = async (address: string): Promise<number> => {
      const asked = performance.now();
      expect(await send(door, { id: KNOWN, secret, address })).toBe(door.accepted);
      return performance.now() - asked;
    };
    const right: Promise<number>[] = [];
    const answers = await guess(door, (n) => {
      if (n % (GUESSES / RIGHT) === 0) right.push(timed(`192.0.2.${2 + right.length}`));
    });
    const took = (await Promise.all(right)).sort((a, b) => a - b);
    expect(answers.has(door.accepted)).toBe(false);
    expect(took[RIGHT / 2]).toBeLessThan(MEDIAN_MS);
    expect(took.at(-1)).toBeLessThan(WORST_MS);
    expect((await memory()) - before).toBeLessThan(GROWTH_BYTES);
    expect(await door.service.metric('nodejs_eventloop_lag_p99_seconds')).toBeLessThan(LAG_SECONDS);
  });
});
