// What stands along a logarithmic axis: the charts name whole powers of ten with their unit, and
// what lies between without, or not at all.

/** Two ticks are at least this many pixels apart. */
const APART = { x: 80, y: 28 };

/** Numbers within [10^low, 10^high] at even steps of a linear scale, where there is less than a
 * decade to see. */
function evenly([low, high], room) {
  const [from, to] = [10 ** low, 10 ** high];
  const rough = (to - from) / Math.max(2, room);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((it) => it * power).find((it) => it >= rough);
  const count = Math.floor(to / step) - Math.ceil(from / step) + 1;
  return Array.from({ length: count }, (_, place) => (Math.ceil(from / step) + place) * step);
}

/** The numbers to be named on an axis that shows [10^low, 10^high], of which so many find room. */
function marksOf([low, high], room) {
  const decades = high - low;
  if (decades < 0.7) return evenly([low, high], Math.min(room, 5));
  const each = Math.ceil(decades / Math.max(1, room));
  const digits = 3 * decades <= room ? [1, 2, 5] : [1];
  const marks = [];
  for (let power = Math.floor(low / each) * each; power <= high; power += each) {
    marks.push(...digits.map((digit) => digit * 10 ** power));
  }
  return marks.filter((mark) => Math.log10(mark) >= low && Math.log10(mark) <= high);
}

/** Names what a figure's logarithmic axes show, unless the figure names it itself. */
function nameTicks(it) {
  const change = {};
  for (const side of ['x', 'y']) {
    const axis = it.plot._fullLayout[`${side}axis`];
    const { named, suffix } = it.drawn.axes[side];
    if (axis.type !== 'log' || named) continue;
    const marks = marksOf(axis.range, Math.floor(axis._length / APART[side]));
    change[`${side}axis.tickvals`] = marks;
    change[`${side}axis.ticktext`] = marks.map((mark) => it.drawn.look.words(mark, suffix));
    change[`${side}axis.ticksuffix`] = '';
  }
  if (Object.keys(change).length > 0) Plotly.relayout(it.plot, change);
}

/** Whoever zooms sees other numbers. */
function keepNamed(it) {
  it.plot.on('plotly_relayout', (change) => {
    if (Object.keys(change).some((key) => key.includes('range'))) nameTicks(it);
  });
}
