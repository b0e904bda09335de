import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';

export type TestBackbone = {
  readonly brokers: string[];
  readonly registryUrl: string;
  /** Prefix for topics, groups and subjects, of this call alone; ends with a dot. */
  readonly prefix: string;
};

const places: TestBackbone[] = [];

/** What was given out since it was last asked. */
export function takePlaces(): TestBackbone[] {
  return places.splice(0);
}

/**
 * The broker and the registry of this test run, shared by all files of it: whatever a test makes there goes under
 * its prefix, and its topics are taken away after the file. A test that kills or freezes a broker, or damages its logs, uses
 * that of its worker (`restartableKafka`); one that wants settings that a running broker does not take starts its own with
 * `#embedded/kafka.ts`.
 */
export function backbone(): TestBackbone {
  const prefix = `t-${randomBytes(4).toString('hex')}.`;
  const place = { brokers: inject('brokers'), registryUrl: inject('registryUrl'), prefix };
  places.push(place);
  return place;
}
