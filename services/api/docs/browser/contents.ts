/** The contents of the reference: a search over all operations, and the mark of the current one. */

const search = document.querySelector<HTMLInputElement>('#search');
const found = document.querySelector<HTMLElement>('#found');

/** Shows the search field. A search hides all operations without all of its words in path, text, parameters or fields. */
export function offerSearch(): void {
  const operations = Array.from(document.querySelectorAll<HTMLElement>('.operation'), (section) => ({
    section,
    link: document.querySelector<HTMLElement>(`.contents a[href="#${section.dataset.name}"]`)?.parentElement,
    words: (
      section.querySelector('h3')?.textContent + (section.querySelector('.about')?.textContent ?? '')
    ).toLowerCase(),
  }));
  search?.parentElement?.removeAttribute('hidden');
  search?.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/);
    let count = 0;
    for (const { section, link, words: of } of operations) {
      const isFound = words.every((word) => of.includes(word));
      if (isFound) count += 1;
      section.hidden = !isFound;
      if (link) link.hidden = !isFound;
    }
    for (const group of document.querySelectorAll<HTMLElement>('main > .group'))
      group.hidden = group.querySelector('.operation:not([hidden])') === null;
    for (const group of document.querySelectorAll<HTMLElement>('.contents li:has(> ul)'))
      group.hidden = group.querySelector('ul > li:not([hidden])') === null;
    if (found !== null)
      found.textContent = search.value.trim() === '' ? '' : `${count} of ${operations.length} operations`;
  });
}

/** Marks the entry of the part whose heading was scrolled past last. */
export function markCurrent(): void {
  const links = new Map(
    Array.from(document.querySelectorAll<HTMLAnchorElement>('.contents a'), (link) => [
      link.hash.slice(1),
      link,
    ]),
  );
  const heads = [...links.keys()].flatMap((id) => document.getElementById(id) ?? []);
  let marked: HTMLAnchorElement | undefined;
  const mark = (): void => {
    const passed = heads.findLast(
      (head) => head.checkVisibility() && head.getBoundingClientRect().top < innerHeight / 4,
    );
    const link = links.get((passed ?? heads[0])?.id ?? '');
    if (link === marked) return;
    marked?.removeAttribute('aria-current');
    link?.setAttribute('aria-current', 'location');
    marked = link;
    const contents = link?.closest<HTMLElement>('.contents');
    if (!link || !contents) return;
    // Scrolls the list to the entry, on screens where the list scrolls on its own.
    contents.scrollTop +=
      link.getBoundingClientRect().top - contents.getBoundingClientRect().top - contents.clientHeight / 2;
  };
  addEventListener('scroll', () => requestAnimationFrame(mark), { passive: true });
  mark();
}
