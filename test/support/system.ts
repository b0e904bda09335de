import { signatureHeaders } from '#signing/signing.ts';
import { readDataset } from '../../data/dataset.ts';
import { backbone } from '../setup/backbone.ts';
import { type ApiReplica, type ClientCredentials, clients, credentialsOf, startApi } from './api.ts';
import { connectionEnv } from './environment.ts';
import { Pipeline, type PipelineConnection, type PipelineOutput } from './pipeline.ts';
import { untilTrue } from './poll.ts';
import { startService, type TestService } from './processes.ts';

export const WEBHOOK_SECRET = '0123456789abcdef0123456789ABCDEF';

export const DATASET = readDataset('world-cup-2018');

const FAST = {
  FEED_PERIOD_MS: '300',
  LIVESCORE_PERIOD_MS: '1000',
  SCHEDULE_PERIOD_MS: '1000',
  CATALOGUE_PERIOD_MS: '2000',
  UNCONFIRMED_PERIOD_MS: '1000',
  SILENCE_MS: '2000',
  VERIFY_PERIOD_MS: '1500',
  REQUEST_TIMEOUT_MS: '2500',
  RETRY_FIRST_MS: '50',
  RETRY_CEILING_MS: '1000',
  SESSION_TIMEOUT_MS: '6000',
  // The matches of the data set are years old.
  VERIFY_DAYS: '36500',
};

/**
 * A system of real processes under its own prefix: ingress services, a match processor, and services that
 * serve its state.
 */
export class System {
  readonly pipeline: Pipeline;
  readonly processor: TestService;

  private constructor(pipeline: Pipeline) {
    this.pipeline = pipeline;
    this.processor = pipeline.startProcessor();
  }

  /** Creates a system; its connection is to the broker of the test run, with these changes. */
  static async create(changes: Partial<PipelineConnection> = {}): Promise<System> {
    return new System(await Pipeline.create({ ...backbone(), ...changes }));
  }

  /** Starts a webhook receiver and returns its URL. */
  startReceiver(settings: Readonly<Record<string, string>> = {}) {
    return startReceiver(this.pipeline.connection, settings);
  }

  startPoller(
    provider: Pick<Provider, 'url' | 'client'>,
    settings: Readonly<Record<string, string>> = {},
  ): TestService {
    return startService('feed-poller', {
      ...connectionEnv(this.pipeline.connection),
      PROVIDER_BASE_URL: provider.url,
      PROVIDER_CLIENT_ID: provider.client.id,
      PROVIDER_SECRET_KEY: provider.client.secret,
      FOLLOW_SEASONS: String(DATASET.competition.season.id),
      ...FAST,
      ...settings,
    });
  }

  start(name: string, settings: Readonly<Record<string, string>> = {}): TestService {
    return startService(name, { ...connectionEnv(this.pipeline.connection), ...settings });
  }

  startApi(folder: string): Promise<ApiReplica> {
    return startApi(this.pipeline.connection, folder);
  }

  async addClient(name: string): Promise<ClientCredentials> {
    return credentialsOf(await clients(this.pipeline.connection, `add --name ${name}`));
  }

  async output(): Promise<PipelineOutput> {
    await this.pipeline.settled();
    return this.pipeline.output();
  }
}

/** Starts a webhook receiver and returns its URL. */
export async function startReceiver(
  connection: PipelineConnection,
  settings: Readonly<Record<string, string>> = {},
) {
  const own = { WEBHOOK_PORT: '0', WEBHOOK_SECRET };
  const service = startService('webhook-receiver', { ...connectionEnv(connection), ...own, ...settings });
  return { service, url: `${await service.url()}/webhook` };
}

/** Starts a simulator that plays with these settings: it delivers by webhook, with the secret of the tests. */
export function startSimulator(settings: Readonly<Record<string, string>>): TestService {
  return startService('simulator', { WEBHOOK_SECRET, ...settings });
}

/** Plays matches at once, and waits until all is delivered. */
export async function playAtOnce(
  settings: Readonly<Record<string, string>>,
  deadlineMs?: number,
): Promise<void> {
  const simulator = startSimulator({ SPEED: 'max', ...settings });
  await untilTrue('all was played', () => simulator.exited, deadlineMs);
}

/** Starts a simulator that also serves what it plays by REST, and returns its URL and the client that it knows. */
export async function startProvider(settings: Readonly<Record<string, string>>) {
  const client = { id: '1', secret: 'the secret of the simulated provider' };
  const service = startSimulator({ REST_PORT: '0', REST_SECRET_KEY: client.secret, ...settings });
  const { port } = await service.logged('REST is served');
  return { service, url: `http://127.0.0.1:${port}`, client };
}

export type Provider = Awaited<ReturnType<typeof startProvider>>;

/** Delivers messages to a receiver as the provider does: in one signed request, valid for five minutes. */
export function deliverSigned(
  url: string,
  messages: readonly unknown[],
  options: DeliveryOptions = {},
): Promise<Response> {
  return deliverBytes(url, Buffer.from(JSON.stringify(messages)), options);
}

type DeliveryOptions = { readonly secret?: string; readonly signal?: AbortSignal | null };

/** Delivers any bytes as `deliverSigned` delivers messages. */
export function deliverBytes(
  url: string,
  body: Buffer,
  { secret = WEBHOOK_SECRET, signal = null }: DeliveryOptions = {},
): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...signatureHeaders(body, secret, Date.now()) };
  return fetch(url, { method: 'POST', headers, body, signal });
}
