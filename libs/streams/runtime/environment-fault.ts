import { StreamError } from '../errors.ts';

/** Codes of Node that are not of a system call. */
const CODES = /^(ERR_SQLITE|ERR_MEMORY_ALLOCATION_FAILED|ERR_WORKER_)/;

/**
 * Whether a failure has its cause in the broker, the disk, the memory or the runtime: it says nothing of the record that was
 * processed, however often it happens. Looks at the causes too.
 */
export function isEnvironmentFault(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof StreamError) return true;
    const { code, errno } = at as { code?: unknown; errno?: unknown };
    if (typeof errno === 'number' || (typeof code === 'string' && CODES.test(code))) return true;
  }
  return false;
}
