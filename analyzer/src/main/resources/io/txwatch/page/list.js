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

/** The lines of code that transactions go through, without the folders. */
const linesOf = transactions => placesOf({transactions}).map(place => place.replace(/^.*[./](?=[^./]+\.\w+:\d+$)/, ''));

/** Where an anomaly is listed: the operations of its transactions, of those without a name the lines of code, or else the tables. */
const headingOf = anomaly => [...new Set(anomaly.transactions.flatMap(transaction =>
  operationOf(transaction) === '' ? linesOf([transaction]) : [operationOf(transaction)]))].sort(byLine.compare).join(', ')
  || tablesOf(anomaly).join(', ') || 'unknown place';

const weight = group => group.reduce((sum, anomaly) => sum + anomaly.count, 0);

/** Shows the anomalies that the filters select; those that the baseline accepts are folded. */
function showList() {
  const all = [...anomaliesById.values()];
  showFilters(all);
  const selected = all.filter(matches);
  byId('count').textContent = all.length === 0 ? ''
    : `${number(selected.length)} of ${number(all.length)} kinds of anomaly, ${number(weight(selected))} in all`;
  showOperations(selected);
  const accepted = selected.filter(anomaly => anomaly.accepted);
  listPlaces(byId('list'), selected.filter(anomaly => !anomaly.accepted), all.length === 0);
  listPlaces(byId('accepted'), accepted, false);
  byId('accepted-box').hidden = accepted.length === 0;
  byId('accepted-box').querySelector('summary').textContent = `${number(accepted.length)} accepted by the baseline`;
}

/** Lists anomalies, grouped by their place in the code, the most frequent first. */
function listPlaces(list, anomalies, isEmpty) {
  const places = new Map();
  for (const anomaly of anomalies) {
    const place = headingOf(anomaly);
    places.set(place, [...(places.get(place) ?? []), anomaly]);
  }
  const shown = new Map([...list.children].map((section, i) => [section.dataset.key, i]));
  // Nothing moves away from under the pointer or the focus: what is new comes last then.
  const isInUse = list.matches(':hover, :focus-within');
  const position = ([place]) => isInUse ? shown.get(place) ?? shown.size : 0;
  const ordered = [...places].sort((a, b) => position(a) - position(b) || weight(b[1]) - weight(a[1]));
  const empty = isEmpty ? [['', []]] : [];
  keyed(list, [...empty, ...ordered], ([place]) => place,
    ([place, group]) => place === '' ? el('p', {class: 'empty'}, emptyText) : placeSection(place, group),
    (element, [place, group]) => place === '' ? element.replaceChildren(emptyText) : listAnomalies(element, group));
}

function placeSection(place, group) {
  const section = el('section', {class: 'place'}, el('h3', {}, place), el('ul', {}));
  listAnomalies(section, group);
  return section;
}

/** Lists the anomalies of a place. A link is kept when its text changes. */
function listAnomalies(section, group) {
  keyed(section.querySelector('ul'), group, anomaly => anomaly.id,
    anomaly => el('li', {}, el('a', {href: '#' + anomaly.id, 'aria-current': anomaly.id === current ? 'true' : null}, linkText(anomaly))),
    (item, anomaly) => {
      const fresh = el('a', {}, linkText(anomaly));
      if (fresh.textContent !== item.textContent) {
        item.firstElementChild.replaceChildren(...fresh.childNodes);
      }
    });
}

function linkText(anomaly) {
  const lines = operationsOf(anomaly).length === 0 ? [] : linesOf(anomaly.transactions).sort(byLine.compare);
  return [el('strong', {}, phenomenonName(anomaly)), ' ', ...badges(anomaly),
    anomaly.count > 1 ? el('span', {class: 'times'}, ` ${number(anomaly.count)} times`) : null,
    el('span', {class: 'where'}, `${tablesOf(anomaly).join(', ')} · ${anomaly.dbms} at ${levelName(anomaly.isolation)}`),
    lines.length === 0 ? null : el('span', {class: 'where'}, lines.join(', '))];
}
