'use strict';

const KEYWORDS = new Set(('SELECT FROM WHERE AND OR NOT IN EXISTS BETWEEN LIKE IS NULL INSERT INTO VALUES UPDATE SET DELETE '
  + 'MERGE USING JOIN LEFT RIGHT INNER OUTER CROSS NATURAL ON GROUP ORDER BY HAVING LIMIT OFFSET FETCH FIRST ROWS ROW ONLY FOR '
  + 'SHARE UNION ALL INTERSECT EXCEPT DISTINCT AS WITH RETURNING CASE WHEN THEN ELSE END ASC DESC CONFLICT DO NOTHING '
  + 'DUPLICATE KEY REPLACE IGNORE LOCK MODE NOWAIT SKIP LOCKED CAST').split(' '));

/** What ends a WHERE clause. */
const AFTER_WHERE = new Set('GROUP HAVING WINDOW ORDER LIMIT OFFSET FETCH FOR LOCK UNION INTERSECT EXCEPT RETURNING ;'.split(' '));

/** What precedes a star that stands for columns. */
const BEFORE_STAR = new Set('SELECT DISTINCT ALL RETURNING , .'.split(' '));

const SQL_TOKENS = /'(?:[^']|'')*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|[\p{L}_][\p{L}\p{N}_$]*|[\s\S]/gu;

const bareName = token => token.replace(/^["`]|["`]$/g, '').toLowerCase();

/** What of a statement matters to an anomaly: tables, columns, and whether its WHERE clause read what others changed. */
function relevantParts(anomaly, transaction, statement) {
  const ends = (id, seq) => id === transaction.id && seq === statement.seq;
  const edges = anomaly.cycle.filter(edge => ends(edge.from, edge.fromStatement) || ends(edge.to, edge.toStatement));
  const reads = edge => edge.kind === 'rw' ? ends(edge.from, edge.fromStatement) : ends(edge.to, edge.toStatement);
  return {
    tables: new Set([...edges, statement].filter(edge => edge.table).map(edge => bareName(edge.table.split('.').pop()))),
    columns: new Set(edges.flatMap(edge => edge.columns ?? []).map(bareName)),
    where: edges.some(edge => edge.predicate && reads(edge)),
  };
}

/** The text of a statement with its keywords set off, and what matters marked. */
function sqlText(text, {tables, columns, where}) {
  const tokens = [...text.matchAll(SQL_TOKENS)].map(match => match[0]);
  const names = tokens.map(bareName);
  const isStar = columns.size > 0 && !names.some(name => columns.has(name));
  const code = el('code', {});
  let into = code;
  let plain = '';
  let before = '';
  let depth = 0;
  let whereDepth = 0;
  const append = part => {
    into.append(plain, part);
    plain = '';
  };
  tokens.forEach((token, i) => {
    const upper = token.toUpperCase();
    depth += token === '(' ? 1 : token === ')' ? -1 : 0;
    if (into !== code && (depth < whereDepth || depth === whereDepth && AFTER_WHERE.has(upper))) {
      append('');
      into = code;
    }
    if (where && into === code && upper === 'WHERE') {
      append('');
      into = el('mark', {class: 'clause'});
      code.append(into);
      whereDepth = depth;
    }
    if (KEYWORDS.has(upper)) {
      append(el('span', {class: 'kw'}, token));
    } else if (tables.has(names[i]) || columns.has(names[i]) || isStar && token === '*' && BEFORE_STAR.has(before)) {
      append(el('mark', {}, token));
    } else {
      plain += token;
    }
    before = token.trim() === '' ? before : upper;
  });
  append('');
  return code;
}
