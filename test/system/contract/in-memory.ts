/** Serves the contract by an api in this process, from what the pipeline would write. */
import type { FastifyInstance, InjectOptions } from 'fastify';
import { Contracts } from '#clients/contracts.ts';
import { hashSecret } from '#clients/keys.ts';
import type { NormalizedMessage } from '#records/types.ts';
import { readRules } from '#service/competition-rules.ts';
import { createLogger } from '#service/logger.ts';
import { createMetrics } from '#service/metrics.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { createProviderData } from '#views/render/answers/provider-data.ts';
import { ViewsWorld } from '#views/testing/world.ts';
import { createApp, createAuthenticator } from '../../../services/api/app.ts';
import { atEnd } from '../../support/at-end.ts';
import { CLIENTS_KEY } from '../../support/environment.ts';
import { pipelineRecords } from '../../support/pipeline-records.ts';
import { rulesFolder } from '../../support/standings/rules-folder.ts';
import { type ContractApi, NARROW, type ServedClient, ServedContract } from './served.ts';
import { BEGAN, LEAGUE_RULES, messages, oddMessages, oddRecord } from './world.ts';
import { catalogue } from './world-catalogue.ts';

/** The clients of the rows; their names are their secrets. */
const CLIENTS = {
  everything: { id: '1', secret: 'everything', competitions: null, operations: null },
  narrow: { id: '2', secret: 'narrow', ...NARROW },
};

const FEED_RETENTION_MS = 7 * 86_400_000;

/** An api without a broker. */
export class ApiInMemory extends ServedContract {
  readonly api: ContractApi;
  readonly everything: ServedClient;
  readonly narrow: ServedClient;
  readonly #world: ViewsWorld;

  private constructor(api: ContractApi, world: ViewsWorld, everything: ServedClient, narrow: ServedClient) {
    super();
    this.api = api;
    this.#world = world;
    this.everything = everything;
    this.narrow = narrow;
  }

  /** `listens`: on a port of this machine; else it is asked without a socket. `isOdd`: its messages are not as specified. */
  static async start({ listens = false, isOdd = false } = {}): Promise<ApiInMemory> {
    const rulesOf = readRules(rulesFolder({ 'league.json': LEAGUE_RULES }));
    const world = new ViewsWorld();
    world.now = Date.now();
    world.give(
      ...(await pipelineRecords(
        isOdd ? oddMessages() : messages(),
        catalogue(isOdd ? oddRecord : undefined),
        rulesOf,
      )),
    );
    world.views.feed.sweep(world.now - FEED_RETENTION_MS);
    const contracts = new Contracts((access) => access);
    for (const { id, secret, competitions, operations } of Object.values(CLIENTS))
      contracts.apply({
        ...sampleOf('clients'),
        client_id: Number(id),
        active: true,
        secret_hash: hashSecret(secret),
        competitions,
        operations,
      });
    const authenticator = createAuthenticator(contracts, [CLIENTS_KEY]);
    const registry = createMetrics('api');
    const app = await createApp({
      competitions: null,
      data: createProviderData(world.views),
      authenticator,
      view: world.views,
      board: null,
      version: '1.2.3',
      publicUrl: undefined,
      trustedProxies: [],
      registry,
      log: createLogger({ name: 'api', level: 'silent' }),
      ready: () => true,
      onFailure: (error) => {
        throw error;
      },
    });
    atEnd(() => app.close());
    const withToken = async ({ id, secret }: { readonly id: string; readonly secret: string }) => {
      const granted = await authenticator.exchange(id, secret, BEGAN);
      return { id, secret, token: granted?.token ?? '' };
    };
    const url = listens ? await app.listen({ port: 0, host: '127.0.0.1' }) : 'http://localhost:80';
    const get = (path: string, request?: RequestInit) =>
      listens ? fetch(url + path, request) : ask(app, path, request);
    return new ApiInMemory(
      { url, get },
      world,
      await withToken(CLIENTS.everything),
      await withToken(CLIENTS.narrow),
    );
  }

  override async publish(...published: readonly NormalizedMessage[]): Promise<void> {
    for (const message of published) this.#world.take(message);
  }
}

/** Sends a request to a server without a socket, with an answer as `fetch` has it. */
async function ask(app: FastifyInstance, url: string, request: RequestInit = {}): Promise<Response> {
  const { statusCode, headers, rawPayload } = await app.inject({ url, ...(request as InjectOptions) });
  return new Response(rawPayload, { status: statusCode, headers: headers as Record<string, string> });
}
