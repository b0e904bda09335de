import { PHASE_BOUNDARIES } from '#contract/soccer.ts';

/**
 * The minute as shown, e.g. `23` or `45+2` (spec, rule 7): rounded up when seconds are over, and above the boundary of
 * its phase shown as the boundary plus the excess. `eventTime` in seconds of match time; `eventStatusId` the phase its
 * clock refers to, null where unknown: then there is no boundary.
 */
export function renderMinute(eventTime: number, eventStatusId: number | null): string {
  const minute = Math.ceil(eventTime / 60);
  const boundary = eventStatusId === null ? undefined : PHASE_BOUNDARIES.get(eventStatusId);
  return boundary !== undefined && minute > boundary ? `${boundary}+${minute - boundary}` : String(minute);
}
