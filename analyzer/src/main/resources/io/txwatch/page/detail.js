'use strict';

/** What a lane needs for its SQL to be legible, in rem; more lanes than fit are scrolled. */
const LANE_WIDTH = 9;

/** The most characters of a statement that are shown at once, and those that are shown of a longer one. */
const MAX_SQL = 800;
const SQL_BEGINNING = 300;

const WRITES = new Set(['INSERT', 'UPDATE', 'DELETE', 'REPLACE', 'MERGE']);

/** The title of an anomaly: lost update. */
const phenomenonName = anomaly => glossary[anomaly.phenomenon]?.term ?? anomaly.phenomenon.toLowerCase().replaceAll('_', ' ');

const levelName = level => level === 'UNKNOWN' ? 'an unknown level' : level.replaceAll('_', ' ');

const tablesOf = anomaly => [...new Set(anomaly.cycle.map(edge => edge.table).filter(table => table !== ''))];

/** The lines of code of an anomaly, each once. */
const placesOf = anomaly => [...new Set(anomaly.transactions
  .flatMap(transaction => transaction.statements)
  .map(statement => statement.callSite.replace(/ \(usually\)$/, ''))
  .filter(site => site !== ''))];

/** The method and the line of a statement: BankService.transfer (BankService.java:41). A narrow lane breaks it between the two. */
function placeOf({method, callSite}) {
  if (method === undefined) {
    return callSite;
  }
  const [, line, usually] = callSite.match(/^(.*?)( \(usually\))?$/);
  return [method.split('.').slice(-2).join('.'), ' ', el('span', {}, `(${line})`), usually];
}

/** What the application calls a transaction, without the packages: OrderService.sell. A route, GET /orders, as it is. */
const operationOf = transaction => {
  const name = transaction.name ?? '';
  return name.includes('/') ? name : name.split('.').slice(-2).join('.');
};

/** The headings of explanations that are of no serial order. */
const WHY = {STALE_WRITE: 'Why an update may be lost', STALE_READ: 'Why the read is stale', DEADLOCK: 'Who waited for whom'};

/** The operation and the session of a transaction, and which try it is of several. */
const titleOf = transaction => [operationOf(transaction), transaction.session, transaction.try ? `try ${transaction.try}` : ''].filter(text => text !== '').join(', ');

/** Shows one anomaly. */
function showDetail(anomaly) {
  const schedule = scheduleOf(anomaly);
  byId('detail').replaceChildren(
    el('a', {class: 'back', href: '#'}, '← All anomalies'),
    el('h2', {id: 'detail-title'}, phenomenonName(anomaly), ' ', badges(anomaly)),
    el('p', {class: 'meaning'}, glossary[anomaly.phenomenon]?.meaning ?? ''),
    el('p', {class: 'facts'}, facts(anomaly)),
    anomaly.accepted ? el('p', {class: 'accepted'}, `Accepted by the baseline: ${acceptance(anomaly.accepted)}`) : null,
    anomaly.advice === '' ? null : el('section', {class: 'advice'}, el('h3', {}, 'What prevents it'), el('p', {}, anomaly.advice)),
    el('h3', {}, 'What happened'),
    schedule,
    el('p', {class: 'facts'}, 'From top to bottom: an order that the dependencies allow. It is not the order of a clock.',
      anomaly.schedule.some(step => step.context) ? ' A dashed box is context: what the transaction read of the row before it wrote it.' : ''),
    el('div', {class: 'pair'},
      el('section', {}, el('h3', {}, WHY[anomaly.phenomenon] ?? 'Why no serial order explains it'),
        el('ul', {class: 'why'}, anomaly.explanation.map(clause => el('li', {}, inWords(clause)))),
        el('ul', {class: 'legend'}, [...new Set(anomaly.cycle.map(edge => edge.kind))].map(kind => el('li', {}, KIND_MEANING[kind] ?? kind)))),
      el('section', {}, el('h3', {}, anomaly.cycleClass ? 'The cycle' : anomaly.phenomenon === 'DEADLOCK' ? 'The waits' : anomaly.cycle.length > 1 ? 'The dependencies' : 'The dependency'), cycleGraph(anomaly))),
    ...anomaly.phenomenon === 'DEADLOCK' ? [] : [el('h3', {}, 'Rows and their versions'), rowTable(anomaly)],
    saving(anomaly),
    aboutPhenomenon(anomaly.phenomenon));
  byId('detail').setAttribute('aria-labelledby', 'detail-title');
  drawArrows(schedule, anomaly);
  new ResizeObserver(() => schedule.isConnected && drawArrows(schedule, anomaly)).observe(schedule);
}

