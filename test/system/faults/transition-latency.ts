import { setTimeout as delay } from 'node:timers/promises';
import { openStreamClient } from '#streams/client/client.ts';
import { StreamError } from '#streams/errors.ts';
import { Registry } from '#topics/registry.ts';
import { TOPICS, topicName } from '#topics/topics.ts';
import { quantile } from '../../../bench/context.ts';
import { quietLog } from '../../support/log.ts';
import type { PipelineConnection } from '../../support/pipeline.ts';

/** Time from the first send of a message until a read-committed reader has its transition. */
export class TransitionLatency {
  readonly #sent = new Map<string, { readonly at: number; readonly phase: string }>();
  readonly #latencies = new Map<string, number[]>();
  readonly #stop = new AbortController();
  #reading: Promise<unknown> = Promise.resolve();

  /** Reads match-transitions until `close`. */
  static async start(connection: PipelineConnection): Promise<TransitionLatency> {
    const latency = new TransitionLatency();
    const codec = await Registry.open({ url: connection.registryUrl, prefix: connection.prefix }).codec(
      'match-transitions',
    );
    const topic = topicName(connection.prefix, 'match-transitions');
    const client = openStreamClient({ brokers: connection.brokers, clientId: 'test-latency', log: quietLog });
    const read = async (partition: number): Promise<void> => {
      const reader = client.openReader({ topic, partition, maxBytes: 1024 * 1024, maxWaitMs: 200 });
      for (let at = 0; !latency.#stop.signal.aborted; ) {
        try {
          const { records, next } = await reader.read(at);
          const now = performance.now();
          at = next;
          for (const { value } of records)
            if (value !== null) latency.#seen((await codec.read(value)).cause.message_id, now);
        } catch (error) {
          // A long time without an answer of a broker is part of the measurement.
          if (!(error instanceof StreamError)) throw error;
          await delay(100);
        }
      }
      await reader.close();
    };
    const partitions = Array.from(
      { length: TOPICS['match-transitions'].partitions },
      (_, partition) => partition,
    );
    latency.#reading = Promise.all(partitions.map(read)).finally(() => client.close());
    return latency;
  }

  /** Records the send time of a message in a phase of the test. Repetitions do not count. */
  sent(messageId: string, phase: string): void {
    if (!this.#sent.has(messageId)) this.#sent.set(messageId, { at: performance.now(), phase });
  }

  /** One line for each phase. */
  get summary(): string {
    return [...this.#latencies]
      .map(([phase, of]) => {
        const at = (share: number) => quantile(of, share).toFixed(0);
        return `${phase}: p50 ${at(0.5)} p99 ${at(0.99)} max ${at(1)} ms of ${of.length} messages`;
      })
      .join('\n');
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#reading;
  }

  #seen(messageId: string, now: number): void {
    const sent = this.#sent.get(messageId);
    if (sent === undefined) return;
    this.#sent.delete(messageId);
    const of = this.#latencies.get(sent.phase);
    if (of === undefined) this.#latencies.set(sent.phase, [now - sent.at]);
    else of.push(now - sent.at);
  }
}
