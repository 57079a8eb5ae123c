'use strict';

/** In characters. */
const MAX_LABEL = 24;

const KINDS = ['ww', 'wr', 'rw', 'so', 'rt', 'waits'];

const KIND_MEANING = {
  ww: 'ww: the second overwrote what the first wrote',
  wr: 'wr: the second read what the first wrote',
  rw: 'rw: the second overwrote what the first had read, so the first did not see it',
  so: 'so: the order of transactions in one session',
  rt: 'rt: the order in real time',
  waits: 'waits: the first waited for a lock that the second held',
};

/** The heads of arrows; ids are unique in the document by the prefix. */
function arrowHeads(prefix) {
  return svg('defs', {}, KINDS.map(kind =>
    svg('marker', {
      id: `${prefix}-${kind}`, class: kind, viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 7, markerHeight: 7,
      orient: 'auto-start-reverse',
    }, svg('path', {d: 'M0 0 L10 5 L0 10 z'}))));
}

/** Draws an arrow for each dependency from the bar of one statement to that of another. */
function drawArrows(schedule, anomaly) {
  schedule.querySelector('svg')?.remove();
  const table = schedule.querySelector('table');
  const origin = schedule.getBoundingClientRect();
  const overlay = svg('svg', {class: 'arrows', 'aria-hidden': 'true', width: table.scrollWidth, height: schedule.scrollHeight},
    arrowHeads('lane'));
  const box = (transaction, seq) => {
    const bar = schedule.querySelector(`[data-bar="${CSS.escape(transaction + '/' + seq)}"]`);
    if (!bar) {
      return null;
    }
    const at = bar.getBoundingClientRect();
    const left = at.left - origin.left + schedule.scrollLeft;
    return {left, right: left + at.width, middle: at.top - origin.top + at.height / 2, width: at.width};
  };
  anomaly.cycle.forEach((edge, index) => {
    const from = box(edge.from, edge.fromStatement);
    const to = box(edge.to, edge.toStatement);
    if (!from || !to || edge.from === edge.to) {
      return;
    }
    const rightwards = from.left < to.left;
    const shift = (index % 3 - 1) * 7;
    const x1 = rightwards ? from.right : from.left;
    const x2 = rightwards ? to.left : to.right;
    const y1 = from.middle + shift;
    const y2 = to.middle + shift;
    const bend = Math.max(18, Math.abs(x2 - x1) / 2) * (rightwards ? 1 : -1);
    overlay.append(
      svg('path', {class: edge.kind, d: `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`,
        'marker-end': `url(#lane-${edge.kind})`, 'data-edge': `${edge.from}/${edge.fromStatement}>${edge.to}/${edge.toStatement}`}),
      svg('text', {class: edge.kind, x: bezier(x1, x1 + bend, x2 - bend, x2), y: bezier(y1, y1, y2, y2) - 4, 'text-anchor': 'middle'}, edge.kind));
  });
  schedule.append(overlay);
}

/** A point on a curve, nearer to its start, where labels of arrows that cross do not meet. */
function bezier(start, control1, control2, end) {
  const t = .3;
  return (1 - t) ** 3 * start + 3 * (1 - t) ** 2 * t * control1 + 3 * (1 - t) * t ** 2 * control2 + t ** 3 * end;
}

/** The cycle as a graph: a node for each transaction, an arrow for each dependency. */
function cycleGraph(anomaly) {
  const ids = anomaly.transactions.map(transaction => transaction.id);
  const width = 400;
  const height = ids.length < 3 ? 150 : 260;
  const place = ids.map((id, i) => {
    const angle = Math.PI * (1 + 2 * i / ids.length);
    return {x: width / 2 + 140 * Math.cos(angle), y: height / 2 + (height / 2 - 45) * Math.sin(angle)};
  });
  const label = anomaly.cycle.map(edge => `T${ids.indexOf(edge.from) + 1} to T${ids.indexOf(edge.to) + 1}: ${edge.kind} ${edge.rowName}`);
  const picture = svg('svg', {class: 'cycle', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': visible('The cycle. ' + label.join('; '))},
    arrowHeads('cycle'));
  anomaly.cycle.forEach((edge, index) => {
    const from = place[ids.indexOf(edge.from)];
    const to = place[ids.indexOf(edge.to)];
    if (!from || !to || from === to) {
      return;
    }
    const dx = to.x - from.x;
    const dy = to.y - from.y;
    const length = Math.hypot(dx, dy);
    const across = {x: dy / length, y: -dx / length};
    const bow = 26 + 14 * Math.floor(index / Math.max(2, ids.length));
    const middle = {x: (from.x + to.x) / 2 + across.x * bow, y: (from.y + to.y) / 2 + across.y * bow};
    const start = towards(from, middle, 21);
    const end = towards(to, middle, 23);
    const text = {x: (from.x + to.x) / 2 + across.x * (bow * .5 + 14), y: (from.y + to.y) / 2 + across.y * (bow * .5 + 14) + 4};
    picture.append(
      svg('path', {class: edge.kind, d: `M${start.x} ${start.y} Q${middle.x} ${middle.y} ${end.x} ${end.y}`,
        'marker-end': `url(#cycle-${edge.kind})`}),
      svg('text', {class: edge.kind, x: text.x, y: text.y, 'text-anchor': 'middle'}, shortened(`${edge.kind} ${edge.rowName}`), svg('title', {}, edge.rowName)));
  });
  place.forEach((at, i) => picture.append(
    svg('circle', {cx: at.x, cy: at.y, r: 18}),
    svg('text', {class: 'node', x: at.x, y: at.y}, `T${i + 1}`)));
  return picture;
}

/** A label that fits into the picture: of a long one the beginning and the end. */
const shortened = text => text.length <= MAX_LABEL ? text : `${text.slice(0, MAX_LABEL / 2)}…${text.slice(1 - MAX_LABEL / 2)}`;

/** The point at a distance from one point on the way to another. */
function towards(from, to, distance) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return {x: from.x + (to.x - from.x) / length * distance, y: from.y + (to.y - from.y) / length * distance};
}
