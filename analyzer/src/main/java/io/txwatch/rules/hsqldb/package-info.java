/** What is particular to HSQLDB. */
@NullMarked
package io.txwatch.rules.hsqldb;

import org.jspecify.annotations.NullMarked;
