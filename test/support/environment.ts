import type { TestBackbone } from '../setup/backbone.ts';

export const CLIENTS_KEY = 'the key of the tests, long enough for anyone';

/**
 * Returns the environment for a process of a test: nothing that changes its behaviour. It includes the compile cache of
 * the run (`test/setup/global.ts`), because hundreds of processes start from the same sources.
 */
export function bareEnvironment(): Record<string, string> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return {
    ...(PATH === undefined ? {} : { PATH }),
    ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
  };
}

/** Returns the settings by which a process finds its topics. */
export function connectionEnv(at: TestBackbone): Record<string, string> {
  const { brokers, registryUrl, prefix } = at;
  return { KAFKA_BROKERS: brokers.join(','), SCHEMA_REGISTRY_URL: registryUrl, TOPIC_PREFIX: prefix };
}