/** A clause of the explanation, with its sign in words: T1 < T2. */
const inWords = clause => clause.replace(/(T\d+) < (T\d+)/, '$1 must come before $2');

function badges(anomaly) {
  return [
    el('span', {class: 'badge ' + anomaly.verdict}, anomaly.verdict.toLowerCase()), ' ',
    anomaly.confidence === 'SUSPECTED' ? [el('span', {class: 'badge SUSPECTED'}, 'suspected'), ' '] : null,
    anomaly.possible ? el('span', {class: 'badge possible'}, 'possible') : null,
  ].flat().filter(part => part !== null);
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
  parts.push(`id ${anomaly.fingerprint}`);
  return parts.join(' · ');
}

/** Why an anomaly is accepted, by whom, and until when. */
const acceptance = ({reason, who, until}) => [reason, who, until ? `until ${until}` : undefined]
  .filter(part => part !== undefined).join(', ');

/** The statements as a table: a column for each transaction, a row for each step. */
function scheduleOf(anomaly) {
  const head = el('tr', {}, anomaly.transactions.map((transaction, i) =>
    el('th', {scope: 'col'}, `T${i + 1}`, el('small', {}, titleOf(transaction) || 'not watched'),
      transaction.traceId ? el('small', {class: 'trace'}, 'trace ' + transaction.traceId) : null)));
  const rows = anomaly.schedule.map(step => {
    const transaction = anomaly.transactions[step.transaction];
    const statement = [...transaction.statements, ...transaction.context ?? []].find(candidate => candidate.seq === step.seq);
    return el('tr', {}, anomaly.transactions.map((lane, i) =>
      i === step.transaction ? el('td', {class: 'lane'}, bar(anomaly, transaction, statement, step.effects)) : el('td', {class: 'lane'})));
  });
  const ends = el('tr', {}, anomaly.transactions.map(transaction =>
    el('td', {class: 'end'}, (transaction.outcome ?? 'still active').toLowerCase())));
  const table = el('table', {}, el('thead', {}, head), el('tbody', {}, rows, ends));
  table.style.minWidth = `${LANE_WIDTH * anomaly.transactions.length}rem`;
  return el('div', {class: 'schedule', tabindex: '0', role: 'region', 'aria-label': 'Interleaving of the transactions'}, table);
}

function bar(anomaly, transaction, statement, effects) {
  return el('div', {class: WRITES.has(statement.kind) ? 'bar write' : statement.write ? 'bar context' : 'bar', 'data-bar': `${transaction.id}/${statement.seq}`},
    foldedSql(statement.sql, relevantParts(anomaly, transaction, statement)),
    statement.callSite === '' ? null : el('span', {class: 'place-of-code'}, ['at ', placeOf(statement), statement.caller === undefined ? [] : `, called from ${statement.caller}`].flat()),
    effects.map(effect => el('span', {class: 'effect'}, effect)));
}

/** The text of a statement. Of a long one the beginning, which opens the whole. */
function foldedSql(text, parts) {
  if (text.length <= MAX_SQL) {
    return sqlText(text, parts);
  }
  const whole = el('div', {});
  const details = el('details', {class: 'folded'},
    el('summary', {}, sqlText(text.slice(0, SQL_BEGINNING) + ' …', parts), `all ${number(text.length)} characters`), whole);
  details.addEventListener('toggle', () => details.open && whole.replaceChildren(sqlText(text, parts)));
  return details;
}

