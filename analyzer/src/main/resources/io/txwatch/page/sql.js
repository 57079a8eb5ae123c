'use strict';

const KEYWORDS = new Set(('SELECT FROM WHERE AND OR NOT IN EXISTS BETWEEN LIKE IS NULL INSERT INTO VALUES UPDATE SET DELETE '
  + 'MERGE USING JOIN LEFT RIGHT INNER OUTER CROSS NATURAL ON GROUP ORDER BY HAVING LIMIT OFFSET FETCH FIRST ROWS ROW ONLY FOR '
  + 'SHARE UNION ALL INTERSECT EXCEPT DISTINCT AS WITH RETURNING CASE WHEN THEN ELSE END ASC DESC CONFLICT DO NOTHING '
  + 'DUPLICATE KEY REPLACE IGNORE LOCK MODE NOWAIT SKIP LOCKED CAST').split(' '));

const SQL_TOKENS = /'(?:[^']|'')*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|[\p{L}_][\p{L}\p{N}_$]*|[\s\S]/gu;

/** The text of a statement with its keywords set off, and the names of the tables in question marked. */
function sqlText(text, tables) {
  const marked = new Set(tables.map(table => table.split('.').pop().toLowerCase()));
  const code = el('code', {});
  let plain = '';
  for (const [token] of text.matchAll(SQL_TOKENS)) {
    const bare = token.replace(/^["`]|["`]$/g, '');
    const kind = KEYWORDS.has(token.toUpperCase()) ? 'kw' : marked.has(bare.toLowerCase()) ? 'mark' : '';
    if (kind === '') {
      plain += token;
      continue;
    }
    code.append(plain, kind === 'kw' ? el('span', {class: 'kw'}, token) : el('mark', {}, token));
    plain = '';
  }
  code.append(plain);
  return code;
}
