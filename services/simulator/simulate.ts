import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { type Play, type PlaySummary, play } from './player.ts';
import type { RestSummary, ServedProvider } from './rest/serve.ts';
import type { WebhookSender } from './webhook.ts';

/** What was told; the rest of `PlaySummary` where there were webhooks, `rest` where REST was served. */
export type Summary = Pick<PlaySummary, 'dataset' | 'matches' | 'messages' | 'invented' | 'seconds'> &
  Partial<PlaySummary> & { readonly rest?: RestSummary };

/** What is simulated, by webhooks, by REST or by both. */
export type Simulation = {
  readonly playing: Play;
  readonly sender: WebhookSender | null;
  readonly rest: ServedProvider | null;
  readonly metrics: Registry;
  readonly signal: AbortSignal;
  /** Real seconds that REST is served after all was told; until the signal where undefined. */
  readonly keepSeconds: number | undefined;
  /** Told when all was told and accepted, and again at the end where REST was served. */
  readonly onSummary: (summary: Summary) => void;
  readonly onAllTold: (summary: Summary) => void;
};

/**
 * Plays until all was told, by webhooks until it was accepted, and then serves REST on. Resolves when nothing is left
 * to do; rejects with the signal's reason when that is aborted before all was told.
 */
export async function simulate(simulation: Simulation): Promise<void> {
  const { rest, signal, keepSeconds, onSummary } = simulation;
  const summary = await tellAll(simulation);
  const current = (): Summary => (rest === null ? summary : { ...summary, rest: rest.summary() });
  onSummary(current());
  simulation.onAllTold(current());
  if (rest === null) return;
  await until(signal, keepSeconds);
  onSummary(current());
}

async function tellAll({ playing, sender, rest, metrics, signal }: Simulation): Promise<Summary> {
  const startedAt = performance.now();
  rest?.start();
  const played =
    sender === null
      ? null
      : await play(rest === null ? playing : withRest(playing, rest), sender, metrics, signal);
  // Nothing holds up who only reads: what is not told by webhooks is told at once where there is no pace.
  rest?.reach(Number.POSITIVE_INFINITY);
  await rest?.allTold(signal);
  if (played !== null) return played;
  const { dataset } = playing;
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const totals = rest?.provider.timeline.totals ?? { matches: 0, messages: 0, invented: {} };
  return { dataset: dataset.competition.dataset, ...totals, seconds };
}

/** Webhooks in step with REST, and some of them lost where that is ordered. */
function withRest(playing: Play, { speed, reach, provider }: ServedProvider): Play {
  return {
    ...playing,
    pace: { speed },
    onPlayed: reach,
    loses: () => provider.faults.strikes('webhook_loss'),
  };
}

/** Waits so many seconds, or until the signal is aborted. */
async function until(signal: AbortSignal, seconds: number | undefined): Promise<void> {
  if (signal.aborted) return;
  const asked = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  const over = seconds === undefined ? [] : [sleep(seconds * 1000, undefined, { ref: false })];
  await Promise.race([asked, ...over]);
}
