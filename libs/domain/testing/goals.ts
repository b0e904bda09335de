import type { Incident } from '#records/types.ts';
import { readSides, type Sides } from '../event-facts.ts';
import { EventRegister } from '../event-register.ts';
import { tallyGoals } from '../goals.ts';
import { AWAY, eventOf, type IncidentOptions, incident, participants, START } from './messages.ts';

/** Returns the sides of an event with this `participants` value. */
export function sidesOf(value: unknown): Sides {
  const register = new EventRegister();
  register.apply(eventOf({ participants: value }), { ut: START, message_id: null });
  return readSides(register);
}

export const sides = sidesOf(participants());

/** Returns the tally of a timeline in id order. `removed` and `missing`: the ids of such incidents. */
export function tally(
  timeline: readonly Incident[],
  removed: readonly string[] = [],
  of = sides,
  missing: readonly string[] = [],
) {
  const known = timeline.map((one) => ({
    id: one.id,
    incident: one,
    removed: removed.includes(one.id),
    missing: missing.includes(one.id),
  }));
  const is424 = ({ incident }: (typeof known)[number]) => incident.incident_id === 424;
  const result = tallyGoals(
    known.filter((one) => !is424(one)),
    known.filter(is424),
    of,
  );
  return { ...result, voided: Object.fromEntries(result.voided), voidBy: Object.fromEntries(result.voidBy) };
}

const TYPES: Readonly<Record<string, number>> = { g: 413, o: 423, c: 424 };

/** What the marks of a written incident say. */
const MARKS: Readonly<Record<string, IncidentOptions>> = {
  a: { participant_id: AWAY },
  u: { participant_id: 999 },
  x: { participant_id: null },
  '~': { confirmation: 'tbd' },
  '!': { confirmation: 'cancelled' },
  '?': { confirmation: null },
};

/** The same of those that have a value; `-` is an unknown one. */
const VALUES: Readonly<Record<string, (value: string) => IncidentOptions>> = {
  '@': (time) => ({ event_time: time === '-' ? null : Number(time) }),
  '#': (phase) => ({ event_status_id: phase === '-' ? null : Number(phase) }),
  '>': (parent) => ({ parent_id: `5-${parent}` }),
  '^': (side) => ({ counts_for: side }),
  '+': (ut) => ({ ut: Number(ut) }),
  '=': (message) => ({ message_id: Number(message) }),
};

function written(token: string): Incident {
  const [kind = '', number = '', ...marks] =
    token.match(/^[goc]|(?<=^[goc])\d+|[aux~!?/*]|[@#>^+=][a-z0-9-]+/g) ?? [];
  const options = marks.map((mark) => MARKS[mark] ?? VALUES[mark[0] as string]?.(mark.slice(1)));
  return incident(`5-${number}`, TYPES[kind] as number, Object.assign({}, ...options));
}

/**
 * Returns the tally of a written timeline: goals (g), own goals (o) and cancellations (c) with the numbers of their ids, such as
 * `g1 o2a@600 c3>2~`. Marks: of the away team (a), of an unknown one (u), of none (x), to be confirmed (~), cancelled (!), without
 * confirmation (?), removed (/), missing (*), match time (@), phase (#), parent (>), `for` (^), time (+) and message (=) of its record.
 */
export function tallyOf(text: string) {
  const tokens = text.split(' ');
  const marked = (mark: string) => tokens.filter((one) => one.includes(mark)).map((one) => written(one).id);
  return tally(tokens.map(written), marked('/'), sides, marked('*'));
}
