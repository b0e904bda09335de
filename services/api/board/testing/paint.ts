/**
 * A script for the page of the board. It records in `painted` when each row was first painted with each number of home goals: Unix
 * milliseconds by `EVENT GOALS`. A change is painted after the frame that draws it: the current frame if there is one, else the next.
 */
export const WATCH_PAINT = `{
  window.painted = {};
  const nextTask = (run) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = run;
    port2.postMessage(null);
  };
  const frame = window.requestAnimationFrame;
  let inFrame = false;
  window.requestAnimationFrame = (run) => frame((at) => {
    inFrame = true;
    nextTask(() => { inFrame = false; });
    run(at);
  });
  const look = (row) => {
    const key = row.id.slice('match-'.length) + ' ' + row.querySelector('.goals.home').textContent;
    if (key in painted) return;
    painted[key] = 0;
    const keep = () => nextTask(() => { painted[key] = performance.timeOrigin + performance.now(); });
    if (inFrame) keep();
    else frame(keep);
  };
  const lookWithin = (added) => {
    const rows = added.matches?.('.match') ? [added] : added.querySelectorAll?.('.match') ?? [];
    for (const row of rows) look(row);
  };
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      const row = target.parentElement?.closest('.match');
      if (row) look(row);
      for (const added of addedNodes) lookWithin(added);
    }
  }).observe(document.getElementById('board'), { subtree: true, childList: true, characterData: true });
}`;
