// The figures: the charts' script unpacked, each figure drawn, its tools, its keys, its print.

const FIGURES = [];
/** What fits between the margins of A4 and Letter; a window's width says nothing about paper. */
const PAPER_WIDTH = 640;

/** Colours and sizes as the style sheet has them, so that there is one place for both. */
function lookOf(plot) {
  const style = getComputedStyle(root);
  const value = (name) => style.getPropertyValue(name).trim();
  const colours = value('--series').split(/\s+/);
  const room = root.classList.contains('printing') ? PAPER_WIDTH : plot.clientWidth;
  return {
    ink: value('--ink'), soft: value('--soft'), line: value('--line'), paper: value('--paper'),
    theirs: value('--theirs'), colours, font: getComputedStyle(document.body).fontFamily,
    width: Math.max(240, Math.floor(room)),
    touch: matchMedia('(pointer: coarse)').matches,
    words: (number, suffix) => {
      const text = new Intl.NumberFormat('en', { notation: 'scientific', maximumSignificantDigits: 3 });
      const scaled = suffix === 's'
        ? [[1, 's'], [1e3, 'ms'], [1e6, 'µs'], [1e9, 'ns']].find(([factor]) => number * factor >= 1)
        : [1, suffix];
      const [factor, unit] = scaled ?? [1e9, 'ns'];
      const size = number * factor;
      return `${size < 1e6 ? Number(size.toPrecision(3)) : text.format(size)} ${unit.trim()}`.trim();
    },
  };
}

function draw(it) {
  const look = lookOf(it.plot);
  const { data, layout, off } = TRACES[it.figure.kind](it.figure, it.state, look);
  if (it.figure.labels) {
    // A slice goes from label to label.
    Object.assign(layout.xaxis, ticks(it.figure.labels, look.width / 80));
    layout.height = 260;
  }
  it.off.hidden = !off;
  const values = off === 1 ? '1 value' : `${off} values`;
  it.off.textContent = `${values} at or below zero can't stand on a logarithmic scale.`;
  const options = { displayModeBar: false, doubleClick: 'reset+autosize', typesetMath: false };
  // The charts keep the layout, and change it.
  const named = ({ tickvals, ticksuffix }) => ({ named: Boolean(tickvals), suffix: ticksuffix });
  const axes = { x: named(layout.xaxis), y: named(layout.yaxis) };
  Plotly.react(it.plot, data, layout, options);
  it.drawn = { data, axes, look, width: look.width };
  it.at = -1;
  nameTicks(it);
}

/** A button among a figure's tools. */
function tool(tools, words, title, act, pressed) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = words;
  button.title = title;
  if (words !== title) button.setAttribute('aria-label', title);
  if (pressed !== undefined) button.setAttribute('aria-pressed', String(pressed));
  button.addEventListener('click', () => {
    if (pressed !== undefined) {
      pressed = !pressed;
      button.setAttribute('aria-pressed', String(pressed));
    }
    act(pressed);
  });
  tools.append(button);
  return button;
}

function tools(it) {
  const { figure, state } = it;
  legends(it);
  const scale = (side, words) => {
    const button = tool(it.tools, words, words, (log) => {
      state.log[side] = log;
      again(it);
    }, Boolean(state.log[side]));
    button.disabled = !canBeLog(figure, side);
  };
  if (figure.kind === 'lines') scale('x', 'Log x');
  scale('y', figure.kind === 'lines' ? 'Log y' : 'Log scale');
  tool(it.tools, '+', 'Zoom in', () => zoom(it, 0.6));
  tool(it.tools, '−', 'Zoom out', () => zoom(it, 1 / 0.6));
  tool(it.tools, 'Reset', 'Reset the zoom', () => draw(it));
  if (figure.kind === 'heat_map') it.slice = sliceBelow(it);
  it.tools.hidden = false;
}

/** Further off than this many times what was first seen there is nothing. */
const FURTHEST = 8;

