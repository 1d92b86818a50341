// From a figure's values to what the charts are told to draw. Pure: the same figure, state and look
// yield the same drawing.
//
// `state` is what the reader chose: `log` per axis, `hidden` lines, zoom left to the charts.
// `look` is what the style sheet says: colours, and how wide the figure is.

// Of a mark the charts know the name, and the legend draws the path. As many of each kind as have
// no divisor in common with the dashes, so that no two lines share both.
const MARKS = [
  ['circle', 'M4,0A4,4 0 1 1 4,-0.01Z'], ['square', 'M-3.5,-3.5H3.5V3.5H-3.5Z'],
  ['triangle-up', 'M0,-4.5L4.2,3H-4.2Z'],
  ['cross', 'M-1.4,-4.2H1.4V-1.4H4.2V1.4H1.4V4.2H-1.4V1.4H-4.2V-1.4H-1.4Z'],
  ['triangle-down', 'M0,4.5L4.2,-3H-4.2Z'],
  ['x', 'M0,-2L2,-4L4,-2L2,0L4,2L2,4L0,2L-2,4L-4,2L-2,0L-4,-2L-2,-4Z'],
  ['triangle-right', 'M4.5,0L-3,4.2V-4.2Z'], ['hourglass', 'M-4,-4H4L-4,4H4Z'],
];
const DASHES = ['solid', '9px,4px', '9px,3px,2px,3px', '16px,5px', '16px,4px,2px,4px'];
const THEIR_MARKS = [
  ['diamond', 'M0,-5L5,0L0,5L-5,0Z'], ['diamond-tall', 'M0,-6L3.2,0L0,6L-3.2,0Z'],
  ['diamond-wide', 'M0,-3.2L6,0L0,3.2L-6,0Z'],
];
const THEIR_DASHES = ['2px,3px', '2px,7px', '7px,3px,2px,3px,2px,3px', '13px,3px,2px,3px,2px,3px'];
const NARROW = 560;
/** A longer label stands above its bar. */
const LABEL_MAX = 44;
/** About what a letter of the charts' font takes. */
const LETTER = 7;
/** What an axis takes, and one bar. */
const HEIGHT_MIN = 96;
/** A gap between narrower cells would be all that is seen. */
const CELL_MIN = 6;

const positive = (numbers) => numbers.filter((number) => Number.isFinite(number) && number > 0);
/** A logarithmic scale has no place for zero, nor for anything below. */
const stands = (number, log) => !log || number > 0;

/** How a line is told from the others of its kind, here and in the legend. */
function styleOf(figure, place) {
  const theirs = figure.lines[place].reference;
  const nth = figure.lines.slice(0, place).filter((line) => line.reference === theirs).length;
  const [marks, dashes] = theirs ? [THEIR_MARKS, THEIR_DASHES] : [MARKS, DASHES];
  const [symbol, path] = marks[nth % marks.length];
  return { theirs, nth, symbol, path, dash: dashes[nth % dashes.length] };
}

/** A label of at most so many letters, as the charts' markup has it. */
function shortened(it, most) {
  const letters = [...it.name];
  if (letters.length <= most) return it.label;
  const kept = letters.slice(0, most - 1).join('');
  return `${kept.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)}…`;
}

/** As many of the labels along a side as there is room for. */
function ticks(labels, room) {
  const each = Math.ceil(labels.length / Math.max(2, room));
  const kept = labels.map((_, place) => place).filter((place) => place % each === 0);
  return { tickvals: kept, ticktext: kept.map((place) => labels[place]) };
}

const TIMES = [[1e9, ' s'], [1e6, ' ms'], [1e3, ' µs'], [1, ' ns']];
/** Times on a linear axis have the one unit that fits the greatest of them. */
function fitted(unit, values, log) {
  if (unit.suffix !== 's' || log) return unit;
  const most = Math.max(...positive(values.map(Math.abs)));
  const [size, suffix] = TIMES.find(([least]) => most >= least) ?? TIMES[3];
  return { factor: 1 / size, format: '~g', suffix };
}

function axis(look, unit, log, title) {
  return {
    type: log ? 'log' : 'linear',
    // The charts make room for a title of no letters.
    ...(title ? { title: { text: title, standoff: 12, font: { size: 13, color: look.soft } } } : {}),
    tickformat: unit.format,
    ticksuffix: unit.suffix,
    // Numbers along a logarithmic axis crowd at its end.
    nticks: Math.max(3, Math.min(log ? 5 : 8, Math.floor(look.width / (log ? 140 : 90)))),
    tickangle: 0,
    gridcolor: look.line, linecolor: look.line, zerolinecolor: look.line,
    tickfont: { color: look.soft }, automargin: true, fixedrange: false,
  };
}

