/** The DBMSs that the fuzzer supports, and the selection of the one behind a URL. */
@NullMarked
package io.txwatch.dbms.registry;

import org.jspecify.annotations.NullMarked;