/** Each row with what was done to its versions, in the order of the schedule. */
function rowTable(anomaly) {
  const cell = content => el('td', {}, content);
  const lines = anomaly.rows.flatMap(row => row.steps.map((step, i) => el('tr', {},
    i === 0 ? el('th', {scope: 'rowgroup', rowspan: row.steps.length}, row.name) : null,
    cell([`T${step.transaction + 1} ${step.write ? step.after === undefined ? 'deletes' : 'writes' : 'reads'}`, remark(row, i)]),
    cell(`v${step.before}`),
    cell(step.write ? step.after === undefined ? 'none' : `v${step.after}` : `v${step.before}`))));
  return scrolled('Rows and their versions', el('table', {class: 'rows'},
    el('thead', {}, el('tr', {}, ['Row', 'Step', 'Version before', 'Version after'].map(name => el('th', {scope: 'col'}, name)))),
    el('tbody', {}, lines)));
}

/** What is wrong with a step: a version that its transaction had not read is replaced, or an old one is read. */
function remark(row, at) {
  const step = row.steps[at];
  const earlier = row.steps.slice(0, at);
  const own = earlier.filter(other => other.transaction === step.transaction);
  const seen = own.length === 0 ? null : own.at(-1).write ? own.at(-1).after : own.at(-1).before;
  if (step.write && seen !== null && seen < step.before) {
    return el('mark', {}, `replaces v${step.before}, though T${step.transaction + 1} had seen v${seen}`);
  }
  const newest = earlier.filter(other => other.write && other.after !== undefined).at(-1);
  if (!step.write && newest !== undefined && newest.after > step.before) {
    return el('mark', {}, `v${newest.after} existed already`);
  }
  if (!step.write && seen !== null && seen !== step.before) {
    return el('mark', {}, `T${step.transaction + 1} had seen v${seen}`);
  }
  return null;
}

/** Buttons that save the anomaly, and what to do with the files. */
function saving(anomaly) {
  const name = `${anomaly.phenomenon.toLowerCase()}-${anomaly.id.slice(0, 8)}`;
  const button = (label, file, content) => {
    const made = el('button', {type: 'button'}, label);
    made.addEventListener('click', async () => {
      try {
        save(file, await content());
      } catch (failure) {
        byId('saved').textContent = `${file} could not be saved: ${failure.message}`;
        return;
      }
      byId('saved').textContent = `${file} was saved`;
    });
    return made;
  };
  return el('section', {}, el('h3', {}, 'Keep and repeat it'),
    el('div', {class: 'tools'},
      button('Save the history', `${name}.history`, () => sliceOf(anomaly, 'history')),
      button('Save the case', `${name}.txt`, () => sliceOf(anomaly, 'txt')),
      button('Save as JSON', `${name}.json`, () => JSON.stringify(anomaly, null, 2))),
    el('p', {id: 'saved', role: 'status', class: 'facts'}, ''),
    el('p', {class: 'facts'}, 'The history has these transactions alone: ', el('code', {}, `txwatch check ${name}.history`),
      '. The case repeats their pattern in tables of its own: ', el('code', {}, `txwatch replay ${name}.txt --url URL`), '.'));
}

function save(file, content) {
  const link = el('a', {href: URL.createObjectURL(new Blob([content])), download: file});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** The slice of the history, or the case: from this file, or from the server. */
async function sliceOf(anomaly, ending) {
  if (anomaly.slices !== undefined) {
    return ending === 'txt' ? anomaly.slices.txt : Uint8Array.from(atob(anomaly.slices.history), c => c.charCodeAt(0));
  }
  const response = await request(`anomalies/${anomaly.id}.${ending}`);
  if (!response.ok) {
    throw new Error(`the server answered ${response.status}`);
  }
  return response.arrayBuffer();
}
