import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';

export type TestBackbone = {
  readonly brokers: string[];
  readonly registryUrl: string;
  /** Prefix of topics, groups and subjects, unique for each call; ends with a dot. */
  readonly prefix: string;
};

const given: TestBackbone[] = [];

export function takeConnections(): TestBackbone[] {
  return given.splice(0);
}

/**
 * Returns the broker and the registry of this test run, which all its files share. A test creates topics under its
 * prefix only, and they are deleted after the file. A test that kills or freezes a broker, or damages its logs, uses
 * the broker of its worker (`restartableKafka`). A test that needs settings which a running broker does not accept
 * starts its own with `#embedded/kafka.ts`.
 */
export function backbone(): TestBackbone {
  const prefix = `t-${randomBytes(4).toString('hex')}.`;
  const connection = { brokers: inject('brokers'), registryUrl: inject('registryUrl'), prefix };
  given.push(connection);
  return connection;
}
