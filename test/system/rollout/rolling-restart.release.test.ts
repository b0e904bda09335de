/** Tests that clients behind a proxy see no failure while services are replaced, one process after the other. */
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { SECRET, signed } from '../../integration/webhook-receiver/support.ts';
import { backbone } from '../../setup/backbone.ts';
import { clients, startApi } from '../../support/api.ts';
import { atEnd } from '../../support/at-end.ts';
import { CLIENTS_KEY, connectionEnv } from '../../support/environment.ts';
import { times } from '../../support/harness.ts';
import { hasNginx, type Nginx, startNginx } from '../../support/nginx.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import { startService, type TestService } from '../../support/processes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startUpstream } from '../../support/tool-gateway.ts';

const REQUESTS = times(10_000, 3_000);
const CLIENTS = 4;
const REPLICAS = 2;

type Target = {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly ask: () => Question;
  /** Statuses of the service itself; the proxy answers 502. */
  readonly statuses: readonly number[];
};
type Question = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
};

describe.skipIf(!hasNginx)('a rolling restart behind nginx (needs nginx)', () => {
  test(`fails none of ${REQUESTS} requests to api, receiver and tool gateway`, async () => {
    const { connection } = await Pipeline.create(backbone());
    const common = {
      ...connectionEnv(connection),
      CLIENTS_KEY,
      // The default; `startService` sets 0.
      DRAIN_MS: '5000',
    };
    const added = await clients(connection, 'add --name rolling');
    const token = await (await startApi(connection, temporaryFolder())).token(added);
    const targets = targetsOf(token, (await startUpstream()).url);
    const rollouts = targets.map((target) => new Rollout(target, common));
    await Promise.all(rollouts.map((rollout) => rollout.start()));

    const nginx = await startNginx(rollouts.map(serverOf), await upstreamsOf(rollouts));
    const ending = new AbortController();
    atEnd(() => ending.abort());
    const clientsOf = (rollout: Rollout, at: number) =>
      Array.from({ length: CLIENTS }, () => rollout.load(nginx.ports[at] as number, ending.signal));
    const running = [routeToReady(nginx, rollouts, ending.signal), ...rollouts.flatMap(clientsOf)];
    await Promise.all(rollouts.map((rollout) => rollout.replaceAll()));
    const asked = (): number => rollouts.reduce((sum, rollout) => sum + rollout.asked, 0);
    await untilTrue(`${REQUESTS} requests were sent`, () => asked() >= REQUESTS);
    ending.abort();
    await Promise.all(running);
    expect(rollouts.map(({ failed }) => failed)).toEqual(targets.map(() => ({})));
    for (const rollout of rollouts) expect(rollout.asked).toBeGreaterThan(REQUESTS / 100);
  });
});

function targetsOf(token: string, upstream: string): Target[] {
  const empty = '[]';
  return [
    {
      name: 'api',
      settings: { API_PORT: '0' },
      ask: () => ({ method: 'GET', path: `/v2/statuses?token=${token}` }),
      statuses: [200],
    },
    {
      name: 'webhook-receiver',
      settings: { WEBHOOK_PORT: '0', WEBHOOK_SECRET: SECRET },
      ask: () => ({ method: 'POST', path: '/webhook', headers: signed(empty), body: empty }),
      statuses: [200],
    },
    {
      name: 'tool-gateway',
      settings: { TOOLS_PORT: '0', UPSTREAM_BASE_URL: upstream },
      ask: () => ({
        method: 'POST',
        path: '/mcp',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      }),
      // Without a token, most requests exceed the rate limit.
      statuses: [401, 429],
    },
  ];
}

/** The replicas of a service during a rollout, and the answers to its clients. */
class Rollout {
  readonly target: Target;
  asked = 0;
  readonly failed: Record<string, number> = {};
  readonly #common: Readonly<Record<string, string>>;
  readonly #replicas: TestService[] = [];

  constructor(target: Target, common: Readonly<Record<string, string>>) {
    this.target = target;
    this.#common = common;
  }

  async start(): Promise<void> {
    await Promise.all(Array.from({ length: REPLICAS }, () => this.#add()));
  }

  /** Replaces all replicas like a Deployment with `maxSurge: 1, maxUnavailable: 0`. */
  async replaceAll(): Promise<void> {
    for (const old of [...this.#replicas]) {
      await this.#add();
      expect(await old.stop()).toBe(0);
      this.#replicas.splice(this.#replicas.indexOf(old), 1);
    }
  }

  async readyPorts(): Promise<number[]> {
    const states = await Promise.all(
      this.#replicas.map(async (replica) => {
        const url = `http://127.0.0.1:${replica.opsPort}/health/ready`;
        const answer = await fetch(url, { headers: { connection: 'close' } }).catch(() => null);
        return answer?.ok === true ? [replica.port] : [];
      }),
    );
    return states.flat();
  }

  /** Sends requests of a client without a pause. */
  async load(port: number, signal: AbortSignal): Promise<void> {
    const { ask, statuses } = this.target;
    while (!signal.aborted) {
      const status = await statusOf(port, ask());
      this.asked += 1;
      if (!statuses.some((good) => good === status)) this.failed[status] = (this.failed[status] ?? 0) + 1;
    }
  }

  async #add(): Promise<void> {
    const { name, settings } = this.target;
    const replica = startService(name, { ...this.#common, DATA_DIR: temporaryFolder(), ...settings });
    await replica.ready();
    this.#replicas.push(replica);
  }
}

/** Returns the nginx server of a service. It retries nothing, so that the client sees each failure of a replica. */
function serverOf({ target }: Rollout): string {
  return `location / { proxy_pass http://${target.name}; proxy_http_version 1.1; proxy_set_header Connection '';
    proxy_set_header Host $http_host;
    proxy_next_upstream off; }`;
}

async function upstreamsOf(rollouts: readonly Rollout[]): Promise<string> {
  const upstreams = rollouts.map(async (rollout) => {
    const servers = (await rollout.readyPorts()).map((port) => `server 127.0.0.1:${port} max_fails=0;`);
    return `upstream ${rollout.target.name} { ${servers.join(' ')} keepalive 8; }`;
  });
  return (await Promise.all(upstreams)).join('\n');
}

/** Interval of readiness probes, milliseconds. */
const PROBE_MS = 500;

/** Routes requests to ready replicas only, as a controller of the cluster does. */
async function routeToReady(nginx: Nginx, rollouts: readonly Rollout[], signal: AbortSignal): Promise<void> {
  for (let routed = ''; !signal.aborted; await delay(PROBE_MS)) {
    const upstreams = await upstreamsOf(rollouts);
    if (upstreams !== routed) nginx.reload(upstreams);
    routed = upstreams;
  }
}

/**
 * Returns the status of the answer, or the reason of a failure. Closes each connection: the proxy closes idle
 * ones when it reloads.
 */
async function statusOf(port: number, { path, ...question }: Question): Promise<number | string> {
  try {
    const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`, {
      ...question,
      reset: true,
    });
    await body.dump();
    return statusCode;
  } catch (error) {
    return (error as Error).message;
  }
}
