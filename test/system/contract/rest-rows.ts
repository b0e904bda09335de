import { endpointRows } from './endpoints.ts';
import { errorRows } from './errors.ts';
import { limitRows } from './limits.ts';
import { prose } from './prose.ts';
import { rules } from './rules.ts';
import { shootOutRows } from './shoot-out.ts';

/** The rows of REST that any server of the contract can answer, in this process too. */
export function restRows(): void {
  shootOutRows();
  endpointRows();
  rules();
  errorRows();
  limitRows();
  prose();
}