function frame(look, height, more) {
  return {
    width: look.width, height, autosize: false,
    paper_bgcolor: 'rgba(0,0,0,0)', plot_bgcolor: 'rgba(0,0,0,0)',
    font: { family: look.font, size: 13, color: look.ink },
    margin: { l: 8, r: 16, t: 8, b: 8 },
    hovermode: 'closest', hoverdistance: 40, showlegend: false,
    // On a touch screen a finger that moves scrolls the page.
    dragmode: look.touch ? false : 'zoom',
    hoverlabel: {
      bgcolor: look.paper, bordercolor: look.soft, align: 'left',
      font: { family: look.font, size: 13, color: look.ink },
    },
    ...more,
  };
}

/** Whiskers from low to high; on a logarithmic axis only as far as there is one. */
function whiskers(look, items, factor, log) {
  const floor = log ? Math.min(...positive(items.map((it) => it.value))) / 10 : -Infinity;
  return {
    type: 'data', symmetric: false, visible: true,
    array: items.map((it) => (it.high - it.value) * factor),
    arrayminus: items.map((it) => (it.value - Math.max(it.low, Math.min(floor, it.value))) * factor),
    color: look.ink, thickness: 1.5, width: 5,
  };
}

function bars(figure, state, look) {
  const log = state.log.y;
  const unit = fitted(figure.y.unit, figure.bars.map((bar) => bar.value), log);
  const { factor } = unit;
  const items = figure.bars.map((bar, row) => ({ ...bar, row }));
  const chosen = items.filter((it) => !state.hidden.has(it.reference ? 'theirs' : 'ours'));
  const shown = chosen.filter((it) => stands(it.value, log));
  const hover = (it) => `${it.label}<br>${it.said}`;
  const common = (part) => ({
    x: part.map((it) => it.value * factor), y: part.map((it) => it.row),
    hovertext: part.map(hover), hoverinfo: 'text', said: part.map((it) => `${it.name}: ${it.said}`),
  });
  const ours = shown.filter((it) => !it.reference);
  const theirs = shown.filter((it) => it.reference);
  const data = [
    // A bar's length means nothing where the axis has no zero.
    log
      ? { type: 'scatter', mode: 'markers', marker: { color: look.colours[0], size: 10 } }
      : { type: 'bar', orientation: 'h', width: 0.5, marker: { color: look.colours[0] } },
    {
      type: 'scatter', mode: 'markers',
      marker: { color: look.theirs, size: 10, symbol: 'diamond' },
    },
  ];
  Object.assign(data[0], common(ours), { error_x: whiskers(look, ours, factor, log) });
  Object.assign(data[1], common(theirs));
  // Beside the bar, which ends at zero if its value is below.
  const ends = shown.map((it) => Math.max(it.value, it.high, log ? it.value : 0) * factor);
  data.push({
    type: 'scatter', mode: 'text', x: ends, y: shown.map((it) => it.row), hoverinfo: 'skip',
    text: shown.map((it) => `  ${it.said}`), textposition: 'middle right', cliponaxis: false,
    textfont: { color: look.soft },
  });
  const longest = Math.max(0, ...items.map((it) => it.name.length));
  const narrow = look.width < NARROW || longest > LABEL_MAX;
  const letters = Math.max(0, ...shown.map((it) => it.said.length)) * LETTER + 24;
  const labels = narrow ? 0 : longest * LETTER;
  const room = Math.max(0.3, 1 - letters / Math.max(1, look.width - labels - 24));
  const x = { ...axis(look, unit, log), ...span(shown, factor, log, room) };
  const y = {
    range: [items.length - 0.4, narrow ? -0.8 : -0.6], tickvals: items.map((it) => it.row),
    ticktext: items.map((it) => it.label), showticklabels: !narrow, automargin: true,
    showgrid: false, zeroline: false, fixedrange: true, tickfont: { color: look.ink },
    ticklabelstandoff: 8,
  };
  // Where labels beside the bars would leave no room for these, they stand above them.
  const annotations = narrow ? items.map((it) => ({
    xref: 'paper', x: 0, y: it.row, yshift: 21, showarrow: false,
    text: shortened(it, Math.floor(look.width / LETTER)), xanchor: 'left', font: { color: look.soft, size: 12 },
  })) : [];
  const height = Math.max(items.length * (narrow ? 52 : 34) + 36, HEIGHT_MIN);
  const layout = frame(look, height, { xaxis: x, yaxis: y, annotations });
  return { data, layout, off: chosen.length - shown.length };
}

