import { join } from 'node:path';
import { startKafka } from '#embedded/kafka.ts';
import { securedListeners } from '#embedded/testing/secured-listeners.ts';
import { Authority, writeText } from '../test/support/certificates.ts';
import { writeBacklog } from './backlog.ts';
import { type Contender, matchProcessor, prepare, rate, runThrough } from './contenders.ts';
import { type Bench, type BenchContext, format, median, PROCESSOR } from './context.ts';
import { remove } from './kafka.ts';
import { compareLatency } from './latency.ts';
import { FIRST_ROUND, roundName, sizeOf } from './size.ts';

const EVENTS = sizeOf('BENCH_EVENTS', 1_000, 20);
const MESSAGES = sizeOf(null, 200, 20);
const ROUNDS = sizeOf('BENCH_ROUNDS', 2, 1);
const USER = { name: 'bench', password: 'the-password-of-the-bench' };

type Env = Readonly<Record<string, string>>;
type Measured = { readonly contender: Contender; readonly rates: number[]; readonly micros: number[] };

/**
 * Measures the same services on the same broker, by its plain listener and by the one with TLS and SCRAM-SHA-512, in
 * turns: a backlog through two match processors, then the latency from a webhook to the match state at a steady rate.
 */
export const bench: Bench = {
  about: 'throughput and latency over TLS with SCRAM-SHA-512, beside plain connections to the same broker',
  subject: [...PROCESSOR, 'libs/security'],
  async run(context) {
    const authority = await Authority.create('authority of the bench');
    const kafka = await startKafka({
      dataDir: join(context.dir, 'secured'),
      security: securedListeners({
        tls: { ...(await authority.sign('broker')), ca: authority.ca.cert },
        users: { [USER.name]: USER.password },
      }),
    });
    try {
      const env = {
        KAFKA_BROKERS: kafka.secured?.sasl.join(',') ?? '',
        KAFKA_TLS: 'on',
        KAFKA_TLS_CA_FILE: writeText(context.dir, 'ca.crt', authority.ca.cert),
        KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
        KAFKA_SASL_USERNAME: USER.name,
        KAFKA_SASL_PASSWORD: USER.password,
      };
      const on = { ...context, brokers: kafka.brokers };
      await compareThroughput(on, env);
      await compareLatency(on, ROUNDS, [
        { name: 'plain', env: {} },
        { name: 'TLS', env },
      ]);
    } finally {
      await kafka.stop();
    }
  },
};

async function compareThroughput(context: BenchContext, env: Env): Promise<void> {
  const prefix = context.prefix('backlog');
  const { records } = await writeBacklog(context, { prefix, events: EVENTS, messages: MESSAGES });
  const [tls, plain] = [env, {}].map((settings) => ({
    contender: matchProcessor(2, settings),
    rates: [] as number[],
    micros: [] as number[],
  })) as [Measured, Measured];
  for (let round = FIRST_ROUND; round <= ROUNDS; round++) {
    for (const one of [tls, plain]) {
      const job = one.contender.on(prefix, round);
      await prepare(context, job);
      const run = await runThrough(context, job, records);
      context.print(
        `${roundName(round)} ${one === tls ? 'TLS' : 'plain'}: ` +
          `${format(rate(run))} msg/s, ${run.cpuSeconds.toFixed(1)} s of processor`,
      );
      if (round === 0) continue;
      one.rates.push(rate(run));
      one.micros.push((run.cpuSeconds * 1e6) / records);
    }
  }
  context.figure({
    name: 'throughput of two match processors',
    ours: median(tls.rates),
    unit: 'msg/s',
    beside: { name: 'plain', value: median(plain.rates) },
  });
  context.figure({
    name: 'processor time a message',
    ours: median(tls.micros),
    unit: 'µs',
    better: 'less',
    beside: { name: 'plain', value: median(plain.micros) },
  });
  await remove(context.brokers, prefix, [matchProcessor(2).on(prefix, 0).group]);
}
