/** Reads a whole number as the provider writes it: a number, or a string of digits. Returns null for any other value. */
export function toWholeNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null;
  return typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? toWholeNumber(Number(value)) : null;
}
