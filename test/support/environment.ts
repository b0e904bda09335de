/**
 * What a process of a test gets of this one's environment: nothing that changes what it does. Where the run keeps
 * compiled code (`test/setup/global.ts`) is among it: hundreds of processes start from the same sources.
 */
export function bareEnvironment(): Record<string, string> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return {
    ...(PATH === undefined ? {} : { PATH }),
    ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
  };
}
