'use strict';

/** What is generally known of a phenomenon: its definition, an example, what each DBMS does with it, how to prevent it. */
function aboutPhenomenon(phenomenon) {
  const entry = glossary[phenomenon];
  if (entry === undefined) {
    return null;
  }
  const example = examples[phenomenon];
  return el('details', {class: 'about'},
    el('summary', {}, `About: ${entry.term}`),
    el('p', {}, entry.definition),
    el('p', {class: 'facts'}, entry.source),
    el('h4', {}, 'How to prevent it'),
    el('ul', {}, entry.prevention.map(way => el('li', {}, way))),
    example === undefined ? null : [
      el('h4', {}, 'An example'),
      el('pre', {}, example.setup.join('\n')),
      exampleTable(example.steps),
      el('h4', {}, 'What each DBMS does with the example'),
      outcomeTable(example.outcomes)]);
}

/** The statements of the example, a column for each session. */
function exampleTable(steps) {
  const sessions = [...new Set(steps.map(([session]) => session))].sort();
  return scrolled('Example', el('table', {class: 'rows'},
    el('thead', {}, el('tr', {}, sessions.map(session => el('th', {scope: 'col'}, session)))),
    el('tbody', {}, steps.map(([session, sql]) => el('tr', {}, sessions.map(of => el('td', {}, of === session ? el('code', {}, sql) : '')))))));
}

/** What each DBMS does, a column for each level. */
function outcomeTable(outcomes) {
  const levels = ['READ UNCOMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SNAPSHOT', 'SERIALIZABLE'];
  return scrolled('What each DBMS does with the example', el('table', {class: 'rows'},
    el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'DBMS'), levels.map(level => el('th', {scope: 'col'}, level)))),
    el('tbody', {}, Object.entries(outcomes).map(([dbms, byLevel]) => el('tr', {},
      el('th', {scope: 'row'}, dbms),
      levels.map(level => el('td', {}, byLevel[level] === 'occurs' ? el('mark', {}, 'occurs') : byLevel[level] ?? '')))))));
}

/** A table that can be scrolled with the keyboard where it is too wide. */
const scrolled = (label, table) => el('div', {class: 'scrolled', tabindex: '0', role: 'region', 'aria-label': label}, table);
