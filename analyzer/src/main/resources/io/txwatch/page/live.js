'use strict';

// Follows a server: one stream of events, read with fetch, because an EventSource cannot send a token.

const RETRY_MILLIS = 2000;

let token = sessionStorage.getItem('txwatch.token') ?? '';
let before = null;

async function follow() {
  emptyText = 'No anomaly so far. Put load on your service, from more than one client at a time.';
  byId('connection').textContent = 'Connecting';
  showList();
  for (;;) {
    try {
      await followOnce();
    } catch (failure) {
      // shown below
    }
    byId('connection').textContent = 'Not connected, trying again';
    await new Promise(resolve => setTimeout(resolve, RETRY_MILLIS));
  }
}

/** Requests something of the server, with the token if there is one. */
const request = path => fetch(path, {headers: token ? {Authorization: `Bearer ${token}`} : {}});

async function followOnce() {
  const response = await request('events');
  if (response.status === 401) {
    await askForToken();
    return;
  }
  if (!response.ok) {
    return;
  }
  anomaliesById = new Map();
  before = null;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const {done, value} = await reader.read();
    if (done) {
      return;
    }
    text += value;
    const messages = text.split('\n\n');
    text = messages.pop();
    apply(messages.map(message => message.replace(/^data: /, '')).filter(line => line !== '').map(line => JSON.parse(line)));
  }
}

/** Takes in what arrived together, and draws once. */
function apply(messages) {
  let changed = false;
  for (const message of messages) {
    if (message.type === 'hello') {
      glossary = message.glossary;
      examples = message.examples;
      gapNames = message.gapNames;
      byId('connection').textContent = 'Live';
    } else if (message.type === 'status') {
      showStatus(message);
    } else if (message.type === 'found') {
      anomaliesById.set(message.anomaly.id, {...message.anomaly, rows: message.rows});
      changed = true;
    } else if (message.type === 'withdrawn') {
      anomaliesById.delete(message.id);
      changed = true;
    }
  }
  if (changed) {
    const wasOpen = anomaliesById.get(current) !== undefined && document.body.classList.contains('reading');
    showList();
    if (!wasOpen) {
      open();
    }
  }
}

function showStatus(status) {
  byId('source').textContent = status.source;
  const seconds = before === null ? 0 : (status.millis - before.millis) / 1000;
  const rate = name => seconds <= 0 ? '–' : number(Math.round((status.coverage[name] - before.coverage[name]) / seconds));
  showFigures([
    ['transactions/s', rate('transactions')], ['statements/s', rate('statements')],
    ['observed', coverageText(status.coverage)], ['anomalies', number(status.anomalies)],
    ['sessions', number(status.sessions)], ['memory of the graph', megabytes(status.graphBytes)],
    ['lost events', number(status.dropped)],
    ...status.coverage.smallestShare < 1 ? [['rows observed', `${status.coverage.share * 100} %`]] : [],
  ]);
  showCoverage(status.coverage);
  before = status;
}

const megabytes = bytes => `${(bytes / 1048576).toFixed(1)} MB`;

/** Waits until the token has been entered. */
function askForToken() {
  const form = byId('token-form');
  form.hidden = false;
  byId('connection').textContent = 'This server asks for a token';
  byId('token').focus();
  return new Promise(resolve => {
    form.onsubmit = event => {
      event.preventDefault();
      token = byId('token').value;
      sessionStorage.setItem('txwatch.token', token);
      form.hidden = true;
      resolve();
    };
  });
}