/** Nearer to the middle of what is seen, or further off. */
function zoom(it, by) {
  const { xaxis, yaxis } = it.plot._fullLayout;
  const span = Math.abs(xaxis.range[1] - xaxis.range[0]);
  // A change of the scale is another first sight.
  if (it.first?.type !== xaxis.type) it.first = { type: xaxis.type, span };
  if (by > 1 && span * by > FURTHEST * it.first.span) return;
  const nearer = ([a, b]) => [(a + b) / 2 - ((b - a) / 2) * by, (a + b) / 2 + ((b - a) / 2) * by];
  const change = { 'xaxis.range': nearer(xaxis.range) };
  if (it.figure.kind === 'lines' || it.figure.kind === 'heat_map') {
    change['yaxis.range'] = nearer(yaxis.range);
  }
  Plotly.relayout(it.plot, change);
}

/** Every point that can be pointed at, in the order in which the arrow keys go. */
function points(it) {
  const { figure } = it;
  if (!it.drawn) return [];
  if (figure.kind === 'heat_map') {
    return figure.cells.flatMap((row, y) => row.map((cell, x) => ({
      hover: { xval: x, yval: y },
      said: `${figure.rows.name} ${figure.rows.names[y]}, ${figure.columns.name} `
        + `${figure.columns.names[x]}: ${cell.said}`,
    })));
  }
  return it.drawn.data.flatMap((trace, curveNumber) => (trace.said ?? []).map((said, pointNumber) => (
    { hover: [{ curveNumber, pointNumber }], said })));
}

function keys(it) {
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  it.plot.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const step = steps[event.key];
    const all = points(it);
    if (all.length === 0) return;
    if (step) {
      it.at = ((it.at < 0 && step < 0 ? 0 : it.at) + step + all.length) % all.length;
      Plotly.Fx.hover(it.plot, all[it.at].hover);
      it.heard.textContent = all[it.at].said;
    } else if (event.key === 'Escape') {
      it.at = -1;
      Plotly.Fx.unhover(it.plot, {});
      it.heard.textContent = '';
    } else if (event.key === '+' || event.key === '-') {
      zoom(it, event.key === '+' ? 0.6 : 1 / 0.6);
    } else if (event.key === '0') {
      draw(it);
    } else {
      return;
    }
    event.preventDefault();
  });
}

/** A line below a figure, not there until there is something to say. */
function note() {
  const line = document.createElement('p');
  line.className = 'cut';
  line.hidden = true;
  return line;
}

function set(element) {
  const figure = JSON.parse(element.querySelector('script[data-figure]').textContent);
  const it = {
    figure, plot: element.querySelector('.plot'), tools: element.querySelector('.tools'),
    heard: element.querySelector('.heard'), off: note(), at: -1, state: { hidden: new Set() },
  };
  const log = (side) => Boolean(figure[side]?.log) && canBeLog(figure, side);
  it.state.log = { x: log('x'), y: log('y') };
  it.heard.before(it.off);
  draw(it);
  tools(it);
  keys(it);
  keepNamed(it);
  FIGURES.push(it);
}

const again = (it) => { draw(it); if (it.slice) drawSlice(it); };

/** Figures that are seen first are drawn first; whatever one of them holds, the others are drawn. */
async function drawAll() {
  for (const element of document.querySelectorAll('figure.drawn')) {
    try {
      set(element);
    } catch (error) {
      element.querySelector('.plot').textContent = `This can't be drawn (${error.message}).`;
    }
    await new Promise((next) => { setTimeout(next); });
  }
  performance.mark('fathom-figures');
  root.dataset.figures = 'ready';
}

async function start() {
  const packed = document.querySelector('script[data-charts]');
  if (!packed) { root.dataset.figures = 'none'; return; }
  const script = document.createElement('script');
  script.textContent = await unpacked(packed.textContent);
  document.head.append(script);
  await drawAll();
  new ResizeObserver(() => {
    for (const it of FIGURES) if (it.drawn.width !== lookOf(it.plot).width) again(it);
  }).observe(document.querySelector('main'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => FIGURES.forEach(again));
  for (const [event, paper] of [['beforeprint', true], ['afterprint', false]]) {
    addEventListener(event, () => {
      root.classList.toggle('printing', paper);
      FIGURES.forEach(again);
    });
  }
}

// The text first: a script this long is read only after it has been shown.
addEventListener('DOMContentLoaded', () => {
  requestAnimationFrame(() => setTimeout(() => start().catch((error) => {
    for (const plot of document.querySelectorAll('.plot')) {
      plot.textContent = `This browser draws no figures (${error.message}).`;
    }
  })));
});
