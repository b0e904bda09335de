import { Kafka } from 'kafkajs';
import type { Logger } from '../log.ts';
import { kafkaLogCreator } from './log-creator.ts';
import './request-queue.ts';

export type KafkaOptions = {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly log: Logger;
};

/** A kafkajs client whose log lines go to `log`. */
export function createKafka({ brokers, clientId, log }: KafkaOptions): Kafka {
  return new Kafka({
    brokers: [...brokers],
    clientId,
    logCreator: kafkaLogCreator(log),
    connectionTimeout: 3_000,
    requestTimeout: 30_000,
    retry: { initialRetryTime: 50, maxRetryTime: 1_000, retries: 10 },
  });
}
