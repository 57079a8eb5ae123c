'use strict';

const WRITES = new Set(['INSERT', 'UPDATE', 'DELETE', 'REPLACE', 'MERGE']);

/** The title of an anomaly: lost update. */
const phenomenonName = anomaly => glossary[anomaly.phenomenon]?.term ?? anomaly.phenomenon.toLowerCase().replaceAll('_', ' ');

const levelName = level => level.replaceAll('_', ' ');

const tablesOf = anomaly => [...new Set(anomaly.cycle.map(edge => edge.table).filter(table => table !== ''))];

/** The lines of code of an anomaly, each once. */
const placesOf = anomaly => [...new Set(anomaly.transactions
  .flatMap(transaction => transaction.statements)
  .map(statement => statement.callSite.replace(/ \(usually\)$/, ''))
  .filter(site => site !== ''))];

/** Shows one anomaly. */
function showDetail(anomaly) {
  const schedule = scheduleOf(anomaly);
  byId('detail').replaceChildren(
    el('a', {class: 'back', href: '#'}, '← All anomalies'),
    el('h2', {id: 'detail-title'}, phenomenonName(anomaly), ' ', badges(anomaly)),
    el('p', {class: 'meaning'}, glossary[anomaly.phenomenon]?.meaning ?? ''),
    el('p', {class: 'facts'}, facts(anomaly)),
    el('h3', {}, 'What happened'),
    schedule,
    el('p', {class: 'facts'}, 'From top to bottom: an order that the dependencies allow. It is not the order of a clock.'),
    el('h3', {}, 'Why no serial order explains it'),
    el('ul', {}, anomaly.explanation.map(clause => el('li', {}, clause))),
    anomaly.advice === '' ? null : el('section', {class: 'advice'}, el('h3', {}, 'What prevents it'), el('p', {}, anomaly.advice)),
    el('h3', {}, 'The cycle'),
    cycleGraph(anomaly),
    el('ul', {class: 'legend'}, [...new Set(anomaly.cycle.map(edge => edge.kind))].map(kind => el('li', {}, KIND_MEANING[kind] ?? kind))),
    el('h3', {}, 'Rows'),
    rowTable(anomaly),
    el('div', {class: 'tools'}, saveButton(anomaly)));
  byId('detail').setAttribute('aria-labelledby', 'detail-title');
  drawArrows(schedule, anomaly);
  new ResizeObserver(() => schedule.isConnected && drawArrows(schedule, anomaly)).observe(schedule);
}

function badges(anomaly) {
  return [
    el('span', {class: 'badge ' + anomaly.verdict}, anomaly.verdict.toLowerCase()), ' ',
    anomaly.confidence === 'SUSPECTED' ? el('span', {class: 'badge SUSPECTED'}, anomaly.possible ? 'possible' : 'suspected') : null,
  ];
}

function facts(anomaly) {
  const parts = [`${anomaly.dbms} at ${levelName(anomaly.isolation)}`];
  if (anomaly.cycleClass) {
    parts.push(anomaly.cycleClass);
  }
  parts.push(anomaly.count === 1 ? 'found once' : `found ${number(anomaly.count)} times, the first is shown`);
  if (anomaly.lastSeen) {
    parts.push(`last ${anomaly.lastSeen.slice(0, 19).replace('T', ' ')} UTC`);
  }
  return parts.join(' · ');
}

/** The statements as a table: a column for each transaction, a row for each step. */
function scheduleOf(anomaly) {
  const tables = tablesOf(anomaly);
  const head = el('tr', {}, anomaly.transactions.map((transaction, i) =>
    el('th', {scope: 'col'}, `T${i + 1}`, el('small', {}, transaction.session || 'not watched'))));
  const rows = anomaly.schedule.map(step => {
    const transaction = anomaly.transactions[step.transaction];
    const statement = transaction.statements.find(candidate => candidate.seq === step.seq);
    return el('tr', {}, anomaly.transactions.map((lane, i) =>
      i === step.transaction ? el('td', {class: 'lane'}, bar(transaction, statement, step.effects, tables)) : el('td', {class: 'lane'})));
  });
  const ends = el('tr', {}, anomaly.transactions.map(transaction =>
    el('td', {class: 'end'}, (transaction.outcome ?? 'still active').toLowerCase())));
  return el('div', {class: 'schedule', tabindex: '0', role: 'region', 'aria-label': 'Interleaving of the transactions'},
    el('table', {}, el('thead', {}, head), el('tbody', {}, rows, ends)));
}

function bar(transaction, statement, effects, tables) {
  return el('div', {class: WRITES.has(statement.kind) ? 'bar write' : 'bar', 'data-bar': `${transaction.id}/${statement.seq}`},
    sqlText(statement.sql, tables),
    statement.callSite === '' ? null : el('span', {class: 'place-of-code'}, 'at ' + statement.callSite),
    effects.map(effect => el('span', {class: 'effect'}, effect)));
}

/** Each row with what was done to its versions, in the order of the schedule. */
function rowTable(anomaly) {
  const rows = new Map();
  for (const step of anomaly.schedule) {
    for (const effect of step.effects) {
      const name = [...new Set(anomaly.cycle.map(edge => edge.rowName))].find(row => row !== '' && effect.endsWith(row));
      if (name !== undefined) {
        rows.set(name, [...(rows.get(name) ?? []), `T${step.transaction + 1} ${effect.slice(0, -name.length).trim()}`]);
      }
    }
  }
  return el('table', {class: 'rows'},
    el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'Row'), el('th', {scope: 'col'}, 'Its versions, in order'))),
    el('tbody', {}, [...rows].map(([name, steps]) =>
      el('tr', {}, el('th', {scope: 'row'}, name), el('td', {}, versions(steps))))));
}

/** Reads and writes of a row as text: each write makes a version. */
function versions(steps) {
  let version = 0;
  return el('ol', {}, steps.map(step => {
    const writes = / writes$/.test(step);
    version += writes ? 1 : 0;
    return el('li', {}, writes ? `${step} version ${version} over version ${version - 1}` : `${step.replace(/ of$/, '')}`);
  }));
}

function saveButton(anomaly) {
  const button = el('button', {type: 'button'}, 'Save as JSON');
  button.addEventListener('click', () => {
    const link = el('a', {
      href: URL.createObjectURL(new Blob([JSON.stringify(anomaly, null, 2)], {type: 'application/json'})),
      download: `${anomaly.phenomenon.toLowerCase()}.json`,
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 0);
  });
  return button;
}
