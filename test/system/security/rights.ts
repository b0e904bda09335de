/** Every service on a broker with an authorizer: its rights and its logs. */
import type { IncomingHttpHeaders } from 'node:http';
import { json } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { incidentMessage } from '#ingestion/testing/messages.ts';
import type { Brokers } from '#security/brokers.ts';
import { type Right, rightsOf, rightText, SERVICE_NAMES, type ServiceName } from '#topics/acls.ts';
import { requireRights } from '#topics/required-topics.ts';
import { topicName } from '#topics/topics.ts';
import { API_AND_TOOLS } from '../../../cli/services.ts';
import { SECRET, signed } from '../../integration/webhook-receiver/support.ts';
import { backbone } from '../../setup/backbone.ts';
import { grant, without } from '../../support/acls.ts';
import { ANY_PORTS, CLIENTS_KEY } from '../../support/environment.ts';
import { HttpsReceiver } from '../../support/https-receiver.ts';
import { serve } from '../../support/listen.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { until, untilTrue } from '../../support/poll.ts';
import { startService, type TestService } from '../../support/processes.ts';
import { PASSWORD, type SecuredKafka } from '../../support/secured-kafka.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { caFile, subscribe } from '../../support/webhooks.ts';

/** Trace id of a sender. */
const OUTSIDE = '1'.repeat(32);

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
type Span = Readonly<Record<'name' | 'traceId' | 'spanId' | 'parentSpanId', string>>;
type OtlpBody = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Span & { attributes: Attributes; links?: readonly Span[] })[];
    }[];
  }[];
};

function valuesOf(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

function spansOf({ resourceSpans }: OtlpBody) {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ attributes, links = [], ...span }) => ({
        ...span,
        service: valuesOf(resource.attributes)['service.name'],
        attributes: valuesOf(attributes),
        links: links.map(({ traceId }) => traceId),
      })),
  );
}

