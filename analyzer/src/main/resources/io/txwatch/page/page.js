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
    ['statements', coverage.statements], ['statements whose rows were observed', coverage.instrumented],
    ['row versions read', coverage.rowsRead], ['row versions written', coverage.rowsWritten],
    ...coverage.smallestShare < 1 ? [['rows observed: one in', 1 / coverage.share], ['at the least: one in', 1 / coverage.smallestShare],
      ['transactions of which nothing was observed', coverage.shedTransactions]] : [],
    ...Object.entries(coverage.gaps).map(([reason, count]) => [`not observed: ${gapNames[reason] ?? reason}`, count]),
  ];
  byId('coverage').replaceChildren(el('table', {class: 'rows'}, el('tbody', {},
    rows.map(([name, count]) => el('tr', {}, el('th', {scope: 'row'}, name), el('td', {}, number(count)))))));
}

let gapNames = {};

const coverageText = coverage => coverage.statements === 0 ? '–'
  : `${(Math.floor(1000 * coverage.instrumented / coverage.statements) / 10).toFixed(1)} %`;

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
  byId('source').textContent = report.source;
  byId('connection').textContent = `Written ${report.written.slice(0, 19).replace('T', ' ')} UTC`;
  const anomalies = report.anomalies.map(found => ({
    ...found.anomaly, rows: found.rows, slices: {txt: found.case, history: found.history},
  }));
  anomaliesById = new Map(anomalies.map(anomaly => [anomaly.id, anomaly]));
  const found = anomalies.reduce((sum, anomaly) => sum + anomaly.count, 0);
  showFigures([
    ['transactions', number(report.coverage.transactions)], ['statements', number(report.coverage.statements)],
    ['observed', coverageText(report.coverage)], ['anomalies', number(found)],
    ...(report.ungrouped > 0 ? [['not listed', number(report.ungrouped)]] : []),
  ]);
  showCoverage(report.coverage);
  showList();
  if (location.hash === '' && matchMedia('(min-width: 46.01rem)').matches) {
    const first = document.querySelector('#list a');
    if (first !== null) {
      history.replaceState(null, '', first.getAttribute('href'));
    }
  }
  open();
}
