'use strict';

/** Shows the races that were predicted and executed, apart from the anomalies, which were observed. */
function showPredicted(predicted) {
  if (predicted === undefined) {
    return;
  }
  byId('predicted').hidden = false;
  byId('predicted').replaceChildren(
    el('h2', {id: 'predicted-title'}, predicted.heading),
    ...predicted.races.map(race => el('section', {},
      el('h3', {}, race.title),
      el('p', {class: 'facts'}, race.circumstances),
      textList('ul', race.operations),
      el('h4', {}, 'Order of the statements'),
      el('ol', {}, race.order.map(statement => el('li', {}, el('code', {}, statement)))),
      titledList('Prevented, when it was tried, by', race.prevention),
      titledList('Assumed', race.assumptions))),
    el('p', {}, predicted.counts));
}

const textList = (kind, texts) => el(kind, {}, texts.map(text => el('li', {}, text)));

const titledList = (title, texts) => texts.length === 0 ? null : el('div', {}, el('h4', {}, title), textList('ul', texts));
