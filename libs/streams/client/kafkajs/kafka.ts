import { connect, type Socket } from 'node:net';
import { Kafka } from 'kafkajs';
import type { Logger } from '../../log.ts';
import { kafkaLogCreator } from './log-creator.ts';
import './request-queue.ts';

export type KafkaOptions = {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly log: Logger;
  /** Receives each connection: kafkajs waits a minute for the answer of a broker that hangs, whatever the settings. */
  readonly onSocket?: (socket: Socket) => void;
};

/** A kafkajs client whose log lines go to `log`. */
export function createKafka({ brokers, clientId, log, onSocket }: KafkaOptions): Kafka {
  return new Kafka({
    brokers: [...brokers],
    clientId,
    logCreator: kafkaLogCreator(log),
    connectionTimeout: 3_000,
    requestTimeout: 30_000,
    retry: { initialRetryTime: 50, maxRetryTime: 1_000, retries: 10 },
    ...(onSocket === undefined
      ? {}
      : {
          socketFactory({ host, port, onConnect }) {
            const socket = connect({ host, port, keepAlive: true }, onConnect);
            onSocket(socket);
            return socket;
          },
        }),
  });
}
