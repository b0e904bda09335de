/** Parses settings of faults. */

import { TouchlineError } from '#errors/touchline-error.ts';

/** A setting of faults is invalid. */
export class FaultsError extends TouchlineError<'FaultsError'> {
  override readonly name = 'FaultsError';

  constructor(message: string) {
    super('FAULTS_INVALID', message);
  }
}

/**
 * Reads an order: a preset, `name=rate` pairs, or a preset and pairs that change it, with commas between. A fault that
 * is not named has the rate 0. `most` is the highest rate of a fault. Throws `FaultsError`.
 */
export function parseRates<Name extends string>(
  order: string,
  names: readonly Name[],
  presets: Readonly<Record<string, Readonly<Record<Name, number>>>>,
  most: (name: Name) => number,
): Record<Name, number> {
  const parts = order.split(',').map((part) => part.trim());
  const preset = presets[parts[0] ?? ''];
  const none = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
  const rates: Record<Name, number> = { ...(preset ?? none) };
  for (const part of preset === undefined ? parts : parts.slice(1)) {
    const [name = '', rate = ''] = part.split('=', 2);
    const fault = names.find((known) => known === name);
    if (fault === undefined)
      throw new FaultsError(
        `unknown fault "${name}"; known are ${[...Object.keys(presets), ...names].join(', ')}`,
      );
    const value = rate === '' ? Number.NaN : Number(rate);
    if (!(value >= 0 && value <= most(fault)))
      throw new FaultsError(`${name}: the rate must be a number from 0 to ${most(fault)}`);
    rates[fault] = value;
  }
  return rates;
}
