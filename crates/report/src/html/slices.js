// A row or a column of a heat map, chosen from a list, drawn as a line below it.

/** A figure of kind `lines` along one row (`side` "rows") or column of a heat map. */
function sliced(figure, side, place) {
  const along = side === 'rows' ? figure.columns : figure.rows;
  const cells = side === 'rows' ? figure.cells[place] : figure.cells.map((row) => row[place]);
  const label = `${figure[side].title} ${figure[side].labels[place]}`;
  const name = `${figure[side].name} ${figure[side].names[place]}`;
  const points = cells
    .map((cell, x) => ({ x, at: along.labels[x], ...cell, low: cell.value, high: cell.value }))
    .filter((point) => point.value !== null)
    .map((point) => ({ ...point, said: `${along.title} ${point.at}: ${point.said}` }));
  return {
    kind: 'lines',
    x: { title: along.title, unit: { factor: 1, format: 'd', suffix: '' } },
    y: { title: '', unit: figure.y.unit },
    lines: [{ label, name, reference: false, points }],
    labels: along.labels,
  };
}

/** What there is below a heat map for its slices; empty until one is chosen. */
function sliceBelow(it) {
  const plot = document.createElement('div');
  plot.className = 'plot slice';
  plot.hidden = true;
  plot.tabIndex = 0;
  plot.setAttribute('role', 'img');
  plot.setAttribute('aria-description', it.plot.getAttribute('aria-description'));
  const slice = {
    plot, heard: it.heard, off: note(), figure: null, at: -1, state: { log: {}, hidden: new Set() },
  };
  it.heard.before(plot, slice.off);
  it.tools.append(sliceList(it.figure, (chosen) => {
    slice.figure = chosen;
    drawSlice(it);
  }));
  keys(slice);
  return slice;
}

/** The slice as it was chosen, on the map's own scale. */
function drawSlice({ slice, state }) {
  const { plot, figure } = slice;
  plot.hidden = !figure;
  const [line] = figure?.lines ?? [];
  if (line?.points.length > 0) {
    if (!slice.drawn) plot.replaceChildren();
    plot.setAttribute('aria-label', line.name);
    slice.state.log.y = state.log.y;
    draw(slice);
    return;
  }
  if (slice.drawn) Plotly.purge(plot);
  slice.drawn = null;
  slice.off.hidden = true;
  plot.textContent = line ? `${line.name}: no numbers.` : '';
}

/** The list to choose from; `chosen` is called with the slice, or with nothing. */
function sliceList(figure, chosen) {
  const list = document.createElement('select');
  list.setAttribute('aria-label', 'A row or column as a line');
  list.append(new Option('No slice', ''));
  for (const side of ['rows', 'columns']) {
    figure[side].labels.forEach((_, place) => {
      list.append(new Option(`${figure[side].name} ${figure[side].names[place]}`, `${side} ${place}`));
    });
  }
  list.addEventListener('change', () => {
    const [side, place] = list.value.split(' ');
    chosen(side ? sliced(figure, side, Number(place)) : null);
  });
  return list;
}
