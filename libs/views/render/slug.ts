/** Names as they stand in addresses. Pure. */
import { fold } from '#domain/fold.ts';

/** `Manchester United` with id 136195 as `manchester-united,136195`, as providers write it. */
export function slugOf(name: string, id: number): string {
  return `${words(name)},${id}`;
}

/** That of an event: its sides stand apart, as in `sivasspor_trabzonspor,3108995`. */
export function eventSlug(name: string, id: number): string {
  return `${name.split(' - ').map(words).join('_')},${id}`;
}

function words(name: string): string {
  return fold(name).replaceAll(' ', '-');
}
