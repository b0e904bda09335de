/** The end of a process: its exit code, or the signal that ended it. */
export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** Returns how a process ended, without its name. */
export function endText({ code, signal }: Exit): string {
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}
