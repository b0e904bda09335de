/** The rows of the REST contract over an api in this process; test/system/contract/damaged-views.test.ts has that of a process. */
import { beforeAll, expect, test } from 'vitest';
import { ApiInMemory } from '../../test/system/contract/in-memory.ts';
import { restRows } from '../../test/system/contract/rest-rows.ts';
import { contract, dataOf, serveBy } from '../../test/system/contract/served.ts';
import { NEVER_SET } from '../../test/system/contract/values.ts';
import { BEGAN, LEAGUE_RULES, messages } from '../../test/system/contract/world.ts';
import { catalogue } from '../../test/system/contract/world-catalogue.ts';
import { createApp, createAuthenticator } from './app.ts';

/** The clients of the rows; their names are their secrets. */
const CLIENTS = {
  everything: { id: '1', secret: 'everything', competitions: null, operations: null },
  narrow: { id: '2', secret: 'narrow', ...NARROW },
};

const FEED_RETENTION_MS = 7 * 86_400_000;

/** What the pipeline writes for the messages of the rows, and the catalogue. */
const RECORDS: readonly ViewRecord[] = [
  ...catalogue().map((value) => recordOf('catalogue', `${value.kind}/${value.id}`, value)),
  ...(await written()),
];

function recordOf(topic: SourceTopic, key: string, value: unknown, offset = 0): ViewRecord {
  return { topic, key, value, partition: 0, offset } as ViewRecord;
}

async function written(): Promise<ViewRecord[]> {
  const rulesOf = readRules(rulesFolder({ 'league.json': LEAGUE_RULES }));
  const inputs = messages().map((message) => ({
    partition: 0,
    key: String(message.event_id),
    value: codecs['normalized-messages'].encode(message),
    timestamp: message.received_at,
  }));
  const published = await replayInMemory(inputs, inputs.length, rulesOf);
  return published.flatMap(({ topic, key, value }, offset) =>
    isSource(topic) && value !== null
      ? [recordOf(topic, String(key), codecs[topic].decode(value), offset)]
      : [],
  );
}

/** The topics of the views that the pipeline writes. */
type WrittenTopic = Extract<SourceTopic, keyof typeof codecs>;

function isSource(topic: string): topic is WrittenTopic {
  return topic in codecs && SOURCES.some((source) => source === topic);
}

class ApiInMemory extends ServedContract {
  readonly api: ContractApi;
  readonly everything: ServedClient;
  readonly narrow: ServedClient;
  readonly #world: ViewsWorld;

  private constructor(
    app: FastifyInstance,
    world: ViewsWorld,
    everything: ServedClient,
    narrow: ServedClient,
  ) {
    super();
    this.api = { url: 'http://localhost:80', get: (path, request) => ask(app, path, request) };
    this.#world = world;
    this.everything = everything;
    this.narrow = narrow;
  }

  static async start(): Promise<ApiInMemory> {
    const world = new ViewsWorld();
    world.now = Date.now();
    world.give(...RECORDS);
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
    return new ApiInMemory(app, world, await withToken(CLIENTS.everything), await withToken(CLIENTS.narrow));
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

beforeAll(async () => serveBy(await ApiInMemory.start()));

restRows();

test('every field of the records had another value than its default in some answer', async () => {
  const tables = '/v2/standings?object_type=season&object_id=20&limit=500';
  const { standings_list } = await dataOf(tables);
  const more = [
    '/v2/events/2001',
    '/v2/sports/5',
    '/v2/stages',
    '/v2/feed',
    '/v2/events/1005/important-incidents',
  ];
  for (const { id } of standings_list) more.push(`/v2/standings/${id}`);
  for (const path of more) await contract().answer(path);
  expect(contract().seen.never).toEqual(Object.keys(NEVER_SET));
});
