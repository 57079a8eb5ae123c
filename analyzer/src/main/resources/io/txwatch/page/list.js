'use strict';

const FILTERS = [
  {name: 'verdict', label: 'Verdict', of: anomaly => [anomaly.verdict]},
  {name: 'phenomenon', label: 'Phenomenon', of: anomaly => [phenomenonName(anomaly)]},
  {name: 'table', label: 'Table', of: tablesOf},
  {name: 'operation', label: 'Operation', of: operationsOf},
  {name: 'level', label: 'Isolation level', of: anomaly => [levelName(anomaly.isolation)]},
  {name: 'service', label: 'Service', of: servicesOf},
];

/** The services of an anomaly: a shared analyzer puts them in front of the names of sessions. */
function servicesOf(anomaly) {
  return [...new Set(anomaly.transactions
    .map(transaction => transaction.session)
    .filter(session => session.includes('/'))
    .map(session => session.slice(0, session.indexOf('/'))))];
}

/** The operations of an anomaly, if the application names its transactions. */
function operationsOf(anomaly) {
  return [...new Set(anomaly.transactions.map(operationOf).filter(name => name !== ''))];
}

const chosen = new Map();

/** Makes the filters. Those with fewer than two values are hidden. */
function showFilters(anomalies) {
  const form = byId('filters');
  for (const filter of FILTERS) {
    const values = [...new Set(anomalies.flatMap(filter.of))].sort();
    let label = form.querySelector(`label[data-filter="${filter.name}"]`);
    if (!label) {
      const select = el('select', {name: filter.name});
      select.addEventListener('change', () => {
        chosen.set(filter.name, select.value);
        showList();
      });
      label = el('label', {'data-filter': filter.name}, filter.label, select);
      form.append(label);
    }
    const select = label.querySelector('select');
    const shown = [...select.options].map(option => option.value);
    if (shown.length !== values.length + 1 || values.some((value, i) => shown[i + 1] !== value)) {
      select.replaceChildren(el('option', {value: ''}, 'all'), ...values.map(value => el('option', {value}, value)));
      select.value = chosen.get(filter.name) ?? '';
    }
    label.hidden = values.length < 2;
  }
  if (!form.querySelector('input')) {
    const input = el('input', {type: 'search', name: 'text'});
    input.addEventListener('input', () => {
      chosen.set('text', input.value.toLowerCase());
      showList();
    });
    form.append(el('label', {}, 'SQL, line of code or trace', input));
    form.addEventListener('submit', event => event.preventDefault());
  }
}

function matches(anomaly) {
  const text = chosen.get('text') ?? '';
  return FILTERS.every(filter => !chosen.get(filter.name) || filter.of(anomaly).includes(chosen.get(filter.name)))
    && (text === '' || searchText(anomaly).includes(text));
}

const searchTexts = new WeakMap();

function searchText(anomaly) {
  let text = searchTexts.get(anomaly);
  if (text === undefined) {
    text = anomaly.transactions
      .flatMap(transaction => [transaction.traceId ?? '',
        ...transaction.statements.flatMap(statement => [statement.sql, statement.callSite, statement.method ?? ''])])
      .concat(phenomenonName(anomaly))
      .join('\n')
      .toLowerCase();
    searchTexts.set(anomaly, text);
  }
  return text;
}

/** Line 9 comes before line 15. */
const byLine = new Intl.Collator('en', {numeric: true});

/** Where an anomaly is listed: the lines of code that it goes through, or else its tables. */
const headingOf = anomaly => placesOf(anomaly).map(place => place.replace(/^.*[./](?=[^./]+\.\w+:\d+$)/, '')).sort(byLine.compare).join(', ')
  || tablesOf(anomaly).join(', ') || 'unknown place';

/** Shows the anomalies that the filters select, grouped by their place in the code, the most frequent first. */
function showList() {
  const all = [...anomaliesById.values()];
  showFilters(all);
  const selected = all.filter(matches);
  const places = new Map();
  for (const anomaly of selected) {
    const place = headingOf(anomaly);
    places.set(place, [...(places.get(place) ?? []), anomaly]);
  }
  const weight = group => group.reduce((sum, anomaly) => sum + anomaly.count, 0);
  const ordered = [...places].sort((a, b) => weight(b[1]) - weight(a[1]));
  byId('count').textContent = all.length === 0 ? ''
    : `${number(selected.length)} of ${number(all.length)} kinds of anomaly, ${number(weight(selected))} in all`;
  showOperations(selected);
  byId('list').replaceChildren(...(all.length === 0
    ? [el('p', {class: 'empty'}, emptyText)]
    : ordered.map(([place, group]) => placeSection(place, group))));
}

function placeSection(place, group) {
  return el('section', {class: 'place'},
    el('h3', {}, place),
    el('ul', {}, group.map(anomaly => el('li', {},
      el('a', {href: '#' + anomaly.id, 'aria-current': anomaly.id === current ? 'true' : null},
        el('strong', {}, phenomenonName(anomaly)), ' ', badges(anomaly),
        anomaly.count > 1 ? el('span', {class: 'times'}, ` ${number(anomaly.count)} times`) : null,
        el('span', {class: 'where'}, `${tablesOf(anomaly).join(', ')} · ${anomaly.dbms} at ${levelName(anomaly.isolation)}`))))));
}
