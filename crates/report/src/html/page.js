// The page itself: anchors within folded parts, copying, the download, print. Without it the page
// is complete but for its figures.

const root = document.documentElement;
root.classList.add('js');

/** Text from base64 of gzip; undone by the browser itself. */
async function unpacked(base64) {
  const letters = atob(base64.trim());
  const bytes = new Uint8Array(letters.length);
  // Ten times as fast as `Uint8Array.from` with a function, which is felt at two million letters.
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}

/** What an address leads to may be folded away. */
function reveal() {
  let id = location.hash.slice(1);
  try { id = decodeURIComponent(id); } catch { /* It is no encoding, and may be an id as it is. */ }
  const target = id && document.getElementById(id);
  if (!target) return;
  for (let part = target; part; part = part.parentElement) {
    if (part.tagName === 'DETAILS') part.open = true;
  }
  target.scrollIntoView();
}
addEventListener('hashchange', reveal);
addEventListener('DOMContentLoaded', reveal);
// A second time to the same place changes no address.
addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href^="#"]');
  if (link && link.getAttribute('href') === location.hash) reveal();
});

/** Says on the button itself what became of it. */
function answer(button, words) {
  const before = button.dataset.words ??= button.textContent;
  button.textContent = words;
  setTimeout(() => { button.textContent = before; }, 2000);
}

async function copy(button) {
  const text = button.parentElement.querySelector('.markdown').textContent;
  try {
    await navigator.clipboard.writeText(text);
    answer(button, 'Copied');
  } catch {
    // A browser that keeps its clipboard to itself: the text is shown, to be copied by hand.
    button.parentElement.querySelector('.markdown').hidden = false;
    answer(button, 'Copy it from below');
  }
}

async function download(button) {
  const run = document.querySelector('script[data-run]');
  const blob = new Blob([await unpacked(run.textContent)], { type: 'application/json' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = button.dataset.download;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  answer(button, `Saved as ${link.download}`);
}

addEventListener('DOMContentLoaded', () => {
  for (const button of document.querySelectorAll('button[data-copy]')) {
    button.addEventListener('click', () => copy(button));
  }
  for (const button of document.querySelectorAll('button[data-download]')) {
    button.addEventListener('click', () => download(button));
  }
});

// On paper nothing can be unfolded.
let folded = [];
addEventListener('beforeprint', () => {
  folded = [...document.querySelectorAll('details:not([open])')];
  for (const part of folded) part.open = true;
});
addEventListener('afterprint', () => {
  for (const part of folded) part.open = false;
});
