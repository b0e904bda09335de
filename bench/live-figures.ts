/** The figures of the bench `live`, and the lines of its rounds. */
import { processNames } from '../cli/services.ts';
import { type BenchContext, format, quantile } from './context.ts';
import { type LiveLatencies, type LiveSurface, SURFACES } from './live-surfaces.ts';
import { BROKER_COMPILER, type MachineUse, usedBy } from './machine-use.ts';
import { describeRequests, type RequestCounts, totalOf } from './request-counts.ts';

/** Use of processor and broker in a time, by process. `messages` is 0 while idle. */
export type Window = {
  readonly seconds: number;
  readonly messages: number;
  readonly before: MachineUse;
  readonly after: MachineUse;
  readonly requests: ReadonlyMap<string, RequestCounts>;
};

/** The cost of messages at a pace, and when they were seen. */
export type Pace = { readonly window: Window; readonly latencies: LiveLatencies };

/** Paces by their messages a second. */
type Paces = ReadonlyMap<number, Pace>;

/** The rate of a busy afternoon, for which the limits are wanted. */
const MAIN_RATE = 200;
/** Wanted at most, on two cores: the idle share of a core, and milliseconds and requests of a message at the main rate. */
const WANTED = { idlePercent: 8, ms: 4.5, requests: 3.5 };
/** Wanted p50 at the main rate, milliseconds; its p99 may be five times as long. */
const WANTED_P50: Readonly<Record<LiveSurface, number>> = {
  'match-state': 6,
  REST: 12,
  'the board': 30,
  'a client’s webhook': 12,
};
const P99_OF_P50 = 5;
/** Wanted p99 to REST where messages fill the machine, milliseconds. */
const FULL = { rate: 1_000, restMs: 500 };
const QUANTILES = [
  ['p50', 0.5],
  ['p99', 0.99],
] as const;
/** It answers each delivery by itself: its requests count apart. */
const RECEIVER = 'webhook-receiver';

/** Describes processor time and requests: of a message, or of a second where there is none. */
export function describeWindow(name: string, window: Window): string[] {
  const { messages, seconds, requests } = window;
  const isIdle = messages === 0;
  const [per, perUse] = isIdle ? [seconds, seconds * 1e4] : [messages, messages];
  const parts = processesOf(window)
    .map((process) => [process, usedBy(process, window.before, window.after, perUse)] as const)
    .toSorted(([, a], [, b]) => b - a)
    .map(([process, used]) => `${process} ${format(used)}`);
  const compiler = usedBy(BROKER_COMPILER, window.before, window.after, perUse);
  return [
    `${name}, ${isIdle ? 'share of a core, %' : 'processor time of a message, µs'}: all ${format(totalUse(window, perUse))}: ${parts.join(', ')}; of the broker’s, ${format(compiler)} to compile its code`,
    ...[...requests].map(
      ([process, counts]) =>
        `${name}, requests ${isIdle ? 'a second' : 'of a message'}: ${process} ${format(totalOf(counts) / per)}: ${describeRequests(counts, per)}`,
    ),
  ];
}

/** Describes the latencies of each surface. */
export function describeLatencies(latencies: LiveLatencies): string {
  return [...latencies]
    .filter(([, times]) => times.length > 0)
    .map(([surface, times]) => {
      const at = (share: number) => format(quantile(times, share));
      return `${surface} p50 ${at(0.5)} p99 ${at(0.99)} ms of ${times.length}`;
    })
    .join('; ');
}

/**
 * Adds the figures: those with subscriptions beside those without, and those of the main rate beside what is wanted. `sustained`: the
 * highest rate that does not make more and more messages wait.
 */
export function addFigures(
  { figure }: BenchContext,
  {
    idle,
    plain,
    subscribed,
    sustained,
  }: {
    readonly idle: Window;
    readonly plain: Paces;
    readonly subscribed: Paces;
    readonly sustained: number;
  },
): void {
  const add = (name: string, unit: string, ours: number, beside: { name: string; value: number }) =>
    figure({ name, unit, ours, beside, better: 'less', ...(beside.name === 'wanted' ? { target: 1 } : {}) });
  const wanted = (value: number) => ({ name: 'wanted', value });
  figure({
    name: 'sustained, without subscriptions',
    unit: 'messages/s',
    ours: sustained,
    beside: wanted(FULL.rate),
    target: 1,
  });
  const idleUse = totalUse(idle, idle.seconds) / 1e4;
  add('idle: processor time of all processes', '% of a core', idleUse, wanted(WANTED.idlePercent));
  for (const [rate, pace] of plain) {
    const more = subscribed.get(rate) ?? pace;
    const at = `${rate} messages/s`;
    const isMain = rate === MAIN_RATE;
    const cost = (name: string, unit: string, of: (window: Window) => number, limit: number) => {
      if (isMain) add(`${at}: ${name}`, unit, of(pace.window), wanted(limit));
      const alone = { name: 'without', value: of(pace.window) };
      add(`${at}, ten subscriptions: ${name}`, unit, of(more.window), alone);
    };
    cost('processor time of a message', 'ms', msOf, WANTED.ms);
    cost('requests of a message, without the receiver’s', 'requests', requestsOf, WANTED.requests);
    for (const surface of SURFACES) {
      const isWebhook = surface === 'a client’s webhook';
      for (const [name, share] of QUANTILES) {
        const ofPace = ({ latencies }: Pace) => quantile(latencies.get(surface) ?? [], share);
        const limit = WANTED_P50[surface] * (name === 'p99' ? P99_OF_P50 : 1);
        const [ours, with10] = [ofPace(pace), ofPace(more)];
        const state = quantile(more.latencies.get('match-state') ?? [], share);
        if (isMain) add(`${at}: to ${surface}, ${name}`, 'ms', isWebhook ? with10 : ours, wanted(limit));
        if (rate === FULL.rate && surface === 'REST' && name === 'p99')
          add(`${at}: to ${surface}, ${name}`, 'ms', ours, wanted(FULL.restMs));
        const beside = isWebhook
          ? { name: 'to match-state', value: state }
          : { name: 'without', value: ours };
        add(`${at}, ten subscriptions: to ${surface}, ${name}`, 'ms', with10, beside);
      }
    }
  }
}

/** Names the processes of the platform: not the bench, which sends the load. */
function processesOf({ after }: Window): string[] {
  return ['broker', 'registry', ...processNames()].filter((name) => after.has(name));
}

/** Returns the processor time of all processes of the platform, microseconds divided by `per`. */
function totalUse(window: Window, per: number): number {
  return processesOf(window).reduce((sum, name) => sum + usedBy(name, window.before, window.after, per), 0);
}

function msOf(window: Window): number {
  return totalUse(window, window.messages) / 1_000;
}

/** Returns the requests of a message without those of the receiver, which answers each delivery by itself. */
function requestsOf({ requests, messages }: Window): number {
  const all = [...requests].reduce(
    (sum, [name, counts]) => sum + (name === RECEIVER ? 0 : totalOf(counts)),
    0,
  );
  return all / messages;
}
