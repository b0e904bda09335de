import { RestError } from '../errors.ts';
import { OPERATIONS, type OperationName } from '../operations.ts';
import { NOW } from './world.ts';

/** Returns the parameters without which an operation refuses any query. */
export function requiredBy(name: OperationName): Record<string, string> {
  return name === 'basic-livescore.index' ? { timestamp: String(NOW) } : {};
}

/** Prepares an operation, as the server does for a request. */
export function prepared(name: OperationName, query: unknown, id = 1, now = NOW) {
  const operation = OPERATIONS.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`${name} reads no data`);
  return operation.prepare(query, id, now);
}

/** Tells whether an operation refuses a query for a parameter. */
export function isRefused(name: OperationName, query: unknown): boolean {
  try {
    prepared(name, query);
    return false;
  } catch (error) {
    if (error instanceof RestError && error.code === 'INVALID_PARAMETER') return true;
    throw error;
  }
}
