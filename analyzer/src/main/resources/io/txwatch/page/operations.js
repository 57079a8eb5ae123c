'use strict';

const MAX_OPERATIONS = 20;

/** The operation of a transaction, or, if it has no name, the source file of its first statement. */
const operationOrFile = transaction => operationOf(transaction)
  || transaction.statements.map(statement => statement.callSite.replace(/(:\d+)?( \(usually\))?$/, '')).find(file => file !== '') || '';

/** For each pair of operations that conflict: how many anomalies, and on which tables. */
function operationPairs(anomalies) {
  const pairs = new Map();
  for (const anomaly of anomalies) {
    const operations = new Map(anomaly.transactions.map(transaction => [transaction.id, operationOrFile(transaction)]));
    const counted = new Set();
    for (const edge of anomaly.cycle) {
      const both = [operations.get(edge.from) ?? '', operations.get(edge.to) ?? ''].sort();
      if (both[0] === '') {
        continue;
      }
      const key = JSON.stringify(both);
      const pair = pairs.get(key) ?? {both, count: 0, tables: new Set()};
      pair.count += counted.has(key) ? 0 : anomaly.count;
      counted.add(key);
      if (edge.table !== '') {
        pair.tables.add(edge.table);
      }
      pairs.set(key, pair);
    }
  }
  return pairs;
}

/** Shows which operations conflict, as a matrix. Hidden if the application names no transaction. */
function showOperations(anomalies) {
  const named = anomalies.some(anomaly => anomaly.transactions.some(transaction => operationOf(transaction) !== ''));
  byId('operations-box').hidden = !named;
  if (!named) {
    return;
  }
  const pairs = operationPairs(anomalies);
  const weights = new Map();
  for (const {both, count} of pairs.values()) {
    new Set(both).forEach(operation => weights.set(operation, (weights.get(operation) ?? 0) + count));
  }
  const all = [...weights.keys()].sort((a, b) => weights.get(b) - weights.get(a));
  const shown = all.slice(0, MAX_OPERATIONS);
  const cell = (row, column) => {
    const pair = pairs.get(JSON.stringify([row, column].sort()));
    return pair === undefined ? el('td', {}) : el('td', {}, number(pair.count), el('small', {}, [...pair.tables].sort().join(', ')));
  };
  byId('operations').replaceChildren(
    el('table', {class: 'rows'},
      el('thead', {}, el('tr', {}, el('td', {}), shown.map(operation => el('th', {scope: 'col'}, operation)))),
      el('tbody', {}, shown.map(row => el('tr', {}, el('th', {scope: 'row'}, row), shown.map(column => cell(row, column)))))),
    ...(all.length > shown.length ? [el('p', {}, `The ${shown.length} of ${all.length} operations with the most anomalies.`)] : []));
}
