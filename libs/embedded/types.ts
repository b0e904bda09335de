/** Environment variables as a process has them. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Receives one line of progress at a time, without a line end. */
export type OnProgress = (line: string) => void;

/** How a process ended: its exit code, or the signal that ended it. */
export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };
