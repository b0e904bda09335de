/**
 * The kinds of the provider's fields: of each its exact form, which later code reads, and the other forms that have the same one
 * meaning (docs/reference/lenient-reading.md).
 */
import { z } from 'zod';
import {
  identifier,
  isValue,
  isWhole,
  LONG_MAX,
  textOrNone,
  whole,
  wholeInText,
  wholeOrNone,
  yesNoOrNone,
} from '#json/values.ts';

/** The result of reading a value that has no readable form. */
export const UNREADABLE = Symbol('unreadable');

/** A kind of field. */
export type FieldKind<S extends z.ZodType = z.ZodType> = {
  /** The schema of the exact form. */
  readonly exact: S;
  /** Whether a value has the exact form: the same, at half the cost. Without it the schema decides. */
  readonly isExact?: (value: unknown) => boolean;
  /** Whether a record without a readable value of this field is unreadable too. */
  readonly isEssential: boolean;
  /** Whether the value has records, whose exact form may have unknown fields that no message can have. */
  readonly isNested: boolean;
  /**
   * Returns the exact form of a value in another form: undefined for an empty one, `UNREADABLE` where it has none. Adds to
   * `unread` what it leaves out of the value, or reads as something else; `path` is that of the value.
   */
  readonly repair: (value: unknown, path: string, unread: Set<string>) => unknown;
};

/** Returns a kind of single value. `repair` reads other forms, but an empty text is none. */
export function kindOf<S extends z.ZodType>(exact: S, repair: FieldKind['repair']): FieldKind<S> {
  return {
    exact,
    isEssential: false,
    isNested: false,
    repair: (value, path, unread) => (isEmpty(value) ? undefined : repair(value, path, unread)),
  };
}

/** Whether a value is a text of blanks alone. */
export function isEmpty(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** Returns this kind, of a field whose record is unreadable without it. */
export function essential<S extends z.ZodType>(kind: FieldKind<S>): FieldKind<S> {
  return { ...kind, isEssential: true };
}

/** A whole number from 0 to `max`, or none. */
export function numberOrNone(max: number): FieldKind<ReturnType<typeof wholeOrNone>> {
  const kind = kindOf(wholeOrNone(max), (value) => wholeUpTo(max, value));
  return { ...kind, isExact: (value) => value === null || value === undefined || isWhole(value, max) };
}

/** A whole number from 0 to `max`. */
export function number(max: number): FieldKind<ReturnType<typeof whole>> {
  return essential(kindOf(whole(max), (value) => wholeUpTo(max, value)));
}

/** The id of a match, from 1: no provider has others. */
export function eventId(): FieldKind<ReturnType<typeof whole>> {
  const positive = whole(LONG_MAX).refine((value) => Number(value) >= 1, 'expected an id from 1');
  return essential(
    kindOf(positive, (value) => {
      const found = wholeUpTo(LONG_MAX, value);
      return found === 0 ? UNREADABLE : found;
    }),
  );
}

function wholeUpTo(max: number, value: unknown): unknown {
  const found = typeof value === 'string' ? wholeInText(value) : null;
  return found !== null && found <= max ? found : UNREADABLE;
}

/** Text, or none. */
export const text = kindOf(textOrNone, (value) => (Number.isFinite(value) ? String(value) : UNREADABLE));

/** Text that no number stands for, or none. */
export const onlyText = kindOf(textOrNone, () => UNREADABLE);

const YES: ReadonlySet<unknown> = new Set(['yes', 'true', '1', true, 1]);
const NO: ReadonlySet<unknown> = new Set(['no', 'false', '0', false, 0]);

/** The provider's boolean, or none. */
export const yesNo = kindOf(yesNoOrNone, (value) => {
  const flag = typeof value === 'string' ? canonicalWord(value) : value;
  if (YES.has(flag)) return 'yes';
  return NO.has(flag) ? 'no' : UNREADABLE;
});

/** One of these words, or none. `expected`: how an error names them. */
export function oneOf<const W extends readonly [string, ...string[]]>(words: W, expected: string) {
  const known = new Set<string>(words);
  return kindOf(z.enum(words, expected).nullish(), (value) => knownWord(known, value));
}

/** A word, or none: one of these in lower case, or any other as the provider writes it. */
export function word(...words: readonly string[]) {
  const known = new Set(words);
  const isOther = (value: string): boolean => !isEmpty(value) && !known.has(canonicalWord(value));
  const isExact = (value: unknown): boolean =>
    value === null ||
    value === undefined ||
    (typeof value === 'string' && (known.has(value) || isOther(value)));
  const exact = z.custom<string | null | undefined>(isExact, 'expected a word or null').optional();
  return { ...kindOf(exact, (value) => knownWord(known, value)), isExact };
}

function knownWord(known: ReadonlySet<string>, value: unknown): unknown {
  const found = typeof value === 'string' ? canonicalWord(value) : '';
  return known.has(found) ? found : UNREADABLE;
}

/** Returns a word as the contract writes words: in lower case, without blanks around it. */
export function canonicalWord(value: string): string {
  return value.trim().toLowerCase();
}

const CONFIRMATIONS = ['confirmed', 'tbd', 'cancelled'] as const;
const isConfirmation: ReadonlySet<string> = new Set(CONFIRMATIONS);

/** The confirmation of an incident, or none. One that is no known word is `tbd`: neither certain nor void. */
export const confirmation = kindOf(
  z.enum(CONFIRMATIONS, 'expected confirmed, tbd, cancelled or null').nullish(),
  (value, path, unread) => {
    const found = knownWord(isConfirmation, value);
    if (found !== UNREADABLE) return found;
    unread.add(path);
    return 'tbd';
  },
);

const MATCH_TIME = /^[0-9]{2,4}:[0-5][0-9]$/;
const SHORT_MATCH_TIME = /^[0-9]:[0-5][0-9]$/;

/** Minutes and seconds of match time, or none; the minutes may exceed 99. */
export const matchTime = kindOf(
  z.string('expected MM:SS or null').regex(MATCH_TIME, 'expected MM:SS or null').nullish(),
  (value) => {
    const time = typeof value === 'string' ? value.trim() : '';
    if (MATCH_TIME.test(time)) return time;
    return SHORT_MATCH_TIME.test(time) ? `0${time}` : UNREADABLE;
  },
);

/** An identifier that is text. */
export const textId = essential(kindOf(identifier, textOfId));

/** An identifier that is text, or none. */
export const textIdOrNone = kindOf(identifier.nullish(), textOfId);

function textOfId(value: unknown): unknown {
  return Number.isSafeInteger(value) ? String(value) : UNREADABLE;
}

/** The id of a message: a whole number or text, or none. */
export const messageId = kindOf(
  z.union([z.int(), identifier], 'expected a number or text').nullish(),
  () => UNREADABLE,
);

/** The value of a result, statistic or detail: a number or text, or none. A whole number in a text is digits alone. */
export const value = kindOf(z.custom<unknown>(isValue), (given) =>
  typeof given === 'string' ? String(wholeInText(given)) : UNREADABLE,
);
