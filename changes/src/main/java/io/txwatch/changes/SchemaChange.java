package io.txwatch.changes;

/**
 * A statement that changed the schema. The rows of a table whose description changed come with
 * another {@link ChangedTable} from here on; those of a truncated or dropped table are gone without
 * a {@link ChangedRow}.
 *
 * @param schema the current schema of the session; the statement may name another one
 * @param text the statement
 * @param end the position at which it ends
 */
public record SchemaChange(String schema, String text, LogPosition end) {}
