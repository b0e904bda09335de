import { expect, test } from 'vitest';
import { requireTransition, TASK_STATES, TRANSITIONS } from './task-state.ts';

test('allows the transitions of the table, and no other', () => {
  for (const from of TASK_STATES) {
    for (const to of TASK_STATES) {
      const go = () => requireTransition(from, to);
      if (TRANSITIONS[from].includes(to)) expect(go).not.toThrow();
      else expect(go).toThrow(`from ${from} to ${to}`);
    }
  }
});

test('allows closed after every other state, and no state after closed', () => {
  expect(TRANSITIONS.closed).toEqual([]);
  for (const state of TASK_STATES) if (state !== 'closed') expect(TRANSITIONS[state]).toContain('closed');
});
