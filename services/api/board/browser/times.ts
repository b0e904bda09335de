/** Shows the times of a page in the zone that the reader chose: the server renders them in UTC. */
import { timeWithDay } from '#story/minute.ts';
import { chosenZone } from './appearance.ts';

/** Writes all times of a page, or of a part of it, in the chosen zone. `now`: Unix seconds. */
export function writeTimes(page: ParentNode, now: number): void {
  const zone = chosenZone();
  if (zone === 'UTC') return;
  for (const time of page.querySelectorAll('time'))
    time.textContent = timeWithDay(Date.parse(time.dateTime) / 1000, now, zone);
  for (const name of page.querySelectorAll('.zone')) name.textContent = zone;
}
