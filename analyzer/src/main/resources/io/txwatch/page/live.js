'use strict';

// Follows a server: one stream of events, read with fetch, because an EventSource cannot send a token.

const RETRY_MILLIS = 2000;

let token = sessionStorage.getItem('txwatch.token') ?? '';
let before = null;

async function follow() {
  say('Connecting', 'Connecting to the server.');
  for (;;) {
    try {
      await followOnce();
    } catch (failure) {
      say('Not connected, trying again', 'The server does not answer.');
    }
    if (before !== null) {
      say('Not connected, trying again', 'The connection to the server was lost.');
    }
    await new Promise(resolve => setTimeout(resolve, RETRY_MILLIS));
  }
}

/** Shows how it stands with the connection, and, if no anomaly is listed, what that means. */
function say(connection, instead) {
  byId('connection').textContent = connection;
  emptyText = instead;
  if (anomaliesById.size === 0) {
    showList();
    open();
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
    const reason = response.status === 503 ? (await response.json()).error : `the server answered ${response.status}`;
    before = null;
    say('Not connected, trying again', `Whether there are anomalies is not known: ${reason}.`);
    return;
  }
  anomaliesById = new Map();
  byId('predicted').hidden = true;
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
  let isLive = false;
  for (const message of messages) {
    if (message.type === 'hello') {
      glossary = message.glossary;
      examples = message.examples;
      gapNames = message.gapNames;
    } else if (message.type === 'status') {
      if (before === null) {
        isLive = true;
        changed = true;
      }
      showStatus(message);
    } else if (message.type === 'predicted') {
      showPredicted(message.predicted);
    } else if (message.type === 'found') {
      anomaliesById.set(message.anomaly.id, {...message.anomaly, rows: message.rows});
      changed = true;
    } else if (message.type === 'withdrawn') {
      anomaliesById.delete(message.id);
      changed = true;
    }
  }
  if (isLive) {
    say('Live', 'No anomaly so far. Put load on your service, from more than one client at a time.');
  }
  if (changed) {
    const wasOpen = anomaliesById.get(current) !== undefined && document.body.classList.contains('reading');
    showList();
    if (!wasOpen) {
      chooseFirst();
      open();
    }
  }
}

function showStatus(status) {
  byId('source').textContent = visible(status.source);
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
  say('This server asks for a token', 'Enter the token to see what was found.');
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
