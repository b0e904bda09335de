import { Registry } from 'prom-client';
import { type PollerMetrics, pollerMetrics } from '../metrics.ts';
import { type FeedAnswer, readAnswer } from '../provider/answer.ts';

/** Returns the text of an answer in the envelope of the contract. */
export function envelope(data: unknown, timestamp: number, method: object = {}): string {
  return JSON.stringify({ api: { ver: '2.1.0', timestamp, method: { name: 'test', ...method }, data } });
}

/** Returns an answer as the poller reads it. */
export function answer(data: unknown, timestamp: number, method: object = {}): FeedAnswer {
  return readAnswer('test', Buffer.from(envelope(data, timestamp, method)), 'http://provider');
}

/** Creates the poller's metrics in a new registry. */
export function testMetrics(): PollerMetrics {
  return pollerMetrics(new Registry());
}
