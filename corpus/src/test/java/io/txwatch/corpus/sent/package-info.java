/**
 * What reaches the DBMS, recorded raw and watched.
 *
 * <p>{@link io.txwatch.corpus.sent.RecordedConnection} stands between txwatch and a driver and
 * records every call that may send something. {@link io.txwatch.corpus.sent.GeneralLog} reads what
 * a server of MySQL or MariaDB received; {@link io.txwatch.corpus.sent.SentBytes} relays a driver's
 * connections to any server and records each byte, and {@link io.txwatch.corpus.sent.SentCommands}
 * splits these into commands. {@link io.txwatch.corpus.sent.SentDifferences} compares two such
 * records.
 */
@NullMarked
package io.txwatch.corpus.sent;

import org.jspecify.annotations.NullMarked;
