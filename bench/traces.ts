import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeBacklog } from './backlog.ts';
import { type ContenderRun, matchProcessor, prepare, rate, runThrough } from './contenders.ts';
import { type Bench, format, median, PROCESSOR } from './context.ts';
import { compareLatency } from './latency.ts';
import { FIRST_ROUND, roundName, SMALLEST, sizeOf } from './size.ts';

const EVENTS = sizeOf('BENCH_EVENTS', 500, 20);
const MESSAGES = sizeOf(null, 200, 20);
const PROCESSES = 2;
const ROUNDS = sizeOf('BENCH_ROUNDS', 2, 1);
/** Shares of messages with a sampled trace. */
const SAMPLED = SMALLEST ? [1] : [0.01, 1];

/**
 * Measures the same backlog in turns: with traces off, and with some or all messages in separate traces; then the
 * latency from a webhook to the match state at a steady rate, with traces off and for all messages.
 */
export const bench: Bench = {
  about: `throughput from a backlog of ${EVENTS * MESSAGES} incidents, and latency, with traces beside without`,
  subject: [...PROCESSOR, 'libs/tracing'],
  async run(context) {
    const collector = await startCollector();
    const variants = [null, ...SAMPLED].map((sampled) => ({
      sampled,
      prefix: context.prefix(`traces-${sampled ?? 'off'}`),
      processor: matchProcessor(
        PROCESSES,
        sampled === null ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
      ),
      runs: [] as ContenderRun[],
    }));
    const records = new Map<string, number>();
    for (const { prefix, sampled } of variants) {
      const trace = (n: number): string | undefined =>
        sampled !== null && n % (1 / sampled) === 0 ? newTrace() : undefined;
      const backlog = await writeBacklog(context, { prefix, events: EVENTS, messages: MESSAGES, trace });
      records.set(prefix, backlog.records);
    }
    for (let round = FIRST_ROUND; round <= ROUNDS; round++) {
      for (const { prefix, sampled, processor, runs } of variants) {
        const job = processor.on(prefix, round);
        await prepare(context, job);
        const run = await runThrough(context, job, records.get(prefix) ?? 0);
        if (round > 0) runs.push(run);
        context.print(
          `${roundName(round)} ${nameOf(sampled)}: ${format(rate(run))} msg/s, ` +
            `${run.cpuSeconds.toFixed(1)} s of processor; the collector has ${format(collector.bytes() / 1e6)} MB`,
        );
      }
    }
    const [off, ...on] = variants.map(({ sampled, runs }) => ({
      name: nameOf(sampled),
      rate: median(runs.map(rate)),
      cpu: median(runs.map(({ cpuSeconds }) => cpuSeconds)),
    }));
    if (off === undefined) return;
    for (const { name, rate: ours, cpu } of on) {
      context.figure({ name, ours, beside: { name: off.name, value: off.rate }, unit: 'msg/s' });
      const beside = { name: off.name, value: off.cpu };
      context.figure({ name: `processor time, ${name}`, ours: cpu, beside, unit: 's', better: 'less' });
    }
    await compareLatency(context, ROUNDS, [
      { name: 'traces off', env: {} },
      { name: 'all deliveries sampled', env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } },
    ]);
    collector.close();
  },
};

function nameOf(sampled: number | null): string {
  return sampled === null ? 'traces off' : `${sampled * 100} % of messages sampled`;
}

/** Returns the `traceparent` of a new sampled trace. */
function newTrace(): string {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
}

/** Starts a collector that accepts spans and drops them. */
async function startCollector(): Promise<{ url: string; bytes(): number; close(): void }> {
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bytes: () => bytes,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
