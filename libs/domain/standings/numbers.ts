/** A ratio as in tables: text with two decimals, rounded half up; '' where the divisor is 0. */
export function ratio(count: number, of: number): string {
  if (of === 0) return '';
  const hundredths = Math.floor((count * 200 + of) / (of * 2));
  return `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}`;
}

/** A percentage in the same form. */
export function percentage(count: number, of: number): string {
  return ratio(count * 100, of);
}
