package io.txwatch.catalog;

import java.util.List;

/**
 * Where a session of MySQL or MariaDB looks up names without a database. The same object as long as
 * nothing changes it.
 *
 * @param path the one database; more entries if it is not known
 * @param called where {@code setCatalog} or {@code setSchema} led last; at first, where the session
 *     began
 */
public record NamePath(List<String> path, List<String> called) {}