/** Starts a collector of traces (OTLP over HTTP, JSON). `headers`: those of the last request. */
async function startCollector() {
  const found = { url: '', headers: {} as IncomingHttpHeaders, spans: [] as ReturnType<typeof spansOf> };
  found.url = await serve(async (request, response) => {
    found.headers = request.headers;
    found.spans.push(...spansOf((await json(request)) as OtlpBody));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  return found;
}

/** Registers the tests of rights, on a broker with an authorizer that knows a user for each service. */
export function rightsOfServices(broker: () => SecuredKafka): void {
  let secured: SecuredKafka;
  let registryUrl: string;
  let prefix: string;
  let pipeline: Pipeline;

  beforeAll(async () => {
    secured = broker();
    ({ registryUrl, prefix } = backbone());
    const { brokers } = secured.kafka;
    pipeline = await Pipeline.create({ brokers, registryUrl, prefix, partitions: 1 });
    for (const service of SERVICE_NAMES) await grant(brokers, service, rightsOf(prefix, service));
  });

  function start(
    service: ServiceName | typeof API_AND_TOOLS,
    settings: Record<string, string> = {},
  ): TestService {
    return startService(service, {
      ...secured.saslEnv('SCRAM-SHA-256'),
      KAFKA_SASL_USERNAME: service,
      KAFKA_SASL_PASSWORD: PASSWORD,
      SCHEMA_REGISTRY_URL: registryUrl,
      TOPIC_PREFIX: prefix,
      SESSION_TIMEOUT_MS: '6000',
      WEBHOOK_SECRET: SECRET,
      ...ANY_PORTS,
      API_BOARD: 'on',
      CLIENTS_KEY,
      DATA_DIR: temporaryFolder(),
      PROVIDER_BASE_URL: 'http://127.0.0.1:9',
      PROVIDER_CLIENT_ID: '1',
      PROVIDER_SECRET_KEY: 'none',
      ...settings,
    });
  }

  const as = (username: ServiceName): Brokers =>
    secured.bySasl({ mechanism: 'SCRAM-SHA-256', username, password: PASSWORD });

  test('every service works with exactly its rights, a message has one id in all logs and one trace', async () => {
    // Alerts run as a command.
    const names = SERVICE_NAMES.filter((name) => name !== 'alert-processor');
    const receiver = await HttpsReceiver.start();
    const collector = await startCollector();
    const settings = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${PASSWORD}`,
      LOG_LEVEL: 'debug',
      WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8',
      WEBHOOK_CA_FILE: await caFile(),
    };
    const services = names.map((name) => start(name, settings));
    await Promise.all(services.map((service) => service.ready()));
    await subscribe(pipeline.connection, { url: receiver.url, secret: SECRET });
    const { port } = await (services[0] as TestService).logged('POST /webhook');
    const body = JSON.stringify([incidentMessage({ id: 1 }, { confirmation: 'confirmed' })]);
    const answer = await fetch(`http://127.0.0.1:${port}/webhook`, {
      method: 'POST',
      headers: { ...signed(body), traceparent: `00-${OUTSIDE}-${'2'.repeat(16)}-01` },
      body,
    });
    expect(answer.status).toBe(200);
    for (const topic of ['match-state', 'standings-results', 'webhook-messages'] as const)
      await untilTrue(`there is a record on ${topic}`, async () => (await pipeline.count(topic)) > 0);
    await untilTrue('the change is delivered', () => receiver.received.length > 0);
    for (const [at, name] of names.entries()) {
      if (name === 'feed-poller' || name === 'feed-monitor') continue;
      const named = (line: string): boolean => {
        const { message_id, event_id } = JSON.parse(line);
        return message_id === '1' && event_id === 7_000_001;
      };
      await untilTrue(`the log of ${name} names the message`, () => services[at]?.lines.some(named) ?? false);
    }
    // One trace from the delivery to the webhook. It differs from the sender's, and the receiver gets no trace header.
    const root = await until('the delivery has a span', () =>
      collector.spans.find(({ service }) => service === 'webhook-receiver'),
    );
    const traced = names.filter((name) => name !== 'feed-poller' && name !== 'feed-monitor');
    let trace = collector.spans;
    await untilTrue(`one trace has ${traced}`, () => {
      trace = collector.spans.filter(({ traceId }) => traceId === root.traceId);
      return traced.every((name) => trace.some(({ service }) => service === name));
    });
    const ids = new Set(trace.map(({ spanId }) => spanId));
    expect(trace.filter(({ parentSpanId }) => !ids.has(parentSpanId)).map(({ name }) => name)).toEqual([
      'POST /webhook',
    ]);
    expect(trace.flatMap(({ links }) => links)).toEqual([OUTSIDE]);
    expect(trace.filter(({ service }) => service === 'match-processor')).toMatchObject([
      { attributes: { message_id: '1' } },
    ]);
    expect(receiver.received.filter(({ headers }) => 'traceparent' in headers)).toEqual([]);
    expect(collector.headers['x-api-key']).toBe(PASSWORD);
    for (const service of services) {
      expect(service.lines.filter((line) => line.includes(PASSWORD))).toEqual([]);
      expect(service.lines.filter((line) => /AUTHORIZATION/i.test(line))).toEqual([]);
      await service.stop();
    }
  });

  test('a service without one of them says which, in one line', async () => {
    const service = 'match-processor';
    const all = rightsOf(prefix, service);
    const one = (wanted: Partial<Right>) =>
      all.find((right) =>
        Object.entries(wanted).every(([field, value]) => right[field as keyof Right] === value),
      );
    const dropped = [
      one({ operation: 'Read', name: topicName(prefix, 'normalized-messages') }),
      one({ operation: 'Read', name: topicName(prefix, 'match-state') }),
      one({ operation: 'Write', name: `${prefix}match-processor-positions` }),
      one({ resource: 'Group' }),
      one({ resource: 'TransactionalId' }),
    ].filter((right) => right !== undefined);
    expect(dropped).toHaveLength(5);
    for (const right of dropped)
      await without(secured.kafka.brokers, service, right, () =>
        untilTrue(`it lacks ${rightText(right)}`, async () => {
          const refused = await requireRights(as(service), prefix, service).catch((error: Error) => error);
          return refused?.message.includes(`does not grant ${service} ${rightText(right)};`) ?? false;
        }),
      );
    const [right] = dropped as [Right];
    await without(secured.kafka.brokers, service, right, async () => {
      const errors = await start(service).failed();
      expect(errors).toMatchObject([
        {
          code: 'RIGHTS_MISSING',
          message: expect.stringContaining(`does not grant ${service} ${rightText(right)};`),
        },
      ]);
    });
  });

  test('api and tool gateway in one process need the rights of both', async () => {
    const errors = await start(API_AND_TOOLS, { KAFKA_SASL_USERNAME: 'api' }).failed();
    expect(errors).toMatchObject([
      { code: 'RIGHTS_MISSING', message: expect.stringContaining('does not grant tool-gateway ') },
    ]);
  });

  test('a service whose topics are missing names them, and the command that creates them', async () => {
    const elsewhere = `${prefix}none.`;
    await grant(secured.kafka.brokers, 'webhook-receiver', rightsOf(elsewhere, 'webhook-receiver'));
    const error = await requireRights(as('webhook-receiver'), elsewhere, 'webhook-receiver').catch(
      (thrown: Error) => thrown,
    );
    expect(error).toMatchObject({ code: 'TOPICS_MISSING' });
    expect(error?.message).toContain(
      `does not have ${elsewhere}raw-messages, ${elsewhere}normalized-messages,`,
    );
    expect(error?.message).toContain('npx touchline topics');
  });
}
