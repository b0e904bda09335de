import type { PollerCheckpoint, TopicValues } from '#records/types.ts';
import type { ServiceName } from '#topics/acls.ts';
import type { TopicName } from '#topics/topics.ts';
import { backbone } from '../../setup/backbone.ts';
import { atEnd } from '../../support/at-end.ts';
import { connectionEnv } from '../../support/environment.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { startService, type TestService } from '../../support/processes.ts';
import { CLIENT, type JsonRecord, TestProvider } from './provider.ts';

/** Settings with periods short enough for a test. */
const FAST = {
  FEED_PERIOD_MS: '100',
  LIVESCORE_PERIOD_MS: '200',
  SCHEDULE_PERIOD_MS: '300',
  CATALOGUE_PERIOD_MS: '400',
  UNCONFIRMED_PERIOD_MS: '300',
  SILENCE_MS: '60000',
  VERIFY_PERIOD_MS: '500',
  // Long, since the provider shares the test's process, which may be busy: a timeout would repeat the request.
  REQUEST_TIMEOUT_MS: '120000',
  RETRY_FIRST_MS: '50',
  RETRY_CEILING_MS: '400',
  // Long, so that only the test ends a term: a new one would start again from the checkpoints.
  SESSION_TIMEOUT_MS: '120000',
};

/** A provider, topics, and pollers between them. All end with the test, or with the file when it is created before its tests. */
export class Rig {
  readonly provider: TestProvider;
  readonly pipeline: Pipeline;

  private constructor(provider: TestProvider, pipeline: Pipeline) {
    this.provider = provider;
    this.pipeline = pipeline;
  }

  /** `services`: as in `PipelineConnection`. */
  static async create(services: readonly ServiceName[]): Promise<Rig> {
    const provider = await TestProvider.start();
    atEnd(() => provider.close());
    return new Rig(provider, await Pipeline.create({ ...backbone(), services }));
  }

  /** Starts a poller in a separate process. */
  startPoller(settings: Readonly<Record<string, string>> = {}): TestService {
    return startService('feed-poller', {
      ...connectionEnv(this.pipeline.connection),
      PROVIDER_BASE_URL: this.provider.url,
      PROVIDER_CLIENT_ID: CLIENT.id,
      PROVIDER_SECRET_KEY: CLIENT.secret,
      LOG_LEVEL: 'debug',
      ...FAST,
      ...settings,
    });
  }

  async values<T extends TopicName>(topic: T): Promise<TopicValues[T][]> {
    const values: TopicValues[T][] = [];
    await this.pipeline.read(topic, (value) => values.push(value));
    return values;
  }

  /** Returns the ids of the published messages of the feed, duplicates included. */
  async published(): Promise<string[]> {
    const messages = await this.values('normalized-messages');
    return messages.filter(({ type }) => type === 'incident').map(({ message_id }) => message_id);
  }

  /** Waits until every message of the feed is published. */
  async caughtUp(): Promise<void> {
    await untilTrue('all of the feed is published', async () => {
      const published = new Set(await this.published());
      return this.provider.feed.every(({ id }) => published.has(String(id)));
    });
  }

  /** Returns the last checkpoint of a resource. */
  async checkpoint(resource: string): Promise<PollerCheckpoint | undefined> {
    const all = await this.values('poller-checkpoints');
    return all.findLast((one) => one.resource === resource);
  }

  /** Waits for a checkpoint of a resource at or after `position`. */
  async checkpointed(resource: string, position: number): Promise<PollerCheckpoint> {
    return until(`${resource} is at ${position}`, async () => {
      const found = await this.checkpoint(resource);
      return found !== undefined && found.position >= position ? found : undefined;
    });
  }
}

/** Returns an incident as the provider lists it. */
export function incident(id: string, ut: number, more: JsonRecord = {}): JsonRecord {
  return {
    id,
    incident_id: 413,
    incident_name: 'Goal',
    participant_id: 1,
    event_status_id: 33,
    event_time: '10:00',
    confirmation: 'confirmed',
    parent_id: null,
    ut,
    ...more,
  };
}

/** Returns an event as the provider lists it, live in its first half. */
export function event(id: number, ut: number, more: JsonRecord = {}): JsonRecord {
  return {
    id,
    name: `Home ${id} - Away ${id}`,
    sport_id: 5,
    start_date: new Date(ut * 1000).toISOString().slice(0, 16).replace('T', ' '),
    status_id: 33,
    status_name: '1st half',
    status_type: 'live',
    clock_status: 'running',
    clock_time: 60,
    verified_result: 'no',
    participants: [
      { id: 1, counter: 1, name: `Home ${id}`, results: [] },
      { id: 2, counter: 2, name: `Away ${id}`, results: [] },
    ],
    ut,
    ...more,
  };
}

/** Returns a message of the feed about an incident. */
export function message(
  id: number,
  ut: number,
  eventId: number,
  incident: JsonRecord,
): JsonRecord & { ut: number } {
  return {
    id,
    type: 'incident',
    source: 1,
    ut,
    data: { incident: { action: 'insert', ...incident }, event: { action: 'update', ...event(eventId, ut) } },
  };
}
