/**
 * Plays a tournament up to any point of a test, with a real processor, standings, monitor and gateway behind one feed.
 */
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { normalizeMessage } from '#ingestion/normalize.ts';
import { catalogueValue } from '#views/testing/records.ts';
import type { ProviderMessage } from '../../../services/simulator/records.ts';
import { LiveFeed, startMonitor } from '../../integration/feed-monitor/support.ts';
import type { ClientCredentials } from '../../support/api.ts';
import { atEnd } from '../../support/at-end.ts';
import type { PipelineOutput } from '../../support/pipeline.ts';
import { until } from '../../support/poll.ts';
import { publishValues } from '../../support/publish-values.ts';
import { DATASET, System } from '../../support/system.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Gateway, startGateway } from '../../support/tool-gateway.ts';

const RULES = fileURLToPath(new URL('../../../data/rules/', import.meta.url));
const REPORT_MS = 1_000;
const KEEP_ALIVE_MS = 3_000;
const KEEP_ALIVE = { type: 'event_keep_alive', source: 1 } as const;

type Endpoint = { readonly url: URL; readonly token: string };
type Feed = Awaited<ReturnType<System['pipeline']['openFeed']>>;

export class Playing {
  /** Client of the assistant. */
  readonly client: Client;
  /** A second client, whose requests are not counted with those of the assistant. */
  readonly watcher: Client;
  /** Endpoint and token of the watcher. */
  readonly endpoint: Endpoint;
  readonly #system: System;
  readonly #feed: Feed;
  readonly #failed: unknown[] = [];

  private constructor(
    system: System,
    [client, watcher]: readonly [Client, Client],
    endpoint: Endpoint,
    feed: Feed,
  ) {
    this.#system = system;
    this.client = client;
    this.watcher = watcher;
    this.endpoint = endpoint;
    this.#feed = feed;
  }

  /** Creates the system before the first match; stages and groups of the tournament are known. */
  static async create(): Promise<Playing> {
    const system = await System.create();
    const { connection } = system.pipeline;
    system.start('standings-processor', { RULES_DIR: RULES });
    startMonitor(connection, { DELAYED_AFTER_MS: '0' });
    const [api, live, feed] = await Promise.all([
      system.startApi(temporaryFolder()),
      LiveFeed.open(connection),
      system.pipeline.openFeed(),
      publishTree(system),
    ]);
    atEnd(() => feed.close());
    await live.report();
    live.keepReporting(REPORT_MS);
    const gateway = await startGateway(connection, api.url);
    const credentials = await system.addClient('desk');
    const [own, watching] = [await endpointOf(gateway, credentials), await endpointOf(gateway, credentials)];
    return new Playing(system, [await connect(own), await connect(watching)], watching, feed);
  }

  /**
   * Publishes messages as an ingress service that receives them now. Resolves once the processor has processed them.
   */
  async publish(messages: readonly ProviderMessage[]): Promise<void> {
    await this.#send(messages);
    await this.#system.pipeline.settled();
  }

  async #send(messages: readonly ProviderMessage[]): Promise<void> {
    const normalized = messages.flatMap((message) => {
      const context = { origin: 'webhook', deliveryId: 'd', receivedAt: Date.now() } as const;
      const result = normalizeMessage(message, context);
      return result.kind === 'normalized' ? [result.message] : [];
    });
    await this.#feed.send(normalized);
  }

  /** Sends keep-alives of matches until the test ends. */
  keepAlive(ids: readonly number[]): void {
    const saying = setInterval(() => {
      const ut = Math.floor(Date.now() / 1_000);
      const messages = ids.map((id) => ({
        ...KEEP_ALIVE,
        id: id * 100_000 + (ut % 100_000),
        ut,
        data: { event: { id } },
      }));
      this.#send(messages).catch((error: unknown) => this.#failed.push(error));
    }, KEEP_ALIVE_MS);
    atEnd(async () => {
      clearInterval(saying);
      if (this.#failed.length > 0) throw new AggregateError(this.#failed, 'keep-alives were not sent');
    });
  }

  output(): Promise<PipelineOutput> {
    return this.#system.output();
  }
}

/** Returns the endpoint with a new token. */
async function endpointOf(gateway: Gateway, { id, secret }: ClientCredentials): Promise<Endpoint> {
  const token = await until('a token is issued', async () => {
    const { body } = await gateway.exchange({ client_id: id, secret_key: secret });
    return body.token;
  });
  return { url: new URL('/mcp', gateway.url), token };
}

async function connect({ url, token }: Endpoint): Promise<Client> {
  const client = new Client({ name: 'assistant', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  atEnd(() => client.close());
  return client;
}

/** Publishes the catalogue as the poller would. */
async function publishTree(system: System): Promise<void> {
  const { competition, season, stages, area } = DATASET.competition;
  const record = (kind: string, id: number, parent: number | null, body: object) =>
    catalogueValue(kind, id, parent, body, 1);
  const records = [
    record('competition', competition.id, null, {
      name: competition.name,
      sport_id: 5,
      area_name: area.name,
    }),
    record('season', season.id, competition.id, { name: season.name, actual: 'yes' }),
    ...stages.flatMap(({ id, name, groups }) => [
      record('stage', id, season.id, { name }),
      ...groups.map((group) => record('group', group.id, id, { name: group.name })),
    ]),
  ];
  await publishValues(
    system.pipeline.connection,
    'catalogue',
    records.map((value) => ({ key: `${value.kind}/${value.id}`, value })),
  );
}
