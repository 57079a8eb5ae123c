package io.txwatch.catalog;

import java.util.List;

/**
 * Where a session of MySQL, MariaDB or H2 looks up names without a database or schema. The same
 * object as long as nothing changes it.
 *
 * @param path the one database; more entries if it is not known
 * @param called where {@code setCatalog} or {@code setSchema} led last; at first, where the session
 *     began
 */
public record NamePath(List<String> path, List<String> called) {}
