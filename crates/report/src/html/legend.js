// The legend: a toggle per line, or per kind of bar, with the mark and the dash that it is drawn with.

/** A mark in a colour of the style sheet, on a piece of its line where it has one. */
function swatch(it, colour, path, dash) {
  // Of the figure's own kind, whose name is an address that this page has no need to hold.
  const { namespaceURI } = it.plot.querySelector('svg');
  const svg = document.createElementNS(namespaceURI, 'svg');
  const part = (attributes) => {
    const element = document.createElementNS(namespaceURI, 'path');
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    svg.append(element);
  };
  const half = dash ? 18 : 7;
  svg.setAttribute('viewBox', `${-half} -7 ${2 * half} 14`);
  svg.setAttribute('width', 2 * half);
  svg.setAttribute('height', 14);
  svg.setAttribute('aria-hidden', 'true');
  svg.classList.add('swatch');
  svg.style.setProperty('--swatch', `var(${colour})`);
  const pieces = dash === 'solid' ? 'none' : dash;
  if (dash) part({ class: 'dash', d: 'M-18,0H18', 'stroke-dasharray': pieces });
  part({ d: path });
  return svg;
}

function legend(it, key, name, mark) {
  const shown = (now) => {
    if (now) it.state.hidden.delete(key); else it.state.hidden.add(key);
    draw(it);
  };
  const button = tool(it.tools, name, name, shown, true);
  button.classList.add('legend');
  button.prepend(mark);
}

function legends(it) {
  const { figure } = it;
  if (figure.kind === 'bars' && figure.bars.some((bar) => bar.reference)) {
    legend(it, 'ours', 'measured here', swatch(it, '--series-0', 'M-5,-5H5V5H-5Z'));
    legend(it, 'theirs', 'by others', swatch(it, '--theirs', THEIR_MARKS[0][1]));
  }
  if (figure.kind === 'lines') {
    figure.lines.forEach((line, place) => {
      const { theirs, nth, path, dash } = styleOf(figure, place);
      const colour = theirs ? '--theirs' : `--series-${nth % 7}`;
      legend(it, place, line.name, swatch(it, colour, path, dash));
    });
  }
}
