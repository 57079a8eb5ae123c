'use strict';

// State: what has arrived, and which anomaly is open. The address names it, so it can be linked to.

let anomaliesById = new Map();
let glossary = {};
let examples = {};
let current = '';
let emptyText = 'No anomaly was found.';

/** Shows the figures at the top: name and value of each. */
function showFigures(figures) {
  byId('figures').replaceChildren(...figures.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}

/** Shows what was observed, and what was not. */
function showCoverage(coverage) {
  const rows = [
    ['sessions', coverage.sessions], ['transactions', coverage.transactions], ['committed', coverage.committed],
    ['statements', coverage.executed], ['statements in the history', coverage.statements], ['statements whose rows were observed', coverage.instrumented],
    ['row versions read', coverage.rowsRead], ['row versions written', coverage.rowsWritten],
    ...coverage.smallestShare < 1 ? [['rows observed: one in', 1 / coverage.share], ['at the least: one in', 1 / coverage.smallestShare],
      ['transactions of which nothing was observed', coverage.shedTransactions]] : [],
    ...coverage.repeatedTransactions > 0 ? [['transactions repeated after a conflict', coverage.repeatedTransactions]] : [],
    ...Object.entries(coverage.gaps).map(([reason, count]) => [`not observed: ${gapNames[reason] ?? reason}`, count]),
  ];
  byId('coverage').replaceChildren(el('table', {class: 'rows'}, el('tbody', {},
    rows.map(([name, count]) => el('tr', {}, el('th', {scope: 'row'}, name), el('td', {}, number(count)))))));
  showWaits(coverage);
  showPossibleDeadlocks(coverage);
}

/** Shows which operations can deadlock, though they did not. */
function showPossibleDeadlocks(coverage) {
  const all = coverage.possibleDeadlocks;
  byId('possible-deadlocks-box').hidden = all.length === 0;
  const lock = one => `${one.table} ${one.row}`.trim() + (one.callSite ? ` at ${one.callSite}` : '');
  const side = of => el('td', {}, `${of.operation}: ${of.locks.map(lock).join(', then ')}`);
  byId('possible-deadlocks').replaceChildren(
    el('table', {class: 'rows'},
      el('thead', {}, el('tr', {}, ['one operation locks', 'another one, in the opposite order', 'times'].map(name => el('th', {scope: 'col'}, name)))),
      el('tbody', {}, all.map(pair => el('tr', {}, pair.operations.map(side), el('td', {}, number(pair.count)))))),
    ...all.slice(0, 1).map(pair => el('p', {}, pair.advice)));
}

/** Shows who waited for whom for locks. */
function showWaits(coverage) {
  byId('waits-box').hidden = coverage.waits.length === 0;
  const milliseconds = micros => number(Math.round(micros / 1000));
  byId('waits').replaceChildren(el('table', {class: 'rows'},
    el('thead', {}, el('tr', {}, ['waited', 'for', 'times', 'ms in total', 'longest, ms', 'at'].map(name => el('th', {scope: 'col'}, name)))),
    el('tbody', {}, coverage.waits.map(pair => el('tr', {}, el('th', {scope: 'row'}, pair.waiting), el('td', {}, pair.holding),
      el('td', {}, number(pair.count)), el('td', {}, milliseconds(pair.micros)), el('td', {}, milliseconds(pair.longestMicros)),
      el('td', {}, pair.longestAt))))));
}

let gapNames = {};

/** The share of all statements whose rows were observed, and what the rest is missing for. */
function coverageText(coverage) {
  if (coverage.executed === 0) {
    return '–';
  }
  const share = `${(Math.floor(1000 * coverage.instrumented / coverage.executed) / 10).toFixed(1)} %`;
  const missing = MISSING.filter(reason => coverage.gaps[reason] > 0).map(reason => `${number(coverage.gaps[reason])} ${reason}`);
  return missing.length === 0 ? share : `${share}; missing: ${missing.join(', ')}`;
}

const MISSING = ['OVERFLOW', 'TORN_RECORD', 'CUT_OFF', 'FORGOTTEN', 'SHED'];

/** Opens the anomaly that the address names, and moves the focus there if the user chose it. */
function open(byUser) {
  current = decodeURIComponent(location.hash.slice(1));
  const anomaly = anomaliesById.get(current);
  document.body.classList.toggle('reading', anomaly !== undefined);
  for (const link of document.querySelectorAll('#list a')) {
    const isOpen = link.getAttribute('href') === '#' + current;
    isOpen ? link.setAttribute('aria-current', 'true') : link.removeAttribute('aria-current');
  }
  if (anomaly === undefined) {
    byId('detail').replaceChildren(anomaliesById.size === 0 ? '' : el('p', {class: 'empty'}, 'Select an anomaly to see what happened.'));
    return;
  }
  showDetail(anomaly);
  if (byUser) {
    byId('detail').focus({preventScroll: true});
    scrollTo(0, 0);
  }
}

/** Has the first anomaly open, where there is room beside the list and the address names none. */
function chooseFirst() {
  const first = document.querySelector('#list a');
  if (location.hash === '' && first !== null && matchMedia('(min-width: 46.01rem)').matches) {
    history.replaceState(null, '', first.getAttribute('href'));
  }
}

window.addEventListener('hashchange', () => open(true));

const embedded = byId('data');
if (embedded) {
  showReport(JSON.parse(embedded.textContent));
} else {
  follow();
}

/** Shows a report that is part of this file. */
function showReport(report) {
  glossary = report.glossary;
  examples = report.examples;
  gapNames = report.gapNames;
  byId('source').textContent = visible(report.source);
  byId('connection').textContent = `Written ${report.written.slice(0, 19).replace('T', ' ')} UTC`;
  const anomalies = report.anomalies.map(found => ({
    ...found.anomaly, rows: found.rows, slices: {txt: found.case, history: found.history},
  }));
  anomaliesById = new Map(anomalies.map(anomaly => [anomaly.id, anomaly]));
  const found = anomalies.reduce((sum, anomaly) => sum + anomaly.count, 0);
  showFigures([
    ['transactions', number(report.coverage.transactions)], ['statements', number(report.coverage.executed)],
    ['observed', coverageText(report.coverage)], ['anomalies', number(found)],
    ...(report.ungrouped > 0 ? [['not listed', number(report.ungrouped)]] : []),
  ]);
  showCoverage(report.coverage);
  showPredicted(report.predicted);
  showList();
  chooseFirst();
  open();
}
