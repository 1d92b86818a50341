// From a figure's values to what the charts are told to draw. Pure: the same figure, state and look
// yield the same drawing.
//
// `state` is what the reader chose: `log` per axis, `hidden` lines, zoom left to the charts.
// `look` is what the style sheet says: colours, and how wide the figure is.

const MARKS = ['circle', 'square', 'triangle-up', 'cross', 'star', 'pentagon', 'hexagon', 'x'];
const DASHES = ['solid', 'dash', 'dashdot', 'longdash', 'longdashdot', 'solid'];
const NARROW = 560;
/** A longer label stands above its bar. */
const LABEL_MAX = 44;
/** About what a letter of the charts' font takes. */
const LETTER = 7;

const positive = (numbers) => numbers.filter((number) => Number.isFinite(number) && number > 0);

const TIMES = [[1e9, ' s'], [1e6, ' ms'], [1e3, ' µs'], [1, ' ns']];
/** Times on a linear axis have the one unit that fits the greatest of them. */
function fitted(unit, values, log) {
  if (unit.suffix !== 's' || log) return unit;
  const most = Math.max(...positive(values));
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
  const shown = items.filter((it) => !state.hidden.has(it.reference ? 'theirs' : 'ours'));
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
  const ends = shown.map((it) => Math.max(it.value, it.high) * factor);
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
    xref: 'paper', x: 0, y: it.row, yshift: 21, text: it.label, showarrow: false,
    xanchor: 'left', font: { color: look.soft, size: 12 },
  })) : [];
  const height = items.length * (narrow ? 52 : 34) + 36;
  return { data, layout: frame(look, height, { xaxis: x, yaxis: y, annotations }) };
}

/** An axis from zero, or from below the least, with room at its end for the values' words. */
function span(items, factor, log, room) {
  const ends = items.flatMap((it) => [it.low, it.value, it.high]).map((it) => it * factor);
  const most = Math.max(...ends.filter(Number.isFinite));
  if (!log) return Number.isFinite(most) && most > 0 ? { range: [0, most / room] } : {};
  const least = Math.min(...positive(ends));
  if (!(least > 0 && most > 0)) return {};
  const [low, high] = [Math.log10(least) - 0.15, Math.log10(most)];
  return { range: [low, low + (high - low) / room] };
}

function distribution(figure, state, look) {
  const unit = fitted(figure.x.unit, figure.bins.map((bin) => bin.at), false);
  const { factor } = unit;
  const colour = look.colours[0];
  const data = [{
    // A bar's length means nothing where the axis has no zero.
    ...(state.log.y
      ? { type: 'scatter', mode: 'markers', marker: { color: colour, size: 7 } }
      : { type: 'bar', width: figure.width * factor * 0.92, marker: { color: colour, line: { width: 0 } } }),
    x: figure.bins.map((bin) => bin.at * factor), y: figure.bins.map((bin) => bin.count),
    hovertext: figure.bins.map((bin) => bin.said), hoverinfo: 'text',
    said: figure.bins.map((bin) => bin.said),
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
  figure.lines.forEach((line, place) => {
    if (state.hidden.has(place)) return;
    const colour = look.ofLine(line, place);
    const back = [...line.points].reverse();
    data.push({
      type: 'scatter', mode: 'lines', fill: 'toself', hoverinfo: 'skip', line: { width: 0 },
      x: [...line.points, ...back].map((point) => point.x * fx),
      y: [...line.points.map((it) => it.high * fy), ...back.map((it) => low(it) * fy)],
      fillcolor: colour, opacity: 0.22,
    });
    data.push({
      type: 'scatter', mode: 'lines+markers',
      x: line.points.map((point) => point.x * fx), y: line.points.map((point) => point.value * fy),
      line: { color: colour, width: 2, dash: line.reference ? 'dot' : DASHES[place % DASHES.length] },
      marker: { symbol: line.reference ? 'diamond' : MARKS[place % MARKS.length], size: 7, color: colour },
      hovertext: line.points.map((point) => `${line.label}<br>${point.said}`),
      hoverinfo: 'text', said: line.points.map((point) => `${line.name}, ${point.said}`),
    });
  });
  const named = levels(figure, state, look, fx);
  const x = { ...axis(look, unitX, state.log.x, figure.x.title), ...named };
  const y = axis(look, unitY, state.log.y, figure.y.title);
  return { data, layout: frame(look, look.width < NARROW ? 320 : 420, {
    xaxis: x, yaxis: y, margin: { l: 8, r: 16, t: 12, b: 48 },
  }) };
}

/** Along a logarithmic axis the levels that were chosen are named, as many as there is room for. */
function levels(figure, state, look, factor) {
  if (!state.log.x) return {};
  const named = new Map();
  for (const point of figure.lines.flatMap((line) => line.points)) named.set(point.x, point.at);
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
    if (cell.value === null) return null;
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
  const data = [{
    type: 'heatmap', z, hovertext: said, hoverinfo: 'text', colorscale: 'Cividis', xgap: 1, ygap: 1,
    colorbar: {
      thickness: 12, outlinewidth: 0, tickfont: { color: look.soft }, ticksuffix: suffix,
      tickformat: unit.format, len: 1,
      ...(log ? { tickvals: steps.map(Math.log10), ticktext: steps.map(words), ticksuffix: '' } : {}),
    },
  }];
  const side = (labels, room) => {
    const each = Math.ceil(labels.labels.length / Math.max(2, room));
    const kept = labels.labels.map((_, place) => place).filter((place) => place % each === 0);
    return {
      title: { text: labels.title, standoff: 8, font: { size: 13, color: look.soft } }, tickvals: kept, automargin: true, showgrid: false,
      ticktext: kept.map((place) => labels.labels[place]), zeroline: false,
      tickfont: { color: look.soft },
    };
  };
  const rows = figure.rows.labels.length;
  const height = Math.max(220, Math.min(640, rows * 30 + 90));
  return { data, layout: frame(look, height, {
    xaxis: side(figure.columns, look.width / 80),
    yaxis: { ...side(figure.rows, height / 24), autorange: 'reversed' },
    margin: { l: 8, r: 8, t: 12, b: 48 },
  }) };
}

const TRACES = { bars, distribution, lines, heat_map };
