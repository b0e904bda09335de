import { once } from 'node:events';
import { type PlayOptions, type PlaySummary, play } from './player.ts';
import type { ServedProvider } from './rest/provider.ts';
import type { WebhookSender } from './webhook.ts';

/** The totals of a simulation. With webhooks it has all of `PlaySummary`, with REST also `rest`. */
export type SimulationSummary = Pick<
  PlaySummary,
  'dataset' | 'matches' | 'messages' | 'invented' | 'seconds'
> &
  Partial<PlaySummary> & {
    readonly rest?: { readonly faults: Readonly<Record<string, number>> };
  };

/** A simulation by webhooks (`sender`), by REST (`rest`) or by both. */
export type Simulation = {
  readonly playing: PlayOptions;
  readonly sender: WebhookSender | null;
  readonly rest: ServedProvider | null;
  readonly signal: AbortSignal;
  /** Called when everything is published and accepted, and again when serving REST ends. */
  readonly onSummary: (summary: SimulationSummary) => void;
  readonly onAllPublished: (summary: SimulationSummary) => void;
};

/** Plays until all is published, then serves REST until `signal`. Rejects with its reason when it comes before that. */
export async function simulate(simulation: Simulation): Promise<void> {
  const { rest, signal, onSummary } = simulation;
  const summary = await playAll(simulation);
  const current = (): SimulationSummary => {
    if (rest === null) return summary;
    return { ...summary, rest: { faults: rest.provider.faults.counts } };
  };
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
  // With infinite speed, REST now shows everything that no webhook had to deliver first.
  rest?.reach(Number.POSITIVE_INFINITY);
  await rest?.allPublished(signal);
  if (played !== null) return played;
  const { dataset } = playing;
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const totals = rest?.provider.timeline.totals ?? { matches: 0, messages: 0, invented: {} };
  return { dataset: dataset.competition.dataset, ...totals, seconds };
}

/** Returns the options of webhooks that follow the clock of REST; the fault `webhook_loss` drops some of them. */
function withRest(playing: PlayOptions, { speed, reach, provider }: ServedProvider): PlayOptions {
  return {
    ...playing,
    pace: { speed },
    onPlayed: reach,
    loses: () => provider.faults.strikes('webhook_loss'),
  };
}
