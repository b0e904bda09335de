import { Registry } from 'prom-client';
import { type PollerMetrics, pollerMetrics } from '../metrics.ts';
import { type FeedAnswer, readAnswer } from '../provider/answer.ts';

/** The text of an answer in the envelope of the contract. */
export function envelope(data: unknown, timestamp: number, method: object = {}): string {
  return JSON.stringify({ api: { ver: '2.1.0', timestamp, method: { name: 'test', ...method }, data } });
}

/** An answer as the poller reads it. */
export function answer(data: unknown, timestamp: number, method: object = {}): FeedAnswer {
  return readAnswer('test', Buffer.from(envelope(data, timestamp, method)), 'http://provider');
}

/** Metrics in a registry of their own. */
export function testMetrics(): PollerMetrics {
  return pollerMetrics(new Registry());
}
