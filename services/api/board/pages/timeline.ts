import type { IncidentStep, TimelineEntry } from '#story/incidents.ts';
import { nameOf } from '#story/match.ts';
import { durationWords } from '#story/minute.ts';
import type { MatchDetails } from '../match-details.ts';
import { type Html, html } from './html.ts';
import { timeOf } from './layout.ts';

/** Renders the important incidents of a match, newest first, each with its story and its own address. `now`: Unix seconds. */
export function timelineHtml(details: MatchDetails, now: number): Html {
  const { timeline } = details;
  if (timeline.length === 0) return html`<p class="empty">No incident received yet.</p>`;
  return html`<ol class="timeline" reversed>${timeline.toReversed().map((entry) => entryHtml(entry, details, now))}</ol>`;
}

function entryHtml(entry: TimelineEntry, details: MatchDetails, now: number): Html {
  const { id, kind, note, story } = entry;
  const side = sideOf(entry, details);
  const what = html`<b>${entry.name}</b>${entry.added !== null && html` +${entry.added} min`}`;
  return html`<li id="${anchorOf(id)}" class="incident ${kind}" data-side="${side ?? 'none'}" data-void="${entry.void === null ? 'no' : 'yes'}">
<a class="at" href="#${anchorOf(id)}">${minuteHtml(entry)}</a>
<span class="sign ${entry.card ?? kind}" aria-hidden="true"></span>
<div class="details">
<p class="what">${entry.void === null ? what : html`<s>${what}</s>`}${entry.running_score !== null && html` <b class="running">${entry.running_score}</b>`}${people(entry)}${teamHtml(entry, side, details)}</p>
${entry.void !== null && html`<p class="why halted">${entry.void}${entry.void_by !== null && html` <a href="#${anchorOf(entry.void_by)}">See why</a>`}</p>`}${note !== null && entry.void === null && html`<p class="note review">${note}</p>`}
${hasStory(entry) && html`<ol class="story small">${story.map((step) => stepHtml(step, now))}</ol>`}</div>
</li>`;
}

function minuteHtml({ minute, in_shoot_out }: TimelineEntry): Html | string {
  if (in_shoot_out) return 'pens';
  if (minute === null) return html`<span class="visually-hidden">no minute</span>`;
  return html`${minute}<span aria-hidden="true">′</span>`;
}

export function anchorOf(id: string): string {
  return `incident-${id}`;
}

function people({ player, assistant, kind, replaces }: TimelineEntry): Html | null {
  if (player === null) return null;
  return html` ${player}${replaces !== null && ` for ${replaces}`}${assistant !== null && kind === 'goal' && html` <span class="small">assist ${assistant}</span>`}`;
}

function teamHtml(entry: TimelineEntry, side: 'home' | 'away' | null, { match }: MatchDetails): Html | null {
  const name = side === null ? entry.participant_name : nameOf(match[side]);
  return name === null ? null : html` <span class="small">${name}</span>`;
}

function sideOf(
  { participant_id }: TimelineEntry,
  { home_id, away_id }: MatchDetails,
): 'home' | 'away' | null {
  if (participant_id === null) return null;
  if (participant_id === home_id) return 'home';
  return participant_id === away_id ? 'away' : null;
}

/** Whether the story of an incident is shown: always for goals and their cancellations, else when it has several steps. */
function hasStory({ kind, story }: TimelineEntry): boolean {
  return story.length > 1 || (story.length === 1 && (kind === 'goal' || kind === 'goal_cancelled'));
}

function stepHtml({ ut, received_at, late, what, score, firm }: IncidentStep, now: number): Html {
  return html`<li>${timeOf(Math.floor(received_at / 1000), now)} <span class="step">${what}</span>${score !== null && html` <span class="effect">${score}</span>`}${
    firm !== null && firm !== score && html` <span class="effect firm">firm ${firm}</span>`
  }${writtenHtml({ at: received_at, ut, late }, now)}</li>`;
}

/** A time at which something was known, with the provider's time, as of `HistoryEntry`. */
type KnownTime = { readonly at: number; readonly ut: number | null; readonly late: number | null };

/** Renders when the provider wrote what was received at another second, and how late that was. */
export function writtenHtml({ at, ut, late }: KnownTime, now: number): Html | false {
  if (ut === null || ut === Math.floor(at / 1000)) return false;
  return html` <span class="written">written ${timeOf(ut, now)}</span>${late !== null && html` <span class="late">${durationWords(late)} late</span>`}`;
}
