/** What is particular to Derby. */
@NullMarked
package io.txwatch.dbms.derby;

import org.jspecify.annotations.NullMarked;
