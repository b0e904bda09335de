/** The systems that the bench of a goal measures: all services, and bare hops beside them. */
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { freePort } from '#embedded/ports.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { matchUri } from '../services/tool-gateway/mcp/uris.ts';
import { makePlace } from './api-topics.ts';
import type { BareSurfacesOptions } from './bare-surfaces.ts';
import { floor } from './contenders.ts';
import type { BenchContext } from './context.ts';
import { type Mark, readMessages, readStates } from './latency.ts';
import { issueTokens } from './mcp.ts';
import { answered, start } from './processes.ts';
import { TopicReader } from './topic-reader.ts';
import { type Sink, WebhookBench } from './webhook-place.ts';

/** A goal of a match, with the scheduled send time of its message, Unix milliseconds. */
export type SentGoal = Mark & {
  /** Goals of the home team, including this one. */
  readonly home: number;
  readonly sentAt: number;
};

/** A system from the input topic to all surfaces that show goals. */
export type Hops = {
  readonly name: string;
  /** Returns the text that the row of a match shows with a goal. */
  markOf(goal: SentGoal): string;
  /** Returns a function that reads the causing message from a record of match-state. */
  readState(registry: Registry): (value: Buffer) => Promise<Mark>;
  start(context: BenchContext, prefix: string, sink: Sink): Promise<Surfaces>;
};

/** The running surfaces. Times are Unix milliseconds. */
export type Surfaces = {
  readonly pageUrl: string;
  /** Requests the match once, and returns whether it shows the goal. */
  shows(goal: SentGoal): Promise<boolean>;
  /** Subscribes to notifications of matches. */
  listen(eventIds: readonly number[]): Promise<void>;
  /** Returns the time of the first notification of the match after the goal; null before it. */
  notifiedAt(goal: SentGoal): number | null;
  /** Returns the message that caused a webhook message; undefined when unknown. */
  messageOf(uuid: string): string | undefined;
  stop(): Promise<void>;
};

/** Times when each of several subjects was seen with an increasing mark, Unix milliseconds. */
export class Sightings {
  readonly #of = new Map<string, { readonly mark: number; readonly at: number }[]>();

  note(of: string, mark: number): void {
    const known = this.#of.get(of) ?? [];
    this.#of.set(of, known);
    known.push({ mark, at: unixNow() });
  }

  /** Returns when the subject was first seen with that mark or a later one; null if never. */
  first(of: string, mark: number): number | null {
    return this.#of.get(of)?.find((one) => one.mark >= mark)?.at ?? null;
  }
}

/** Returns the current time, Unix milliseconds with fractions. */
export function unixNow(): number {
  return performance.timeOrigin + performance.now();
}

/** Returns every service that a goal passes, one process each. */
export function ourHops(): Hops {
  return {
    name: 'touchline',
    markOf: ({ home }) => String(home),
    readState: readStates,
    start: startOurs,
  };
}

