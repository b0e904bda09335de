import { describe, expect, test } from 'vitest';
import { renderMinute } from './minute.ts';

const at = (minutes: number, seconds: number) => minutes * 60 + seconds;

describe('a minute is shown (rule 7)', () => {
  test.each([
    { time: at(0, 0), phase: 33, shown: '0' },
    { time: at(0, 1), phase: 33, shown: '1' },
    { time: at(22, 0), phase: 33, shown: '22' },
    { time: at(22, 59), phase: 33, shown: '23' },
    { time: at(44, 1), phase: 33, shown: '45' },
    { time: at(45, 0), phase: 33, shown: '45' },
    { time: at(45, 1), phase: 33, shown: '45+1' },
    { time: at(46, 30), phase: 33, shown: '45+2' },
    { time: at(46, 30), phase: 34, shown: '47' },
    { time: at(90, 0), phase: 34, shown: '90' },
    { time: at(95, 20), phase: 34, shown: '90+6' },
    { time: at(95, 20), phase: 35, shown: '96' },
    { time: at(105, 1), phase: 35, shown: '105+1' },
    { time: at(120, 0), phase: 36, shown: '120' },
    { time: at(122, 0), phase: 36, shown: '120+2' },
    { time: at(120, 0), phase: 141, shown: '120' },
    { time: at(95, 20), phase: null, shown: '96' },
  ])('$time s in phase $phase as $shown', ({ time, phase, shown }) => {
    expect(renderMinute(time, phase)).toBe(shown);
  });
});
