/** Faults of content and of delivery that a setting can inject. */
import { defineError } from '#errors/touchline-error.ts';

/** Faults of delivery, with their meaning. The rate is a share, 0 to 1. */
const DELIVERY_FAULTS = {
  duplicate: 'share of messages that are sent again later, alone or with their whole batch',
  reorder: 'share of messages that are sent up to two minutes of match time after their turn',
  delay: 'share of messages that are held back for 2 to 20 minutes of match time',
  drop: 'share of deliveries whose connection breaks, before or after the receiver has all, and that are sent again',
  signature: 'share of deliveries that are first sent with a signature that must be refused',
  gzip: 'share of deliveries that are compressed, signed as they are sent or before',
  signed_ahead: 'share of deliveries that a sender signs whose clock is an hour ahead',
  malformed: 'share of deliveries that are followed by an authentic one that nobody can read',
} as const;

/** The ways to disallow an invented goal, with their meaning. */
const DISALLOWING_FAULTS = {
  rejected: 'goals under review that are not given: tbd, then cancelled',
  cancelled: 'confirmed goals that are cancelled later (confirmation)',
  deleted: 'goals that are deleted (action)',
  goal_cancelled: 'goals that are disallowed by an incident 424 that does not name them',
  goal_cancelled_child: 'goals that are disallowed by an incident 424 that names them (parent_id)',
  every_way: 'goals that are disallowed in every way at once',
  goal_cancelled_twice: 'goals that two incidents 424 disallow for one decision; neither names them',
} as const;

/** Faults of content, with their meaning. The rate is the expected number a match. None changes the final score. */
export const CONTENT_FAULTS = {
  ...DISALLOWING_FAULTS,
  review: 'real goals that are reviewed by a 424 and stand: tbd, then cancelled',
  reused_id: 'corrections that carry the identifier of the message that they correct',
  same_second:
    'changes of the status in the second of an incident whose message still has the former status, sent in either order',
  odd_field: 'messages with a field in an odd form: empty text, a number as text, null, another case',
  stamped_ahead: 'incidents whose own `ut` is from a clock that is at least an hour ahead of the receiver',
} as const;

export type DeliveryFault = keyof typeof DELIVERY_FAULTS;
export type ContentFault = keyof typeof CONTENT_FAULTS;
export type Disallowing = keyof typeof DISALLOWING_FAULTS;
export type Fault = DeliveryFault | ContentFault;
export type Faults = Readonly<Record<Fault, number>>;

export const DISALLOWING = Object.keys(DISALLOWING_FAULTS) as Disallowing[];
export const DELIVERY_NAMES = Object.keys(DELIVERY_FAULTS) as DeliveryFault[];
const CONTENT_NAMES = Object.keys(CONTENT_FAULTS) as ContentFault[];
export const FAULT_NAMES: readonly Fault[] = [...DELIVERY_NAMES, ...CONTENT_NAMES];
/** Maximum rate of a fault of content: more invented goals would not fit. */
const MAX_A_MATCH = 5;

/** Returns the same rate, or number, for each fault. */
export function allAt<Name extends string>(names: readonly Name[], rate: number): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, rate])) as Record<Name, number>;
}

function all(delivery: number, content: number): Faults {
  return { ...allAt(DELIVERY_NAMES, delivery), ...allAt(CONTENT_NAMES, content) };
}

export const PRESETS: Readonly<Record<string, Faults>> = {
  none: all(0, 0),
  some: { ...all(0.02, 0.15), duplicate: 0.1, reorder: 0.1, review: 0.3, reused_id: 1 },
  many: { ...all(0.1, 0.5), duplicate: 0.3, reorder: 0.4, review: 1, reused_id: 2, odd_field: 5 },
};

/** Parses a preset (`none`, `some`, `many`), `name=rate` pairs, or both: `some,delay=0.1,every_way=1`. Throws `FaultsError`. */
export function parseFaults(setting: string): Faults {
  return parseRates(setting, FAULT_NAMES, PRESETS, (name) => (name in DELIVERY_FAULTS ? 1 : MAX_A_MATCH));
}

export class FaultsError extends defineError('FaultsError', 'FAULTS_INVALID') {}

/** Parses a setting of faults; one that it does not name has the preset's rate, or 0. Throws `FaultsError`. */
export function parseRates<Name extends string>(
  setting: string,
  names: readonly Name[],
  presets: Readonly<Record<string, Readonly<Record<Name, number>>>>,
  maxRate: (name: Name) => number,
): Record<Name, number> {
  const parts = setting.split(',').map((part) => part.trim());
  const preset = presets[parts[0] ?? ''];
  const rates: Record<Name, number> = { ...(preset ?? allAt(names, 0)) };
  for (const part of preset === undefined ? parts : parts.slice(1)) {
    const [name = '', rate = ''] = part.split('=', 2);
    const fault = names.find((known) => known === name);
    if (fault === undefined)
      throw new FaultsError(
        `unknown fault "${name}"; known are ${[...Object.keys(presets), ...names].join(', ')}`,
      );
    const value = rate === '' ? Number.NaN : Number(rate);
    if (!(value >= 0 && value <= maxRate(fault)))
      throw new FaultsError(`${name}: the rate must be a number from 0 to ${maxRate(fault)}`);
    rates[fault] = value;
  }
  return rates;
}
