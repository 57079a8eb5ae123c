/** What a package for a DBMS provides. */
@NullMarked
package io.txwatch.dbms.support;

import org.jspecify.annotations.NullMarked;
