import { once } from 'node:events';
import { type PlayOptions, type PlaySummary, play } from './player.ts';
import type { ServedProvider } from './rest/serve.ts';
import type { WebhookSender } from './webhook.ts';

/** Totals of what was published; the rest of `PlaySummary` with webhooks, `rest` with REST. */
export type SimulationSummary = Pick<
  PlaySummary,
  'dataset' | 'matches' | 'messages' | 'invented' | 'seconds'
> &
  Partial<PlaySummary> & { readonly rest?: { readonly faults: Readonly<Record<string, number>> } };

/** What is simulated, by webhooks, by REST or by both. */
export type Simulation = {
  readonly playing: PlayOptions;
  readonly sender: WebhookSender | null;
  readonly rest: ServedProvider | null;
  readonly signal: AbortSignal;
  /** Called once everything is published and accepted, and again at the end of REST. */
  readonly onSummary: (summary: SimulationSummary) => void;
  readonly onAllPublished: (summary: SimulationSummary) => void;
};

/**
 * Plays until everything is published (and, by webhook, accepted), then serves REST until the signal. Rejects with
 * the signal's reason when it is aborted before everything is published.
 */
export async function simulate(simulation: Simulation): Promise<void> {
  const { rest, signal, onSummary } = simulation;
  const summary = await playAll(simulation);
  const current = (): SimulationSummary =>
    rest === null ? summary : { ...summary, rest: { faults: rest.provider.faults.counts } };
  onSummary(current());
  simulation.onAllPublished(current());
  if (rest === null) return;
  if (!signal.aborted) await once(signal, 'abort');
  onSummary(current());
}

async function playAll({ playing, sender, rest, signal }: Simulation): Promise<SimulationSummary> {
  const startedAt = performance.now();
  rest?.start();
  const played =
    sender === null ? null : await play(rest === null ? playing : withRest(playing, rest), sender, signal);
  // Without a pace, REST shows at once what no webhook has to deliver first.
  rest?.reach(Number.POSITIVE_INFINITY);
  await rest?.allPublished(signal);
  if (played !== null) return played;
  const { dataset } = playing;
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const totals = rest?.provider.timeline.totals ?? { matches: 0, messages: 0, invented: {} };
  return { dataset: dataset.competition.dataset, ...totals, seconds };
}

/** Webhooks in step with REST, some of them lost if that fault is set. */
function withRest(playing: PlayOptions, { speed, reach, provider }: ServedProvider): PlayOptions {
  return {
    ...playing,
    pace: { speed },
    onPlayed: reach,
    loses: () => provider.faults.strikes('webhook_loss'),
  };
}
