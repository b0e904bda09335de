/** A table with its bodies from later days on, as on the topic `standings`. */
type DatedTable = {
  readonly body: string;
  readonly later: readonly { readonly day: string; readonly body: string }[];
};

/** Returns the body of a table on a day (YYYY-MM-DD): who shows a table knows the day, who derives it does not. */
export function bodyOn({ body, later }: DatedTable, day: string): string {
  return later.findLast((one) => one.day <= day)?.body ?? body;
}

/** Returns the day in UTC as YYYY-MM-DD. `at`: Unix milliseconds. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