/** An axis that holds zero, or from below the least, with room at its end for the values' words. */
function span(items, factor, log, room) {
  const ends = items.flatMap((it) => [it.low, it.value, it.high])
    .map((it) => it * factor).filter(Number.isFinite);
  const seen = log ? positive(ends).map(Math.log10) : [0, ...ends];
  const [least, high] = [Math.min(...seen), Math.max(...seen)];
  if (!log && least === high) return { range: [0, 1] };
  const low = log ? least - 0.15 : least * 1.02;
  const end = low + (high - low) / room;
  return Number.isFinite(end) ? { range: [low, end] } : {};
}

function distribution(figure, state, look) {
  const unit = fitted(figure.x.unit, figure.bins.map((bin) => bin.at), false);
  const { factor } = unit;
  const colour = look.colours[0];
  const bins = figure.bins.filter((bin) => stands(bin.count, state.log.y));
  const data = [{
    // A bar's length means nothing where the axis has no zero.
    ...(state.log.y
      ? { type: 'scatter', mode: 'markers', marker: { color: colour, size: 7 } }
      : { type: 'bar', width: figure.width * factor * 0.92, marker: { color: colour, line: { width: 0 } } }),
    x: bins.map((bin) => bin.at * factor), y: bins.map((bin) => bin.count),
    hovertext: bins.map((bin) => bin.said), hoverinfo: 'text', said: bins.map((bin) => bin.said),
  }];
  const counts = { format: '~s', suffix: '' };
  const y = { ...axis(look, counts, state.log.y, 'count'), rangemode: 'tozero' };
  // Counts are whole.
  const most = Math.max(1, ...figure.bins.map((bin) => bin.count));
  if (state.log.y) {
    const decades = [...Array(Math.floor(Math.log10(most)) + 1).keys()];
    const steps = [[9, [1, 2, 3, 4, 5, 6, 7, 8]], [1000, [1, 2, 5]], [Infinity, [1]]]
      .find(([below]) => most < below)[1];
    y.tickvals = decades.flatMap((decade) => steps.map((step) => step * 10 ** decade));
  } else if (most <= 8) {
    y.dtick = 1;
  }
  const x = axis(look, unit, false);
  return { data, layout: frame(look, look.width < NARROW ? 240 : 280, {
    xaxis: x, yaxis: y, margin: { l: 8, r: 16, t: 12, b: 8 },
  }) };
}

function lines(figure, state, look) {
  const all = figure.lines.flatMap((line) => line.points);
  const unitX = fitted(figure.x.unit, all.map((point) => point.x), state.log.x);
  const unitY = fitted(figure.y.unit, all.map((point) => point.value), state.log.y);
  const [fx, fy] = [unitX.factor, unitY.factor];
  const floor = Math.min(...positive(all.map((point) => point.value))) / 10;
  const low = (point) => (state.log.y ? Math.max(point.low, floor) : point.low);
  const data = [];
  let off = 0;
  figure.lines.forEach((line, place) => {
    if (state.hidden.has(place)) return;
    const points = line.points
      .filter((it) => stands(it.x, state.log.x) && stands(it.value, state.log.y));
    off += line.points.length - points.length;
    const { theirs, nth, symbol, dash } = styleOf(figure, place);
    const colour = theirs ? look.theirs : look.colours[nth % look.colours.length];
    const back = [...points].reverse();
    data.push({
      type: 'scatter', mode: 'lines', fill: 'toself', hoverinfo: 'skip', line: { width: 0 },
      x: [...points, ...back].map((point) => point.x * fx),
      y: [...points.map((it) => it.high * fy), ...back.map((it) => low(it) * fy)],
      fillcolor: colour, opacity: 0.22,
    });
    data.push({
      type: 'scatter', mode: 'lines+markers',
      x: points.map((point) => point.x * fx), y: points.map((point) => point.value * fy),
      line: { color: colour, width: 2, dash }, marker: { symbol, size: 7, color: colour },
      hovertext: points.map((point) => `${line.label}<br>${point.said}`),
      hoverinfo: 'text', said: points.map((point) => `${line.name}, ${point.said}`),
      // The band of a single point has no width.
      ...(points.length === 1
        ? { error_y: { ...whiskers(look, points, fy, state.log.y), color: colour } } : {}),
    });
  });
  const named = levels(figure, state, look, fx);
  const x = { ...axis(look, unitX, state.log.x, figure.x.title), ...named };
  const y = axis(look, unitY, state.log.y, figure.y.title);
  const layout = frame(look, look.width < NARROW ? 320 : 420, {
    xaxis: x, yaxis: y, margin: { l: 8, r: 16, t: 12, b: 48 },
  });
  return { data, layout, off };
}

