/**
 * The receiver's peer: a Fastify route that checks the signature of a delivery and publishes the raw body, acknowledged
 * by all in-sync replicas, before it answers.
 */
import { ProduceAcks, Producer, ProducerStreamReportModes } from '@platformatic/kafka';
import { fastify } from 'fastify';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER, verify } from '#signing/signing.ts';

/** Options, as JSON in the first argument. */
export type PeerRouteOptions = {
  readonly port: number;
  readonly secret: string;
  /** Topic for the bodies. */
  readonly store: { readonly brokers: readonly string[]; readonly topic: string };
};

/** Limits of the stream: more bodies than ever wait, and the minimum time. */
const BATCH = 100;
const BATCH_MS = 1;
const HIGH_WATER_MARK = 10_000;

process.on('SIGTERM', () => process.exit());
// The bench holds the other end of standard input.
process.stdin.on('end', () => process.exit()).resume();
await listen(JSON.parse(process.argv[2] ?? '{}'));

async function listen({ port, secret, store }: PeerRouteOptions): Promise<void> {
  const publish = openStore(store);
  const app = fastify({ bodyLimit: 5 * 1024 * 1024 });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post('/webhook', async (request, reply) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const headers = {
      timestamp: String(request.headers[TIMESTAMP_HEADER]),
      signature: String(request.headers[SIGNATURE_HEADER]),
    };
    const authentic = verify(body, headers, [secret], Date.now()) === 'ok';
    if (authentic) await publish(body);
    return reply
      .code(authentic ? 200 : 401)
      .type('text/plain; charset=utf-8')
      .send(authentic ? 'Accepted' : 'Refused');
  });
  await app.listen({ port, host: '127.0.0.1' });
}

/** Stores an authentic body; resolves when it is stored. */
type Store = (body: Buffer) => Promise<void>;

/** Opens a store that batches the bodies of a millisecond. */
function openStore({ brokers, topic }: PeerRouteOptions['store']): Store {
  const producer = new Producer({ clientId: 'peer-route', bootstrapBrokers: [...brokers] });
  const waiting = new Map<object, () => void>();
  const stream = producer.asStream({
    acks: ProduceAcks.ALL,
    batchSize: BATCH,
    batchTime: BATCH_MS,
    highWaterMark: HIGH_WATER_MARK,
    reportMode: ProducerStreamReportModes.MESSAGE,
  });
  stream.on('delivery-report', (report) => {
    if (!('message' in report)) return;
    waiting.get(report.message)?.();
    waiting.delete(report.message);
  });
  return (value) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const message = { topic, value };
    waiting.set(message, resolve);
    stream.write(message);
    return promise;
  };
}
