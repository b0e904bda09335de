import type { Socket } from 'node:net';
import { Kafka } from 'kafkajs';
import type { Logger } from '../../log.ts';
import type { Brokers } from '../brokers.ts';
import { kafkaLogCreator } from './log-creator.ts';
import './request-queue.ts';
import { connectionOptions } from './security.ts';

export type KafkaOptions = {
  readonly brokers: Brokers;
  readonly clientId: string;
  readonly log: Logger;
  /** Receives each connection: kafkajs waits a minute for the answer of a broker that hangs, whatever the settings. */
  readonly onSocket?: (socket: Socket) => void;
};

/** A kafkajs client whose log lines go to `log`. */
export function createKafka({ brokers, clientId, log, onSocket }: KafkaOptions): Kafka {
  return new Kafka({
    ...connectionOptions(brokers, onSocket),
    clientId,
    logCreator: kafkaLogCreator(log),
    connectionTimeout: 3_000,
    requestTimeout: 30_000,
    retry: { initialRetryTime: 50, maxRetryTime: 1_000, retries: 10 },
  });
}
