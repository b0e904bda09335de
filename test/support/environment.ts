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

/** Lets each server of a process listen on any port. */
export const ANY_PORTS = { WEBHOOK_PORT: '0', API_PORT: '0', TOOLS_PORT: '0', DISPATCHER_PORT: '0' };

/** Returns the settings by which a process finds its topics. */
export function connectionEnv(at: TestBackbone): Record<string, string> {
  const { brokers, registryUrl, prefix } = at;
  return { KAFKA_BROKERS: brokers.join(','), SCHEMA_REGISTRY_URL: registryUrl, TOPIC_PREFIX: prefix };
}
