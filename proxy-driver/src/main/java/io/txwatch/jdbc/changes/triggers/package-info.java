/** {@code txwatch.versions=triggers}: reads what triggers see of an H2 database in this process. */
@NullMarked
package io.txwatch.jdbc.changes.triggers;

import org.jspecify.annotations.NullMarked;
