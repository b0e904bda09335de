import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '#embedded/ports.ts';
import { createTopics } from '#topics/admin.ts';
import { topicName } from '#topics/topics.ts';
import { type Bench, type BenchContext, format, median } from './context.ts';
import { countOffsets, remove, withAdmin } from './kafka.ts';
import { type Running, start, startService } from './processes.ts';
import { WebhookClient } from './webhook-client.ts';
import type { LoadOptions, LoadResult } from './webhook-load.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
/** Until the broker's machine code and that of every thread is the fast one. */
const WARM_UP_SECONDS = Number(process.env.BENCH_WARM_UP_SECONDS ?? 20);
const CONNECTIONS = 128;
const READY_MS = 60_000;

/** What is sent: a push message with its event is about 2.6 KB. */
const LOADS = [
  { name: 'one message a delivery', batch: 1, target: 0.6 },
  { name: 'ten messages a delivery', batch: 10 },
] as const;

/**
 * Signed deliveries to the receiver and to a bare Fastify route with the same check of the signature, in turns, from the
 * same generator. Everything the receiver has accepted must be on the topics in the end.
 *
 * What limits the receiver is processor time, its own and the broker's: all that the machine spends on a request is given
 * for both. Where there are fewer cores than threads, broker and generator want, they share them, and the bare route's
 * one thread does not.
 */
export const bench: Bench = {
  about: 'requests/s of the webhook receiver, beside a bare Fastify route with the same HMAC check',
  async run(context) {
    const prefix = context.prefix('receiver');
    await createTopics({ brokers: context.brokers, prefix });
    const secret = randomBytes(16).toString('hex');
    const ours = await openReceiver(context, prefix, secret);
    const bare = await openBareRoute(context, secret);
    let run = 0;
    const accepted = { deliveries: 0, messages: 0 };
    for (const load of LOADS) {
      const counted = new Map<Server, Measured[]>([
        [ours, []],
        [bare, []],
      ]);
      for (let round = 0; round <= ROUNDS; round++) {
        for (const [server, list] of counted) {
          run += 1;
          const measured = await measure(server, { secret, run, batch: load.batch, warm: round > 0 });
          if (round > 0) list.push(measured);
          context.print(
            `${round === 0 ? 'warm-up' : `round ${round}`} ${server.name}, ${load.name}: ${lineOf(measured)}`,
          );
          if (server !== ours) continue;
          accepted.deliveries += measured.accepted;
          accepted.messages += measured.accepted * load.batch;
        }
      }
      const medianOf = (server: Server, of: (one: Measured) => number) =>
        median((counted.get(server) ?? []).map(of));
      context.figure({
        name: load.name,
        ours: medianOf(ours, (one) => one.perSecond),
        beside: { name: bare.name, value: medianOf(bare, (one) => one.perSecond) },
        unit: 'requests/s',
        ...('target' in load ? { target: load.target } : {}),
      });
      for (const [what, of] of [
        ['its process', ({ process }: Measured) => process],
        ['the whole machine', ({ machine }: Measured) => machine],
      ] as const) {
        context.figure({
          name: `${load.name}, processor time of ${what} a request`,
          ours: medianOf(ours, of),
          beside: { name: bare.name, value: medianOf(bare, of) },
          unit: 'µs',
          better: 'less',
        });
      }
    }
    await ours.process.stop();
    await bare.process.stop();
    await checkTopics(context, prefix, accepted);
    await remove(context.brokers, prefix);
  },
};

type Server = { readonly name: string; readonly port: number; readonly process: Running };

async function openReceiver(context: BenchContext, prefix: string, secret: string): Promise<Server> {
  const port = await freePort();
  const process = startService('webhook-receiver', context.dir, {
    KAFKA_BROKERS: context.brokers.join(','),
    SCHEMA_REGISTRY_URL: context.registryUrl,
    TOPIC_PREFIX: prefix,
    WEBHOOK_PORT: String(port),
    WEBHOOK_SECRET: secret,
  });
  await untilReady(port, secret);
  return { name: 'receiver', port, process };
}