async function startOurs(context: BenchContext, prefix: string, sink: Sink): Promise<Surfaces> {
  const { brokers, registryUrl } = context;
  const credentials = await makePlace(context, prefix);
  const place = await WebhookBench.create(context, prefix, sink);
  await place.subscribe(1, () => '/goals');
  const [token = ''] = await issueTokens(context, prefix, credentials.id, 1);
  const [apiPort, toolsPort, metricsPort] = [await freePort(), await freePort(), await freePort()];
  const folder = (name: string) => ({ DATA_DIR: join(context.dir, `${prefix}${name}`) });
  const processes = [
    place.start('match-processor'),
    place.start('webhook-composer'),
    place.start('webhook-dispatcher'),
    place.start('api', { ...folder('api'), API_PORT: String(apiPort), API_BOARD: 'on' }),
    place.start('tool-gateway', {
      ...folder('tools'),
      TOOLS_PORT: String(toolsPort),
      METRICS_PORT: String(metricsPort),
    }),
  ];
  await Promise.all([answered(apiPort, '/health/ready'), answered(metricsPort, '/health/ready')]);
  const login = `/v2/oauth?client_id=${credentials.id}&secret_key=${credentials.secret}`;
  const rest: string = JSON.parse((await answered(apiPort, login)).toString()).api.data.token;
  const messages = new Map<string, string>();
  const decoder = Registry.open({ url: registryUrl, prefix }).decoder('match-transitions');
  const transitions = new TopicReader({
    brokers,
    topic: topicName(prefix, 'match-transitions'),
    async onRecords(_, records) {
      for (const { value } of records) {
        if (value === null) continue;
        const { id, cause } = await decoder.read(value);
        messages.set(id, cause.message_id);
      }
    },
  });
  const client = new Client(
    { name: 'bench', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const notifications = new Sightings();
  return {
    pageUrl: `http://localhost:${apiPort}/`,
    async shows({ eventId, home }) {
      const answer = await fetch(`http://127.0.0.1:${apiPort}/v2/events/${eventId}?token=${rest}`);
      return homeGoals(await answer.text()) >= home;
    },
    async listen(eventIds) {
      const headers = { authorization: `Bearer ${token}` };
      const url = new URL(`http://127.0.0.1:${toolsPort}/mcp`);
      client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
        notifications.note(params.uri, unixNow()),
      );
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
      await client.listen({ resourceSubscriptions: eventIds.map(matchUri) });
    },
    notifiedAt: ({ eventId, sentAt }) => notifications.first(matchUri(eventId), sentAt),
    messageOf: (uuid) => messages.get(uuid),
    async stop() {
      await client.close();
      await transitions.close();
      await Promise.all(processes.map((running) => running.stop()));
    },
  };
}

/** Returns the goals of the home team in an answer with one event; -1 without the event. */
function homeGoals(answer: string): number {
  const [, value] = /"counter":1,.*?"results":\[\{"id":\d+,.*?"value":"?(\d+)/.exec(answer) ?? [];
  return value === undefined ? -1 : Number(value);
}

/** Returns as many hops without any work (bare-surfaces.ts), after the floor of the match processor. */
export function bareHops(): Hops {
  return {
    name: 'bare hops',
    markOf: ({ messageId }) => messageId,
    readState: readMessages,
    start: startBare,
  };
}

async function startBare(context: BenchContext, prefix: string, sink: Sink): Promise<Surfaces> {
  const { brokers, registryUrl } = context;
  const port = await freePort();
  const processor = await floor({ way: 'in-turn' }).on(prefix, 0).start(context);
  const options: BareSurfacesOptions = {
    brokers,
    registryUrl,
    prefix,
    port,
    sinkUrl: `${sink.url}/goals`,
    caFile: sink.caFile,
  };
  const surfaces = start({
    command: process.execPath,
    args: [join(import.meta.dirname, 'bare-surfaces.ts'), JSON.stringify(options)],
    outputFile: join(context.dir, `${prefix}surfaces.log`),
  });
  await answered(port, '/');
  const over = new AbortController();
  const notifications = new Sightings();
  return {
    pageUrl: `http://localhost:${port}/`,
    async shows({ eventId, messageId }) {
      const answer = await fetch(`http://127.0.0.1:${port}/events/${eventId}`);
      const { message_id } = ((await answer.json()) ?? {}) as { message_id?: string };
      // Ids of a match grow.
      return Number(message_id) >= Number(messageId);
    },
    async listen() {
      const { body } = await fetch(`http://127.0.0.1:${port}/stream`, { signal: over.signal });
      const read = async (): Promise<void> => {
        for await (const part of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()))
          for (const [, eventId] of part.matchAll(/"event_id":(\d+)/g))
            notifications.note(matchUri(Number(eventId)), unixNow());
      };
      // It ends with the bench.
      read().catch(() => {});
    },
    notifiedAt: ({ eventId, sentAt }) => notifications.first(matchUri(eventId), sentAt),
    messageOf: (uuid) => uuid,
    async stop() {
      over.abort();
      await surfaces.stop();
      await processor.stop();
    },
  };
}
