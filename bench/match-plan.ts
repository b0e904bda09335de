/** Plans the course of a generated match, and the messages that report it. The same number gives the same match. */
import { mulberry32 } from '../services/simulator/random.ts';

/** Seconds since kick-off. */
export const FIRST_HALF_ENDS = 47 * 60;
export const SECOND_HALF_STARTS = 62 * 60;
export const SECOND_HALF_ENDS = 111 * 60;

/** One message of a match: an incident inserted, updated or deleted. */
export type PlannedStep = {
  /** Seconds since kick-off. */
  readonly at: number;
  /** Number of the incident within its match, in the order of insertion. */
  readonly incident: number;
  readonly type: number;
  readonly action: 'insert' | 'update' | 'delete';
  readonly confirmation: 'tbd' | 'confirmed' | 'cancelled' | null;
  readonly side: SideNumber | 0;
  /** Number of its parent incident. */
  readonly parent: number | null;
  /** The message's change of the score that the provider reports. */
  readonly score: { readonly side: SideNumber; readonly by: 1 | -1 } | null;
};

/** 1 home, 2 away. */
export type SideNumber = 1 | 2;

/** A planned match: its steps in order, and the score after all of them. */
export type MatchPlan = {
  readonly steps: readonly PlannedStep[];
  readonly final: { readonly home: number; readonly away: number };
};

/** Plans a match of `messages` messages (at least 100). */
export function planMatch(seed: number, messages: number): MatchPlan {
  const script = new Script(mulberry32(seed * 0x9e3779b1));
  script.write(messages);
  return { steps: numbered(script.steps), final: script.final };
}

/** Incidents of open play, with their frequency. */
const PLAY: readonly (readonly [type: number, weight: number])[] = [
  [400, 38],
  [401, 24],
  [402, 12],
  [409, 8],
  [403, 4],
  [407, 4],
  [410, 4],
  [406, 2],
  [405, 2],
  [411, 1],
  [412, 1],
];
const PLAY_WEIGHT = PLAY.reduce((sum, [, weight]) => sum + weight, 0);

type Draft = Omit<PlannedStep, 'at' | 'incident' | 'type' | 'side'>;
const PLAIN: Draft = { action: 'insert', confirmation: null, parent: null, score: null };

class Script {
  readonly steps: PlannedStep[] = [];
  readonly final = { home: 0, away: 0 };
  readonly #random: () => number;
  #incidents = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  write(messages: number): void {
    this.#add(0, 429, 0, { confirmation: 'confirmed' });
    this.#add(FIRST_HALF_ENDS, 445, 0, { confirmation: 'confirmed' });
    this.#add(SECOND_HALF_STARTS, 430, 0, { confirmation: 'confirmed' });
    this.#add(SECOND_HALF_ENDS + 120, 437, 0, { confirmation: 'confirmed' });
    for (const at of this.#moments()) this.#happen(at, this.#side());
    for (let left = messages - this.steps.length; left > 0; left--) {
      const [from, until] =
        left % 2 === 0 ? [1, FIRST_HALF_ENDS] : [SECOND_HALF_STARTS + 1, SECOND_HALF_ENDS];
      this.#add(from + Math.floor(this.#random() * (until - from)), this.#playType(), this.#side());
    }
  }

  #add(at: number, type: number, side: SideNumber | 0, over: Partial<Draft> = {}): number {
    this.steps.push({ ...PLAIN, ...over, at, type, side, incident: this.#incidents });
    return this.#incidents++;
  }

  #update(incident: number, after: number, over: Partial<Draft>): void {
    const first = this.steps.find((step) => step.incident === incident);
    if (first !== undefined)
      this.steps.push({ ...first, action: 'update', score: null, ...over, at: first.at + after });
  }

  #side(): SideNumber {
    return this.#random() < 0.54 ? 1 : 2;
  }

  #playType(): number {
    let roll = this.#random() * PLAY_WEIGHT;
    for (const [type, weight] of PLAY) {
      roll -= weight;
      if (roll < 0) return type;
    }
    return 400;
  }

  /** Returns times at least three minutes apart, so that no cancellation could refer to another goal. */
  #moments(): number[] {
    const free: number[] = [];
    for (let minute = 1; minute < 43; minute += 3) free.push(minute * 60, SECOND_HALF_STARTS + minute * 60);
    const count = 2 + Math.floor(this.#random() * (free.length - 2));
    return Array.from({ length: count }, () => free.splice(Math.floor(this.#random() * free.length), 1))
      .flat()
      .sort((a, b) => a - b);
  }

  #happen(at: number, side: SideNumber): void {
    const roll = this.#random();
    if (roll < 0.16) this.#goal(at, side);
    else if (roll < 0.38) {
      const card = this.#add(at, roll < 0.17 ? 418 : 419, side, { confirmation: 'tbd' });
      this.#update(card, 25, { confirmation: 'confirmed' });
    } else if (roll < 0.78) {
      const corner = this.#add(at, 408, side, { confirmation: 'tbd' });
      this.#update(corner, 15, { confirmation: 'confirmed' });
    } else if (roll < 0.95) {
      this.#add(at, 450, side, { confirmation: 'confirmed' });
      this.#add(at, 452, side, { confirmation: 'confirmed' });
    } else if (roll < 0.98) {
      this.#add(at, 1834, 0);
      this.#add(at + 70, 2753, 0);
    } else {
      this.#update(this.#add(at, 416, side), 20, { action: 'delete' });
    }
  }

  #goal(at: number, side: SideNumber): void {
    const roll = this.#random();
    const type = roll < 0.85 ? 413 : roll < 0.95 ? 421 : 423;
    const scorer: SideNumber = type === 423 ? (side === 1 ? 2 : 1) : side;
    const given = { side: scorer, by: 1 } as const;
    const taken = { side: scorer, by: -1 } as const;
    const goal = this.#add(at, type, side, { confirmation: 'tbd', score: given });
    const fate = this.#random();
    if (fate < 0.06) {
      this.#update(goal, 80, { confirmation: 'cancelled', score: taken });
      return;
    }
    this.#update(goal, 40, { confirmation: 'confirmed' });
    if (fate < 0.09) {
      this.#add(at + 90, 424, scorer, {
        confirmation: 'confirmed',
        parent: fate < 0.075 ? goal : null,
        score: taken,
      });
    } else if (fate < 0.1) {
      this.#update(goal, 100, { action: 'delete', confirmation: 'confirmed', score: taken });
    } else if (scorer === 1) this.final.home += 1;
    else this.final.away += 1;
  }
}

/** Sorts the steps and numbers the incidents in that order, as a provider does. */
function numbered(steps: readonly PlannedStep[]): PlannedStep[] {
  const numbers = new Map<number, number>();
  const numberOf = (incident: number): number => {
    const number = numbers.get(incident) ?? numbers.size;
    numbers.set(incident, number);
    return number;
  };
  return steps
    .toSorted((a, b) => a.at - b.at)
    .map((step) => ({
      ...step,
      incident: numberOf(step.incident),
      parent: step.parent === null ? null : numberOf(step.parent),
    }));
}