async function openBareRoute(context: BenchContext, secret: string): Promise<Server> {
  const port = await freePort();
  const process = start({
    command: globalThis.process.execPath,
    args: [join(import.meta.dirname, 'bare-route.ts'), String(port), secret],
    outputFile: join(context.dir, 'bare-route.log'),
  });
  await untilReady(port, secret);
  return { name: 'bare route', port, process };
}

async function untilReady(port: number, secret: string): Promise<void> {
  const client = new WebhookClient(`http://127.0.0.1:${port}/webhook`, secret);
  await client.untilReady(READY_MS);
  client.close();
}

/** A run of the generator, and the processor time for a request, microseconds. */
type Measured = LoadResult & {
  /** Of the server's threads by name: WorkerThread is one of Node's, V8Worker collects garbage and compiles. */
  readonly threads: ReadonlyMap<string, number>;
  /** Of the server. */
  readonly process: number;
  /** Of everything that runs: the broker and the generator too. */
  readonly machine: number;
};

async function measure(
  server: Server,
  { secret, run, batch, warm }: { secret: string; run: number; batch: number; warm: boolean },
): Promise<Measured> {
  const options: LoadOptions = {
    port: server.port,
    secret,
    connections: CONNECTIONS,
    batch,
    seconds: SECONDS,
    warmUpSeconds: warm ? 1 : WARM_UP_SECONDS,
    run,
  };
  const before = { threads: await threadSeconds(server.process.pid), machine: machineSeconds() };
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'webhook-load.ts'),
    JSON.stringify(options),
  ]);
  const result: LoadResult = JSON.parse(stdout);
  if (result.refused > 0) throw new Error(`${server.name} refused ${result.refused} deliveries`);
  const aRequest = (seconds: number) => (seconds / result.accepted) * 1e6;
  const machine = aRequest(machineSeconds() - before.machine);
  const threads = new Map<string, number>();
  for (const [name, seconds] of await threadSeconds(server.process.pid)) {
    const used = aRequest(seconds - (before.threads.get(name) ?? 0));
    if (used >= 0.5) threads.set(name, used);
  }
  // The broker flushes and garbage is collected before the other one's turn.
  await delay(500);
  return { ...result, threads, process: [...threads.values()].reduce((a, b) => a + b, 0), machine };
}

function lineOf({ perSecond, bytes, p50, p99, threads, cpu, machine }: Measured): string {
  const times = [...threads].map(([name, used]) => `${name} ${format(used)}`).join(', ');
  return (
    `${format(perSecond)} requests/s of ${format(bytes)} bytes, p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms; ` +
    `processor time a request, µs: ${times}; generator ${format(cpu)}, whole machine ${format(machine)}`
  );
}

/** Processor time of a process's threads, added by name; nothing where the system does not tell. */
async function threadSeconds(pid: number): Promise<Map<string, number>> {
  const seconds = new Map<string, number>();
  for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
    const stat = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => null);
    const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(stat ?? '') ?? [];
    if (name === undefined || rest === undefined) continue;
    const fields = rest.split(' ');
    const used = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    seconds.set(name, (seconds.get(name) ?? 0) + used);
  }
  return seconds;
}

const TICKS_PER_SECOND = 100;

/** Processor time that all processes together have used since the machine started. */
function machineSeconds(): number {
  return cpus().reduce(
    (sum, { times }) => sum + (times.user + times.nice + times.sys + times.irq) / 1_000,
    0,
  );
}

async function checkTopics(
  context: BenchContext,
  prefix: string,
  accepted: { deliveries: number; messages: number },
): Promise<void> {
  await withAdmin(context.brokers, async (admin) => {
    const raw = await countOffsets(admin, topicName(prefix, 'raw-messages'));
    const normalized = await countOffsets(admin, topicName(prefix, 'normalized-messages'));
    const dead = await countOffsets(admin, topicName(prefix, 'dead-letters'));
    if (raw < accepted.deliveries || normalized < accepted.messages || dead > 0) {
      throw new Error(
        `${accepted.deliveries} deliveries of ${accepted.messages} messages were accepted, ` +
          `but there are ${raw} raw and ${normalized} normalized messages and ${dead} dead letters`,
      );
    }
    context.print(
      `checked: ${raw} deliveries and ${normalized} messages accepted, all of them on the topics`,
    );
  });
}
