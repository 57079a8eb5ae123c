/** What is particular to HSQLDB. */
@NullMarked
package io.txwatch.dbms.hsqldb;

import org.jspecify.annotations.NullMarked;