/** Along a logarithmic axis the levels that were chosen are named, as many as there is room for. */
function levels(figure, state, look, factor) {
  if (!state.log.x) return {};
  const named = new Map();
  const points = figure.lines.flatMap((line) => line.points).filter((it) => stands(it.x, true));
  for (const point of points) named.set(point.x, point.at);
  const sorted = [...named].sort(([a], [b]) => a - b);
  const each = Math.ceil(sorted.length / Math.max(2, Math.floor(look.width / 80)));
  const kept = sorted.filter((_, place) => place % each === 0);
  return { tickvals: kept.map(([x]) => x * factor), ticktext: kept.map(([, at]) => at) };
}

function heat_map(figure, state, look) {
  const log = state.log.y;
  const values = figure.cells.flat().map((cell) => cell.value ?? NaN);
  const unit = fitted(figure.y.unit, values, log);
  const { factor, suffix } = unit;
  const shade = (cell) => {
    if (cell.value === null || !stands(cell.value, log)) return null;
    return log ? Math.log10(cell.value * factor) : cell.value * factor;
  };
  const z = figure.cells.map((row) => row.map(shade));
  const names = (row, column) =>
    `${figure.rows.title} ${figure.rows.labels[row]}, ${figure.columns.title} ${figure.columns.labels[column]}`;
  const said = figure.cells.map((cells, row) => cells.map((cell, column) => (
    `${names(row, column)}<br>${cell.said}`)));
  const known = positive(values.map((value) => value * factor));
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const steps = [0, 0.25, 0.5, 0.75, 1].map((share) => least * (most / least) ** share);
  const words = (number) => look.words(number, suffix);
  const [columns, rows] = [figure.columns.labels.length, figure.rows.labels.length];
  const height = Math.max(220, Math.min(640, rows * 30 + 90));
  const cell = Math.min((look.width - 120) / columns, (height - 90) / rows);
  // Without any gap the charts would set a style that the page's policy forbids.
  const gap = cell < CELL_MIN ? 0.01 : 1;
  const data = [{
    type: 'heatmap', z, hovertext: said, hoverinfo: 'text', colorscale: 'Cividis',
    xgap: gap, ygap: gap,
    colorbar: {
      thickness: 12, outlinewidth: 0, tickfont: { color: look.soft }, ticksuffix: suffix,
      tickformat: unit.format, len: 1,
      ...(log ? { tickvals: steps.map(Math.log10), ticktext: steps.map(words), ticksuffix: '' } : {}),
    },
  }];
  // Ranges of our own: around no shade at all the charts would turn the rows over.
  const side = (labels, room, range) => ({
    title: { text: labels.title, standoff: 8, font: { size: 13, color: look.soft } },
    ...ticks(labels.labels, room), range,
    automargin: true, showgrid: false, zeroline: false, tickfont: { color: look.soft },
  });
  const layout = frame(look, height, {
    xaxis: side(figure.columns, look.width / 80, [-0.5, columns - 0.5]),
    yaxis: side(figure.rows, height / 24, [rows - 0.5, -0.5]),
    margin: { l: 8, r: 8, t: 12, b: 48 },
  });
  const off = figure.cells.flat().filter((it) => it.value !== null && !stands(it.value, log));
  return { data, layout, off: off.length };
}

/** Whether anything of a figure can stand on a logarithmic scale on this side. */
function canBeLog(figure, side) {
  const values = {
    bars: () => figure.bars.map((bar) => bar.value),
    distribution: () => figure.bins.map((bin) => bin.count),
    lines: () => figure.lines.flatMap((line) => line.points)
      .map((point) => (side === 'x' ? point.x : point.value)),
    heat_map: () => figure.cells.flat().map((cell) => cell.value ?? 0),
  };
  return positive(values[figure.kind]()).length > 0;
}

const TRACES = { bars, distribution, lines, heat_map };
