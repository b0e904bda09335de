/**
 * Loaded before a service (`--import`). SIGUSR2 steps its wall clock by STEP_MS, as an operator or a bad time server
 * does. Of several values, such as `-3600000,0`, each signal uses the next one.
 */
const { now } = Date;
const Machine = Date;
const steps = (process.env.STEP_MS ?? '').split(',').map(Number);
let step = 0;

class SteppedDate extends Machine {
  constructor(...of: unknown[]) {
    super(...((of.length === 0 ? [now() + step] : of) as [number]));
  }

  static override now(): number {
    return now() + step;
  }
}

globalThis.Date = SteppedDate as DateConstructor;
process.on('SIGUSR2', () => {
  step = steps.shift() ?? step;
  process.stderr.write(`the wall clock is ${new Date().toISOString()}\n`);
});
