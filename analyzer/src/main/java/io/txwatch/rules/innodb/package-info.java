/** What DBMSs with InnoDB have in common in the analysis. */
@NullMarked
package io.txwatch.rules.innodb;

import org.jspecify.annotations.NullMarked;
